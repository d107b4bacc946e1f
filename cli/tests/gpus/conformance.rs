//! One suite for every place: what must be so wherever a line runs.

use std::fs;

use crate::support::{ONE, On, boards, command, folder, is_here, run};

const PLACES: [On; 3] = [On::Host, On::Vulkan, On::Cuda];

#[test]
fn the_inspection_finds_the_same_to_the_last_pixel_wherever_it_runs() {
    let folder = folder("same");
    let line = boards(&folder, ONE, "");
    let mut tables = Vec::new();
    for on in PLACES.into_iter().filter(|on| is_here(*on)) {
        let ran = run(on, &line, &format!("same-{on:?}"), "");
        assert_eq!(ran.code, Some(0), "{on:?}: {}", ran.stderr);
        for job in ["load", "detect", "classify"] {
            ran.check_done_once(job, 6);
        }
        ran.check_clean();
        if on != On::Host {
            let on_gpu = |event: &&serde_json::Value| event["units"][0] == "gpu0";
            let grants = ran.events("grant").into_iter().filter(on_gpu).count();
            assert_eq!(grants, 12, "both tools run on the GPU");
        }
        let found = fs::read(ran.out.join("results/defects.csv")).expect("the defects");
        tables.push((on, found));
    }
    for (on, found) in &tables {
        assert_eq!(found, &tables[0].1, "{on:?}");
    }
}

#[test]
fn a_batch_is_taken_through_together() {
    let folder = folder("batch");
    let line = boards(&folder, ONE, "batch = 4\ninflight = 2\nthreads = 2");
    for on in PLACES.into_iter().filter(|on| is_here(*on)) {
        let ran = run(on, &line, &format!("batch-{on:?}"), "");
        assert_eq!(ran.code, Some(0), "{on:?}: {}", ran.stderr);
        ran.check_done_once("detect", 6);
        ran.check_clean();
    }
}

/// A line of jobs that only take time: what happens on it does not depend on where it runs.
const SLEEPERS: &str = "[[device]]\nname = \"gpu0\"\nmemory = \"1GiB\"\n\
    [[job]]\nname = \"a\"\nkind = \"legacy\"\nimages = 4\ntime = \"10ms\"\nmemory = \"1MiB\"\n\
    [[job]]\nname = \"b\"\nkind = \"legacy\"\nimages = 4\ntime = \"10ms\"\nafter = [\"a\"]\n\
    [[job]]\nname = \"c\"\nimages = 2\ntime = \"10ms\"\nafter = [\"b\"]\n";

#[test]
fn every_place_does_the_same_in_the_same_order() {
    let folder = folder("order");
    let line = folder.join("line.toml");
    fs::write(&line, SLEEPERS).expect("written");
    let mut traces: Vec<(On, Vec<String>)> = Vec::new();
    let planned = command(On::Sim, "").arg("plan").arg(&line).args(["--trace", "-"]).output();
    let planned = String::from_utf8(planned.expect("it starts").stdout).expect("UTF-8");
    traces.push((On::Sim, planned.lines().map(without_time).collect()));
    for on in [On::Vulkan, On::Cuda].into_iter().filter(|on| is_here(*on)) {
        let ran = run(on, &line, &format!("order-{on:?}"), "");
        assert_eq!(ran.code, Some(0), "{on:?}: {}", ran.stderr);
        let trace = fs::read_to_string(ran.out.join("trace.jsonl")).expect("the trace");
        traces.push((on, trace.lines().map(without_time).collect()));
    }
    for (on, trace) in &traces {
        assert_eq!(trace, &traces[0].1, "{on:?}");
    }
}

/// An event without its time, and without what follows the keys of the rules.
fn without_time(line: &str) -> String {
    let mut event: serde_json::Value = serde_json::from_str(line).expect("JSON");
    let event = event.as_object_mut().expect("an object");
    event.remove("t");
    event.remove("why");
    serde_json::to_string(&event).expect("JSON")
}

#[test]
fn what_a_tool_keeps_on_a_unit_goes_when_another_needs_the_room() {
    let folder = folder("room");
    let line = boards(&folder, "[[device]]\nname = \"gpu0\"\nmemory = \"10MB\"\n", "");
    // Each has room by itself, and both together have not.
    let text = fs::read_to_string(&line).expect("the line");
    let text = text.replace("\"64MB\"", "\"8500kB\"").replace("\"16MB\"", "\"2MB\"");
    fs::write(&line, text).expect("written");
    for on in [On::Vulkan, On::Cuda].into_iter().filter(|on| is_here(*on)) {
        let ran = run(on, &line, &format!("room-{on:?}"), "");
        assert_eq!(ran.code, Some(0), "{on:?}: {}", ran.stderr);
        assert!(ran.events("fail").is_empty());
        ran.check_clean();
    }
}
