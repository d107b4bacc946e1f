use std::collections::BTreeMap;

use lineside_report::{perfetto, summary};
use serde_json::Value;

use crate::support;

/// A time in nanoseconds, from microseconds that are exact to the nanosecond.
fn ns(value: &Value) -> u64 {
    let text = value.to_string();
    let (whole, part) = text.split_once('.').unwrap_or((&text, ""));
    let whole: u64 = whole.parse().expect("digits");
    let part: u64 = format!("{part:0<3}")[..3].parse().expect("digits");
    whole * 1000 + part
}

fn events(text: &str) -> Vec<Value> {
    let trace: Value = serde_json::from_str(text).expect("JSON");
    trace["traceEvents"].as_array().expect("events").clone()
}

/// Slices by process and thread: from, to, category.
type Threads = BTreeMap<(u64, u64), Vec<(u64, u64, String)>>;

fn slices(events: &[Value]) -> Threads {
    let mut threads = Threads::new();
    for event in events.iter().filter(|event| event["ph"] == "X") {
        let thread = (event["pid"].as_u64().expect("pid"), event["tid"].as_u64().expect("tid"));
        let (from, category) = (ns(&event["ts"]), event["cat"].as_str().expect("a category"));
        let slice = (from, from + ns(&event["dur"]), category.to_string());
        threads.entry(thread).or_default().push(slice);
    }
    threads.values_mut().for_each(|slices| slices.sort());
    threads
}

fn thread_names(events: &[Value]) -> BTreeMap<(u64, u64), String> {
    let names = events.iter().filter(|event| event["name"] == "thread_name");
    names
        .map(|event| {
            let thread = (event["pid"].as_u64().expect("pid"), event["tid"].as_u64().expect("tid"));
            (thread, event["args"]["name"].as_str().expect("a name").to_string())
        })
        .collect()
}

#[test]
fn on_no_thread_do_slices_overlap() {
    for (name, line, record) in support::cases() {
        for (thread, slices) in slices(&events(&perfetto(&line, &record))) {
            for pair in slices.windows(2) {
                assert!(pair[0].1 <= pair[1].0, "{name}: {thread:?} {pair:?}");
            }
        }
    }
}

#[test]
fn slices_add_up_to_the_busy_and_starved_time_of_each_unit() {
    for (name, line, record) in support::cases() {
        let events = events(&perfetto(&line, &record));
        let (slices, names) = (slices(&events), thread_names(&events));
        let numbers = summary(&line, &record);
        for (unit, spec) in numbers.units.iter().zip(&line.units).filter(|(_, it)| it.slots == 1) {
            let is = |(thread, name): (&(u64, u64), &String)| {
                (thread.0 > 1 && *name == unit.name).then_some(*thread)
            };
            let thread = names.iter().find_map(is).expect("a thread of that name");
            let sum = |category: &str| -> u64 {
                let mine = slices.get(&thread).into_iter().flatten();
                mine.filter(|it| it.2 == category).map(|it| it.1 - it.0).sum()
            };
            assert_eq!(sum("busy"), unit.busy_ns, "{name}: {}", spec.name);
            assert_eq!(sum("starved"), unit.starved_ns, "{name}: {}", spec.name);
        }
    }
}

#[test]
fn arrows_leave_and_arrive_in_a_slice() {
    let mut arrows = 0;
    for (name, line, record) in support::cases() {
        let events = events(&perfetto(&line, &record));
        let slices = slices(&events);
        for event in events.iter().filter(|it| it["ph"] == "s" || it["ph"] == "f") {
            let thread = (event["pid"].as_u64().expect("pid"), event["tid"].as_u64().expect("tid"));
            let t = ns(&event["ts"]);
            let held = |slice: &(u64, u64, String)| slice.0 <= t && t <= slice.1;
            assert!(slices[&thread].iter().any(held), "{name}: {event}");
            arrows += 1;
        }
    }
    assert!(arrows > 100, "{arrows}");
}

#[test]
fn slices_of_a_gpu_are_threads_of_one_process() {
    let (line, record) = support::case("09-mig-slices");
    let events = events(&perfetto(&line, &record));
    let names = thread_names(&events);
    let pids: Vec<u64> = names
        .iter()
        .filter(|(_, name)| name.starts_with("gpu0/"))
        .map(|((pid, _), _)| *pid)
        .collect();
    assert_eq!(pids.len(), 4);
    assert!(pids.iter().all(|pid| *pid == pids[0]));
}

#[test]
fn free_memory_is_what_leases_and_models_leave() {
    let (line, record) = support::case("11-warm-models");
    let events = events(&perfetto(&line, &record));
    let free = |event: &&Value| event["name"] == "free memory of gpu0";
    let values: Vec<(u64, u64)> = events
        .iter()
        .filter(free)
        .map(|event| (ns(&event["ts"]), event["args"]["bytes"].as_u64().expect("bytes")))
        .collect();
    // 10 GiB less a tenth; then 2 GiB for the job and 4 GiB for its model.
    assert_eq!(values[0], (0, (9 << 30) - (6 << 30)));
    assert!(values.windows(2).all(|pair| pair[0].0 < pair[1].0));
    assert!(values.iter().all(|(_, bytes)| *bytes <= 9 << 30));
}

#[test]
fn the_queue_is_counted() {
    let (line, record) = support::case("01-standard-fifo");
    let events = events(&perfetto(&line, &record));
    let queue = events.iter().filter(|event| event["name"] == "queue length");
    let lengths: Vec<u64> =
        queue.map(|event| event["args"]["jobs"].as_u64().expect("a number")).collect();
    assert_eq!(lengths.iter().max(), Some(&1));
    assert_eq!(lengths.last(), Some(&0));
}
