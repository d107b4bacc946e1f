//! `lineside check`.

use crate::arguments::Check;
use crate::{DONE, REFUSED, Refusal, file, terminal};

pub(crate) fn check(arguments: &Check) -> Result<u8, Refusal> {
    let verdict = file::judge(&arguments.file, &arguments.trust)?;
    let code = if verdict.result.is_ok() { DONE } else { REFUSED };
    if arguments.json {
        let problems = match &verdict.result {
            Ok(checked) => &checked.warnings,
            Err(problems) => problems,
        };
        let json = serde_json::to_string_pretty(problems).unwrap_or_default();
        terminal::print(&format!("{json}\n"))?;
        return Ok(code);
    }
    terminal::talk(&verdict.rendered(&arguments.file));
    let file = arguments.file.display();
    let text = match &verdict.result {
        Ok(checked) => format!(
            "{file}: {} on {}, no faults\n",
            file::count(checked.line.jobs.len(), "job"),
            file::count(checked.line.units.len(), "unit"),
        ),
        Err(problems) => format!("{file}: {}\n", file::count(problems.len(), "fault")),
    };
    terminal::print(&text)?;
    Ok(code)
}
