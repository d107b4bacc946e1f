//! What a decision costs, with its peers beside it: `cargo xtask bench`.

#![forbid(unsafe_code)]

mod decision;
mod instructions;
mod machine;
mod memory;
mod peers;
mod plot;
mod simulation;
mod stopwatch;
mod table;
mod touches;

use std::process::ExitCode;

use decision::Setting;
use table::{Row, Table, count};

/// Runs of each row; the median counts.
const RUNS: usize = 5;

/// What to do with the figures.
#[derive(Default)]
struct Options {
    json: Option<String>,
    plot: Option<String>,
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    // The program calls itself with only one thing to do, to be looked at from outside.
    if let [flag, number] = words.as_slice()
        && let Ok(number) = number.parse()
    {
        match flag.as_str() {
            instructions::OURS => return ExitCode::from(decision::only(number)),
            instructions::FLOOR => return ExitCode::from(peers::only(number)),
            memory::PLAN => return memory::plan(number as usize),
            _ => {}
        }
    }
    let Some(options) = read(&words) else {
        eprintln!("usage: lineside-bench [--json PATH] [--plot PATH]");
        return ExitCode::from(2);
    };
    let table = measure();
    print!("{}", table.text());
    let json = options.json.map(|path| (path, table.json()));
    let plot = options.plot.map(|path| (path, plot::growth()));
    for (path, text) in json.into_iter().chain(plot) {
        if let Err(error) = std::fs::write(&path, text) {
            eprintln!("error: can't write {path}: {error}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

fn read(words: &[String]) -> Option<Options> {
    let mut options = Options::default();
    for pair in words.chunks(2) {
        match pair {
            [flag, path] if flag == "--json" => options.json = Some(path.clone()),
            [flag, path] if flag == "--plot" => options.plot = Some(path.clone()),
            _ => return None,
        }
    }
    Some(options)
}

fn measure() -> Table {
    let mut table = Table::new(machine::describe());
    for (jobs, units) in [(1_000, 64), (1_000_000, 64), (1_000_000, 10_000)] {
        decision_rows(&mut table, jobs, units);
    }
    instructions::rows(&mut table);
    for setting in Setting::ALL {
        mixed_rows(&mut table, setting);
    }
    touches::rows(&mut table);
    simulation::rows(&mut table);
    memory::rows(&mut table);
    machine::memory_rows(&mut table);
    table.add(Row::missing(
        "runner, 1,000 × /bin/true over 4 slots",
        "not there yet: this version starts no processes",
    ));
    table
}

/// Ours beside the floor and what people write, in the same run.
fn decision_rows(table: &mut Table, jobs: usize, units: usize) {
    let name = format!("decision, {} jobs, {} units", count(jobs), count(units));
    let (mut floor, mut plain, mut ours) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..RUNS {
        floor.push(peers::floor(jobs, units, peers::DECISIONS));
        plain.push(peers::plain(jobs, units, peers::DECISIONS));
        ours.push(decision::cost(Setting::Rotation, jobs, units));
    }
    let ours = table::median(ours);
    table.add(Row::ns(&name, ours).beside("floor", table::median(floor), Some(4.0)));
    table.add(Row::ns(&name, ours).beside("plain", table::median(plain), Some(1.0)));
}

/// No row grows with the queue: a million beside a thousand, and beside what people write, which
/// knows nothing of shapes, streams, patience, models or edges.
fn mixed_rows(table: &mut Table, setting: Setting) {
    let (mut few, mut many, mut plain) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..RUNS {
        few.push(decision::cost(setting, 1_000, 64));
        many.push(decision::cost(setting, 1_000_000, 64));
        plain.push(peers::plain(1_000_000, 64, peers::DECISIONS));
    }
    let many = table::median(many);
    let name = format!("decision, {}, 1,000,000 jobs", setting.name());
    table.add(Row::ns(&name, many).beside("1,000 jobs", table::median(few), None));
    table.add(Row::ns(&name, many).beside("plain", table::median(plain), Some(1.0)));
}
