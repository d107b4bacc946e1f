//! What a decision costs, with its peers beside it: `cargo xtask bench`.

#![forbid(unsafe_code)]

mod decision;
mod instructions;
mod machine;
mod peers;
mod simulation;
mod table;
mod touches;

use std::process::ExitCode;

use decision::Setting;
use table::{Row, Table};

/// Runs of each row; the median counts.
const RUNS: usize = 5;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    // Under callgrind the program calls itself with only this to do.
    if let [flag, count] = words.as_slice()
        && flag == "--decisions"
    {
        let decisions = count.parse().unwrap_or(0);
        return ExitCode::from(decision::only(decisions));
    }
    if let [flag, jobs] = words.as_slice()
        && flag == "--plan"
    {
        simulation::only(jobs.parse().unwrap_or(0));
        return ExitCode::SUCCESS;
    }
    if let [flag] = words.as_slice()
        && flag == "--quick"
    {
        let mut table = Table::new(machine::describe());
        for (jobs, units) in [(1_000, 64), (1_000_000, 64), (1_000_000, 10_000)] {
            decision_rows(&mut table, jobs, units);
        }
        return ExitCode::SUCCESS;
    }
    let json = match words.as_slice() {
        [] => None,
        [flag, path] if flag == "--json" => Some(path.clone()),
        _ => {
            eprintln!("usage: lineside-bench [--json PATH]");
            return ExitCode::from(2);
        }
    };
    let table = measure();
    print!("{}", table.text());
    if let Some(path) = json
        && let Err(error) = std::fs::write(&path, table.json())
    {
        eprintln!("error: can't write {path}: {error}");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

fn measure() -> Table {
    let mut table = Table::new(machine::describe());
    for (jobs, units) in [(1_000, 64), (1_000_000, 64), (1_000_000, 10_000)] {
        decision_rows(&mut table, jobs, units);
    }
    table.add(instructions::row());
    for setting in Setting::ALL {
        growth_rows(&mut table, setting);
    }
    touches::rows(&mut table);
    simulation::rows(&mut table);
    machine::memory_rows(&mut table);
    table.add(Row::missing(
        "runner, 1,000 × /bin/true over 4 slots",
        "this version starts no processes",
    ));
    table
}

/// Ours beside the floor and what people write, in the same run.
fn decision_rows(table: &mut Table, jobs: usize, units: usize) {
    let name = format!("decision, {} jobs, {} units", table::count(jobs), table::count(units));
    let (mut floor, mut plain, mut ours) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..RUNS {
        floor.push(peers::floor(jobs, units));
        plain.push(peers::plain(jobs, units));
        ours.push(decision::cost(Setting::Rotation, jobs, units));
    }
    let ours = table::median(ours);
    table.add(Row::ns(&name, ours).beside("floor", table::median(floor), Some(4.0)));
    table.add(Row::ns(&name, ours).beside("plain", table::median(plain), Some(1.0)));
}

/// No row grows with the queue: a million beside a thousand.
fn growth_rows(table: &mut Table, setting: Setting) {
    let cost = |jobs| table::median((0..RUNS).map(|_| decision::cost(setting, jobs, 64)).collect());
    let (few, many) = (cost(1_000), cost(1_000_000));
    let name = format!("decision, {}, 1,000,000 jobs", setting.name());
    table.add(Row::ns(&name, many).beside("1,000 jobs", few, None));
}
