//! Changes of a line file that leave most of it as it was.

use toml::{Table, Value};

use crate::generate::Random;

/// Keys of each kind of table, also such that it does not have.
const KEYS: [(&str, &[&str]); 6] = [
    ("policy", &["order", "placement", "overtake", "patience", "fallback", "pool", "headroom"]),
    ("device", &["name", "place", "memory", "slots", "gpu", "mig"]),
    ("model", &["name", "weights", "cold"]),
    ("stream", &["name", "limit"]),
    ("job", &JOB_KEYS),
    ("fault", &["at", "unit", "job", "event"]),
];

const JOB_KEYS: [&str; 26] = [
    "name", "kind", "phase", "images", "batch", "inflight", "threads", "priority", "memory",
    "gpus", "needs", "profile", "model", "stream", "after", "time", "startup", "cpu_time",
    "arrive", "every", "timeout", "retries", "fallback", "inject", "oder", "limit",
];

const WORDS: [&str; 40] = [
    "standard",
    "legacy",
    "train",
    "process",
    "gpu",
    "cuda",
    "vulkan",
    "cpu",
    "any",
    "allow",
    "forbid",
    "keep",
    "free",
    "fit",
    "balance",
    "rotate",
    "pack",
    "standard-first",
    "fifo",
    "oldest-image",
    "critical-path",
    "down",
    "up",
    "drain",
    "cancel",
    "barrier",
    "stream",
    "success",
    "end",
    "d0",
    "d1/0",
    "j0",
    "j1",
    "m0",
    "s0",
    "1g.5gb",
    "2g.10gb",
    "A100-40GB",
    "",
    "cud",
];

const AMOUNTS: [&str; 14] = [
    "0ms",
    "1ms",
    "5ms",
    "1ns",
    "0s",
    "1h",
    "1281023894h",
    "4611686018427387904ns",
    "0B",
    "1GiB",
    "8GiB",
    "8GB",
    "1 ms",
    "16777216TiB",
];

const NUMBERS: [i64; 19] =
    [0, 1, 2, 3, 4, 5, 8, 16, 63, 64, 65, 100, 101, 127, 128, -1, -128, -129, 4_294_967_295];

/// Makes one change.
pub fn mutate(file: &mut Table, random: &mut Random) {
    let (kind, keys) = random.pick(&KEYS);
    match random.below(10) {
        0 => drop_key(file, kind, random),
        1 => duplicate(file, kind, random),
        2 => drop_table(file, kind, random),
        3 => swap(file, kind, random),
        4 => copy_key(file, kind, random),
        5 => add_edge(file, random),
        6 => add_fault(file, random),
        _ => set_key(file, kind, keys, random),
    }
}

fn tables<'f>(file: &'f mut Table, kind: &str) -> Option<&'f mut Vec<Value>> {
    file.get_mut(kind)?.as_array_mut().filter(|tables| !tables.is_empty())
}

/// Some table of a kind.
fn table<'f>(file: &'f mut Table, kind: &str, random: &mut Random) -> Option<&'f mut Table> {
    if kind == "policy" {
        let policy = file.entry("policy").or_insert_with(|| Value::Table(Table::new()));
        return policy.as_table_mut();
    }
    let tables = tables(file, kind)?;
    let at = random.below(tables.len() as u64) as usize;
    tables[at].as_table_mut()
}

fn drop_key(file: &mut Table, kind: &str, random: &mut Random) {
    let Some(table) = table(file, kind, random).filter(|table| !table.is_empty()) else { return };
    let at = random.below(table.len() as u64) as usize;
    let key = table.keys().nth(at).cloned();
    key.map(|key| table.remove(&key));
}

fn duplicate(file: &mut Table, kind: &str, random: &mut Random) {
    let Some(mut copy) = table(file, kind, random).cloned() else { return };
    if random.chance(80) {
        let name = Value::String(format!("copy{}", random.below(4)));
        copy.insert("name".to_owned(), name);
    }
    if let Some(tables) = tables(file, kind) {
        tables.push(Value::Table(copy));
    }
}

fn drop_table(file: &mut Table, kind: &str, random: &mut Random) {
    if let Some(tables) = tables(file, kind) {
        let at = random.below(tables.len() as u64) as usize;
        tables.remove(at);
    }
}

