//! Reads the cases of the rules: enough of the line file for a report, and the whole trace.

use std::fs;
use std::path::{Path, PathBuf};

use lineside_line::trace::{End, FailCause, RevokeCause, UnitState};
use lineside_line::{Edge, Fallback, Job, Kind, Line, Mode, Model, Needs, On, Phase, Place, Pool};
use lineside_report::{Entry, Record, What};
use serde_json::Value;
use toml::Table;

use super::made;

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
    let mut line = read_line(&read("toml"));
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

fn read_line(text: &str) -> Line {
    let file: Table = text.parse().expect("TOML");
    let tables = |key: &str| -> Vec<Table> {
        let list = file.get(key).and_then(|list| list.as_array()).cloned().unwrap_or_default();
        list.into_iter().map(|table| table.as_table().expect("a table").clone()).collect()
    };
    let mut line = Line::default();
    if let Some(policy) = file.get("policy").and_then(|policy| policy.as_table()) {
        line.policy.patience = policy.get("patience").and_then(|it| it.as_str()).map(duration);
        if policy.get("pool").and_then(|it| it.as_str()) == Some("free") {
            line.policy.pool = Pool::Free;
        }
    }
    for device in tables("device") {
        add_units(&mut line, &device);
    }
    for model in tables("model") {
        let (name, weights) = (text_of(&model, "name"), bytes(&model, "weights"));
        let cold = time(&model, "cold");
        line.models.push(Model { name, weights, cold, file: None });
    }
    let mut rest = tables("job");
    while !rest.is_empty() {
        let placed = |table: &Table| {
            let ups = upstreams(table);
            ups.iter().all(|(up, _)| line.jobs.iter().any(|job| job.name == *up))
        };
        let next = rest.iter().position(placed).expect("no cycle");
        let table = rest.remove(next);
        let job = read_job(&line, &table);
        line.jobs.push(job);
    }
    line
}

fn add_units(line: &mut Line, device: &Table) {
    let name = text_of(device, "name");
    let mut base = made::unit(&name);
    base.memory = bytes(device, "memory");
    base.budget = base.memory - base.memory / 10;
    base.slots = number(device, "slots", 1) as u32;
    match device.get("place").and_then(|place| place.as_str()) {
        Some("cpu") => (base.place, base.budget) = (Place::Cpu, base.memory),
        Some("vulkan") => base.place = Place::Vulkan,
        _ => {}
    }
    let Some(slices) = device.get("mig").and_then(|slices| slices.as_array()) else {
        line.units.push(base);
        return;
    };
    for (at, profile) in slices.iter().enumerate() {
        let profile = profile.as_str().expect("a profile").to_string();
        let known = line.profiles.iter().position(|it| *it == profile).unwrap_or_else(|| {
            line.profiles.push(profile.clone());
            line.profiles.len() - 1
        });
        let mut slice = base.clone();
        slice.name = format!("{name}/{at}");
        slice.profile = Some(known as u32);
        line.units.push(slice);
    }
}

fn upstreams(table: &Table) -> Vec<(String, Table)> {
    let list = table.get("after").and_then(|list| list.as_array()).cloned().unwrap_or_default();
    let one = |edge: &toml::Value| match edge {
        toml::Value::String(job) => (job.clone(), Table::new()),
        toml::Value::Table(edge) => (text_of(edge, "job"), edge.clone()),
        other => panic!("not an edge: {other}"),
    };
    list.iter().map(one).collect()
}

fn read_job(line: &Line, table: &Table) -> Job {
    let mut job = made::job(&text_of(table, "name"));
    let is = |key: &str, word: &str| table.get(key).and_then(|it| it.as_str()) == Some(word);
    job.kind = if is("kind", "legacy") { Kind::Legacy } else { Kind::Standard };
    job.phase = if is("phase", "train") { Phase::Train } else { Phase::Process };
    job.images = number(table, "images", 1) as u32;
    job.batch = number(table, "batch", 1) as u32;
    job.inflight = number(table, "inflight", 1) as u32;
    job.priority = number(table, "priority", 0) as i8;
    job.gpus = number(table, "gpus", 1) as u32;
    job.memory = bytes(table, "memory");
    job.arrive = time(table, "arrive");
    job.every = table.get("every").map(|_| time(table, "every"));
    job.needs = match table.get("needs").and_then(|needs| needs.as_str()) {
        Some("cpu") => Needs::Cpu,
        Some("any") => Needs::Any,
        _ => Needs::Gpu,
    };
    job.fallback = if is("fallback", "allow") { Fallback::Allow } else { Fallback::Forbid };
    let named = |key: &str| table.get(key).and_then(|it| it.as_str());
    job.model = named("model")
        .map(|name| line.models.iter().position(|it| it.name == name).expect("a model") as u32);
    for (up, edge) in upstreams(table) {
        let upstream = line.jobs.iter().position(|it| it.name == up).expect("placed") as u32;
        let on = if edge.get("on").is_some() { On::End } else { On::Success };
        let both = line.jobs[upstream as usize].image_grain() && job.image_grain();
        let mode = match edge.get("mode").and_then(|mode| mode.as_str()) {
            Some("stream") => Mode::Stream,
            None if both && on == On::Success => Mode::Stream,
            _ => Mode::Barrier,
        };
        job.after.push(Edge { upstream, mode, depth: number(&edge, "depth", 0) as u32, on });
    }
    job
}

fn text_of(table: &Table, key: &str) -> String {
    table[key].as_str().expect("text").to_string()
}

fn number(table: &Table, key: &str, default: i64) -> i64 {
    table.get(key).and_then(|value| value.as_integer()).unwrap_or(default)
}

fn time(table: &Table, key: &str) -> u64 {
    table.get(key).and_then(|value| value.as_str()).map_or(0, duration)
}

fn duration(text: &str) -> u64 {
    let at = text.find(|c: char| !c.is_ascii_digit()).expect("a unit");
    let unit = match &text[at..] {
        "ns" => 1,
        "us" => 1_000,
        "ms" => 1_000_000,
        "s" => 1_000_000_000,
        other => panic!("not a unit of the cases: {other}"),
    };
    text[..at].parse::<u64>().expect("digits") * unit
}

fn bytes(table: &Table, key: &str) -> u64 {
    match table.get(key) {
        Some(toml::Value::Integer(bytes)) => *bytes as u64,
        Some(toml::Value::String(text)) => {
            let at = text.find(|c: char| !c.is_ascii_digit()).expect("a unit");
            let power = "BkKMGT".find(&text[at..=at]).expect("a unit of memory").saturating_sub(1);
            text[..at].parse::<u64>().expect("digits") << (10 * power.min(4))
        }
        _ => 0,
    }
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
