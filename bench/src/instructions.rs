//! Instructions a decision: they repeat, where times do not.

use std::process::Command;

use crate::table::Row;

const FEW: u64 = 2_000;
const MANY: u64 = 12_000;
const NAME: &str = "decision, 1,000 jobs, 64 units, instructions";

/// Counts under callgrind, with few and with many decisions; the difference is theirs alone.
pub(crate) fn row() -> Row {
    match (count(FEW), count(MANY)) {
        (Some(few), Some(many)) => {
            let each = (many - few) / (MANY - FEW) as f64;
            Row::new(NAME, "instructions", each).at_most(600.0)
        }
        _ => Row::missing(NAME, "valgrind is not here"),
    }
}

fn count(decisions: u64) -> Option<f64> {
    let program = std::env::current_exe().ok()?;
    let mut command = Command::new("valgrind");
    command.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]).arg(program);
    let output = command.args(["--decisions", &decisions.to_string()]).output().ok()?;
    let text = String::from_utf8_lossy(&output.stderr);
    let line = text.lines().find(|line| line.contains("refs:"))?;
    let digits: String = line.split("refs:").nth(1)?.chars().filter(char::is_ascii_digit).collect();
    digits.parse().ok()
}
