//! Reads the cases of the rules, with their traces.

use std::fs;
use std::path::{Path, PathBuf};

use lineside_line::trace::{End, FailCause, RevokeCause, UnitState};
use lineside_line::{Line, NoFiles};
use lineside_report::{Entry, Record, What};
use serde_json::Value;

/// Cases that between them show every event.
pub const CASES: [&str; 8] = [
    "03-standard-overtakes-legacy",
    "09-mig-slices",
    "11-warm-models",
    "13-device-lost",
    "14-failure-skips-dependents",
    "15-timeout-and-cancel",
    "16-cpu-fallback",
    "21-yolo-dag",
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/cases")
}

/// All cases, by name.
pub fn cases() -> Vec<(String, Line, Record)> {
    let files = fs::read_dir(folder()).expect("the cases are there");
    let mut names: Vec<String> = files
        .map(|file| file.expect("a folder that can be read").path())
        .filter(|path| path.extension().is_some_and(|ext| ext == "jsonl"))
        .map(|path| path.file_stem().expect("a file name").to_string_lossy().into_owned())
        .collect();
    names.sort();
    names.into_iter().map(|name| (name.clone(), case(&name).0, case(&name).1)).collect()
}

/// One case.
pub fn case(name: &str) -> (Line, Record) {
    let read = |extension: &str| {
        let path = folder().join(format!("{name}.{extension}"));
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    };
    let mut line = lineside_line::read(&read("toml"), &NoFiles).expect("it is legal").line;
    line.name = Some(name.to_string());
    let mut record = Record::default();
    for row in read("jsonl").lines() {
        record.entries.push(entry(&line, &serde_json::from_str(row).expect("a line of JSON")));
    }
    let ended = |job: u32| {
        record.entries.iter().any(|at| matches!(at.what, What::End { job: it, .. } if it == job))
    };
    let open = (0..line.jobs.len() as u32).filter(|&job| !ended(job));
    record.stuck = open.map(|job| (job, "waits for what never comes".to_string())).collect();
    (line, record)
}

fn entry(line: &Line, row: &Value) -> Entry {
    let unit_named =
        |name: &str| line.units.iter().position(|unit| unit.name == name).expect("a unit") as u32;
    let job = || {
        let name = row["job"].as_str().expect("a job");
        line.jobs.iter().position(|job| job.name == name).expect("a job") as u32
    };
    let unit = || unit_named(row["unit"].as_str().expect("a unit"));
    let units = || {
        let names = row["units"].as_array().expect("units").iter();
        names.map(|name| unit_named(name.as_str().expect("a name"))).collect()
    };
    let whole = |key: &str| row[key].as_u64().expect("a number");
    let (lease, ticket) = (|| whole("lease"), || whole("ticket"));
    let images = || (whole("first") as u32, whole("count") as u32);
    let flag = |key: &str| row[key].as_bool().expect("true or false");
    let what = match row["ev"].as_str().expect("an event") {
        "ready" => What::Ready { job: job(), ticket: ticket() },
        "evict" => {
            let name = row["model"].as_str().expect("a model");
            let model = line.models.iter().position(|model| model.name == name);
            What::Evict { unit: unit(), model: model.expect("a model") as u32 }
        }
        "grant" => What::Grant {
            job: job(),
            lease: lease(),
            units: units(),
            ticket: ticket(),
            cold: flag("cold"),
            fallback: flag("fallback"),
            why: Some(format!("ticket {} was the lowest", ticket())),
        },
        "start" => What::Start { job: job(), lease: lease(), first: images().0, count: images().1 },
        "done" => What::Done { job: job(), lease: lease(), first: images().0, count: images().1 },
        "fail" => What::Fail { job: job(), lease: lease(), first: images().0, count: images().1 },
        "revoke" => What::Revoke { job: job(), lease: lease(), cause: cause(&row["cause"]) },
        "release" => What::Release { job: job(), lease: lease(), units: units() },
        "end" => end(line, job(), row),
        "unit" => What::Unit { unit: unit(), state: unit_state(&row["state"]) },
        other => panic!("not an event: {other}"),
    };
    Entry { t: whole("t"), what }
}

fn cause(word: &Value) -> RevokeCause {
    match word.as_str() {
        Some("timeout") => RevokeCause::Timeout,
        Some("cancel") => RevokeCause::Cancel,
        Some("skipped") => RevokeCause::Skipped,
        Some("failed") => RevokeCause::Failed,
        Some("device") => RevokeCause::Device,
        Some("circle") => RevokeCause::Circle,
        other => panic!("not a cause: {other:?}"),
    }
}

fn unit_state(word: &Value) -> UnitState {
    match word.as_str() {
        Some("up") => UnitState::Up,
        Some("draining") => UnitState::Draining,
        Some("down") => UnitState::Down,
        other => panic!("not a state: {other:?}"),
    }
}

fn end(line: &Line, job: u32, row: &Value) -> What {
    let end = match (row["state"].as_str(), row["cause"].as_str()) {
        (Some("done"), None) => End::Done,
        (Some("cancelled"), Some("cancel")) => End::Cancelled,
        (Some("failed"), Some("error")) => End::Failed(FailCause::Error),
        (Some("failed"), Some("timeout")) => End::Failed(FailCause::Timeout),
        (Some("failed"), Some("device")) => End::Failed(FailCause::Device),
        (Some("skipped"), Some(name)) => {
            let upstream = line.jobs.iter().position(|job| job.name == name);
            End::Skipped { upstream: upstream.expect("a job") as u32 }
        }
        other => panic!("not an end: {other:?}"),
    };
    What::End { job, end }
}
