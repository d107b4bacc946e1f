//! `lineside check`.

use crate::arguments::Check;
use crate::{DONE, REFUSED, Refusal, file};

pub(crate) fn check(arguments: &Check) -> Result<u8, Refusal> {
    let verdict = file::judge(&arguments.file)?;
    let code = if verdict.result.is_ok() { DONE } else { REFUSED };
    if arguments.json {
        let problems = match &verdict.result {
            Ok(checked) => &checked.warnings,
            Err(problems) => problems,
        };
        println!("{}", serde_json::to_string_pretty(problems).unwrap_or_default());
        return Ok(code);
    }
    eprint!("{}", verdict.rendered(&arguments.file));
    match &verdict.result {
        Ok(checked) => println!(
            "{}: {} jobs on {} units, no faults",
            arguments.file.display(),
            checked.line.jobs.len(),
            checked.line.units.len()
        ),
        Err(problems) => {
            println!("{}: {}", arguments.file.display(), file::faults(problems.len()));
        }
    }
    Ok(code)
}