fn swap(file: &mut Table, kind: &str, random: &mut Random) {
    if let Some(tables) = tables(file, kind) {
        let count = tables.len() as u64;
        tables.swap(random.below(count) as usize, random.below(count) as usize);
    }
}

/// A key goes from one table to another of the same kind.
fn copy_key(file: &mut Table, kind: &str, random: &mut Random) {
    let Some(from) = table(file, kind, random).filter(|table| !table.is_empty()).cloned() else {
        return;
    };
    let at = random.below(from.len() as u64) as usize;
    let entry = from.into_iter().nth(at);
    if let (Some((key, value)), Some(to)) = (entry, table(file, kind, random)) {
        to.insert(key, value);
    }
}

fn set_key(file: &mut Table, kind: &str, keys: &[&str], random: &mut Random) {
    let key = random.pick(keys);
    let value = value(key, random);
    if let Some(table) = table(file, kind, random) {
        table.insert(key.to_owned(), value);
    }
}

/// A value that a key could have, or not.
fn value(key: &str, random: &mut Random) -> Value {
    if random.chance(10) {
        let list = (0..random.below(4)).map(|_| scalar(key, random));
        return Value::Array(list.collect());
    }
    scalar(key, random)
}

fn scalar(key: &str, random: &mut Random) -> Value {
    let is_amount = ["time", "startup", "arrive", "every", "timeout", "patience", "cold", "at"];
    let is_number = ["images", "batch", "inflight", "threads", "gpus", "slots", "limit", "retries"];
    let kind = match () {
        () if random.chance(10) => random.below(3),
        () if is_amount.contains(&key) || ["memory", "weights", "cpu_time"].contains(&key) => 0,
        () if is_number.contains(&key) || ["priority", "overtake", "headroom"].contains(&key) => 1,
        () => 2,
    };
    match kind {
        0 => Value::String(random.pick(&AMOUNTS).to_owned()),
        1 => Value::Integer(random.pick(&NUMBERS)),
        _ => Value::String(random.pick(&WORDS).to_owned()),
    }
}

/// One more edge into some job.
fn add_edge(file: &mut Table, random: &mut Random) {
    let jobs = tables(file, "job").map_or(Vec::new(), |jobs| jobs.clone());
    let names: Vec<Value> = jobs.iter().filter_map(|job| job.get("name").cloned()).collect();
    if names.is_empty() {
        return;
    }
    let upstream = names[random.below(names.len() as u64) as usize].clone();
    let mut edge = Table::new();
    edge.insert("job".to_owned(), upstream);
    if random.chance(60) {
        let mode = random.pick(&["stream", "stream", "barrier"]).to_owned();
        edge.insert("mode".to_owned(), Value::String(mode));
    }
    if random.chance(40) {
        edge.insert("depth".to_owned(), Value::Integer(random.pick(&[0, 1, 1, 2, 3])));
    }
    if random.chance(20) {
        let on = random.pick(&["end", "success"]).to_owned();
        edge.insert("on".to_owned(), Value::String(on));
    }
    if let Some(job) = table(file, "job", random) {
        let after = job.entry("after").or_insert_with(|| Value::Array(Vec::new()));
        after.as_array_mut().into_iter().for_each(|after| after.push(Value::Table(edge.clone())));
    }
}

fn add_fault(file: &mut Table, random: &mut Random) {
    let event = random.pick(&["down", "up", "drain", "cancel"]);
    let (kind, key) = if event == "cancel" { ("job", "job") } else { ("device", "unit") };
    let target = table(file, kind, random).and_then(|table| table.get("name").cloned());
    let Some(target) = target else { return };
    let mut fault = Table::new();
    fault.insert("at".to_owned(), Value::String(format!("{}ms", random.below(40))));
    fault.insert("event".to_owned(), Value::String(event.to_owned()));
    fault.insert(key.to_owned(), target);
    let faults = file.entry("fault").or_insert_with(|| Value::Array(Vec::new()));
    faults.as_array_mut().into_iter().for_each(|faults| faults.push(Value::Table(fault.clone())));
}
