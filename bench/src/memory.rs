//! What a plan takes of the machine's memory, at its peak.

use std::fs;
use std::process::{Command, ExitCode};

use crate::simulation;
use crate::table::{Row, Table, count};

/// Plans so many jobs and prints what that took.
pub(crate) const PLAN: &str = "--plan-memory";

const JOBS: usize = 1_000_000;

/// Workload, tables, core and simulator, in a process of their own. A file that was read, and what
/// an output keeps, come on top.
pub(crate) fn rows(table: &mut Table) {
    let name = format!("peak memory of a plan, {} jobs, a job", count(JOBS));
    match peak_of_child() {
        Some(bytes) => {
            table.add(Row::new(&name, "bytes", bytes / JOBS as f64).at_most(300.0));
        }
        None => table.add(Row::missing(&name, "this system does not tell its peak")),
    }
}

fn peak_of_child() -> Option<f64> {
    let program = std::env::current_exe().ok()?;
    let output = Command::new(program).args([PLAN, &JOBS.to_string()]).output().ok()?;
    String::from_utf8(output.stdout).ok()?.trim().parse().ok()
}

/// What the child does.
pub(crate) fn plan(jobs: usize) -> ExitCode {
    let before = peak();
    simulation::plan(&simulation::line(jobs));
    match (before, peak()) {
        (Some(before), Some(after)) => {
            println!("{}", after.saturating_sub(before));
            ExitCode::SUCCESS
        }
        _ => ExitCode::FAILURE,
    }
}

/// The most bytes that this process ever had in memory.
fn peak() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
    Some(kilobytes * 1024)
}
