//! Writes the outputs of a few lines into a folder, to look at:
//! `cargo run -p lineside-report --example gallery -- FOLDER`

use std::path::Path;
use std::{env, fs, io};

use lineside_report::{dot, gantt_svg, mermaid, metrics, perfetto, report_html, terminal};

#[path = "../tests/support/mod.rs"]
mod support;

fn main() -> io::Result<()> {
    let folder = env::args().nth(1).unwrap_or_else(|| "gallery".to_string());
    let folder = Path::new(&folder);
    fs::create_dir_all(folder)?;
    let mut lines: Vec<_> =
        support::CASES.map(|name| (name.to_string(), support::case(name))).into();
    lines.push(("crowd".to_string(), support::crowd(6, 9, 100_000, 5_000)));
    for (name, (line, record)) in lines {
        let put = |kind: &str, text: String| fs::write(folder.join(format!("{name}.{kind}")), text);
        put("svg", gantt_svg(&line, &record))?;
        put("html", report_html(&line, &record, None))?;
        put("perfetto.json", perfetto(&line, &record))?;
        put("dot", dot(&line))?;
        put("prom", metrics(&line, &record))?;
        put("mmd", mermaid(&line, &record).unwrap_or_else(|error| error.to_string()))?;
        put("60.txt", terminal(&line, &record, 60, false))?;
        put("ansi", terminal(&line, &record, 110, true))?;
    }
    Ok(())
}
