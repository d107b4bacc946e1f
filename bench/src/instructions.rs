//! Instructions a decision: they repeat, where times do not.

use std::process::Command;

use crate::table::{Row, Table};

/// Makes so many decisions.
pub(crate) const OURS: &str = "--decisions";
/// Makes so many of the floor's.
pub(crate) const FLOOR: &str = "--floor";

const FEW: u64 = 2_000;
const MANY: u64 = 12_000;
const NAME: &str = "decision, 1,000 jobs, 64 units, instructions";

/// Counts under callgrind, with few and with many decisions; the difference is theirs alone. The
/// floor's are those of the heap of ends, which ours has too and which is not the core's.
pub(crate) fn rows(table: &mut Table) {
    let (Some(ours), Some(floor)) = (each(OURS), each(FLOOR)) else {
        return table.add(Row::missing(NAME, "valgrind is not here"));
    };
    table.add(Row::new(NAME, "instructions", ours).beside("floor", floor, None).at_most(600.0));
    let name = format!("{NAME} beyond the floor");
    table.add(Row::new(&name, "instructions", ours - floor));
}

fn each(flag: &str) -> Option<f64> {
    Some((count(flag, MANY)? - count(flag, FEW)?) / (MANY - FEW) as f64)
}

fn count(flag: &str, decisions: u64) -> Option<f64> {
    let program = std::env::current_exe().ok()?;
    let mut command = Command::new("valgrind");
    command.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]).arg(program);
    let output = command.args([flag, &decisions.to_string()]).output().ok()?;
    let text = String::from_utf8_lossy(&output.stderr);
    let line = text.lines().find(|line| line.contains("refs:"))?;
    let digits: String = line.split("refs:").nth(1)?.chars().filter(char::is_ascii_digit).collect();
    digits.parse().ok()
}
