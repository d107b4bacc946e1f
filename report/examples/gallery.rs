//! Writes the outputs of a few lines into a folder, to look at:
//! `cargo run -p lineside-report --example gallery -- FOLDER`

use std::path::Path;
use std::{env, fs, io};

use lineside_report::{dot, gantt_svg, mermaid, metrics, perfetto, report_html, terminal};

#[path = "../tests/it/support/mod.rs"]
mod support;

fn main() -> io::Result<()> {
    let folder = env::args().nth(1).unwrap_or_else(|| "gallery".to_string());
    let folder = Path::new(&folder);
    fs::create_dir_all(folder)?;
    let mut lines: Vec<_> =
        support::cases().into_iter().map(|(name, line, record)| (name, (line, record))).collect();
    lines.push(("crowd".to_string(), support::crowd(6, 9, 100_000, 5_000)));
    lines.push(("some".to_string(), support::crowd(4, 6, 12_000, 900)));
    let (line, mut record) = support::case("21-yolo-dag");
    record.entries.iter_mut().for_each(|entry| entry.t *= 20_000);
    lines.push(("long".to_string(), (line, record)));
    lines.push(("evil".to_string(), support::evil()));
    lines.push(("chinese".to_string(), support::chinese()));
    for (name, (line, record)) in lines {
        let put = |kind: &str, text: String| fs::write(folder.join(format!("{name}.{kind}")), text);
        put("svg", gantt_svg(&line, &record))?;
        put("html", report_html(&line, &record, Some(&support::slower(&record))))?;
        put("perfetto.json", perfetto(&line, &record))?;
        put("dot", dot(&line))?;
        put("prom", metrics(&line, &record))?;
        put("mmd", mermaid(&line, &record).unwrap_or_else(|error| error.to_string()))?;
        put("60.txt", terminal(&line, &record, 60, false))?;
        put("ansi", terminal(&line, &record, 110, true))?;
    }
    Ok(())
}
