//! What is taken, but told.

use super::{places, taken};

const DEVICE: &str = "[[device]]\nname = \"g\"\nmemory = \"8GiB\"\n";
const CPU: &str = "[[device]]\nname = \"c\"\nplace = \"cpu\"\nmemory = \"8GiB\"\n";

fn warned(text: &str) -> Vec<String> {
    places(&taken(text).warnings)
}

const NONE: [&str; 0] = [];

/// A loader and a trainer over a stream edge, on some devices; the edge is on the last line.
fn pair(devices: &str, load: &str, train: &str, edge: &str) -> Vec<String> {
    let text = format!(
        "{devices}[[job]]\nname = \"l\"\nimages = 9\n{load}\n[[job]]\nname = \"t\"\nimages = 9\n\
         phase = \"train\"\n{train}\nafter = [{{ job = \"l\", mode = \"stream\"{edge} }}]\n"
    );
    let mut warned = warned(&text);
    warned.retain(|warning| warning.starts_with("circle"));
    warned
}

#[test]
fn circles_are_told_where_they_may_arise() {
    let legacy = "kind = \"legacy\"";
    assert_eq!(pair(DEVICE, legacy, "", ""), ["circle 13:10"]);
    // On a unit of its own the loader goes on.
    let cpu = format!("{DEVICE}{CPU}");
    assert_eq!(pair(&cpu, "kind = \"legacy\"\nneeds = \"cpu\"", "", ""), NONE);
    // With a second GPU, or room for both, too.
    let second = DEVICE.replace("\"g\"", "\"h\"");
    assert_eq!(pair(&format!("{DEVICE}{second}"), legacy, "", ""), NONE);
    let slots = format!("{DEVICE}slots = 2\n");
    assert_eq!(pair(&slots, legacy, "", ""), NONE);
    assert_eq!(
        pair(&slots, "kind = \"legacy\"\nmemory = \"4GiB\"", "memory = \"4GiB\"", "").len(),
        1
    );
    // A whole-grain loader keeps its unit, unless a full queue or a failure takes it.
    assert_eq!(pair(DEVICE, "", "", ""), NONE);
    assert_eq!(pair(DEVICE, "", "", ", depth = 2").len(), 1);
    assert_eq!(pair(DEVICE, "", "", ", depth = 9"), NONE);
    assert_eq!(pair(DEVICE, "retries = 1", "", "").len(), 1);
}

#[test]
fn circles_of_streams_are_told() {
    let second = DEVICE.replace("\"g\"", "\"h\"");
    let devices = format!("{DEVICE}{second}[[stream]]\nname = \"s\"\nlimit = 1\n");
    let load = "kind = \"legacy\"\nstream = \"s\"";
    assert_eq!(pair(&devices, load, "stream = \"s\"", "").len(), 1);
    assert_eq!(pair(&devices.replace("= 1", "= 2"), load, "stream = \"s\"", ""), NONE);
    assert_eq!(pair(&devices.replace("limit = 1", ""), load, "stream = \"s\"", ""), NONE);
}

#[test]
fn what_changes_nothing_is_told() {
    let job = |keys: &str| warned(&format!("{DEVICE}[[job]]\nname = \"a\"\n{keys}\n"));
    assert_eq!(job("inflight = 2"), ["no-effect 6:12"]);
    assert_eq!(job("inflight = 1"), NONE);
    assert_eq!(job("inflight = 2\nkind = \"legacy\""), NONE);
    assert_eq!(job("images = 2\ntime = [\"1s\", \"2s\", \"3s\"]"), ["no-effect 7:8"]);
    assert_eq!(job("cpu_time = \"1s\""), ["no-effect 6:12"]);
    assert_eq!(job("fallback = \"allow\""), ["no-effect 6:12"]);
    assert_eq!(job("fallback = \"forbid\""), NONE);
    assert_eq!(job("needs = \"any\"\nfallback = \"allow\""), ["no-effect 7:12"]);
    let cpu = format!("{DEVICE}{CPU}[[job]]\nname = \"a\"\n");
    assert_eq!(warned(&format!("{cpu}cpu_time = \"1s\"\nfallback = \"allow\"\n")), NONE);
    assert_eq!(warned(&format!("{cpu}cpu_time = \"1s\"\n")), ["no-effect 10:12"]);
    assert_eq!(
        warned(&format!("[policy]\nfallback = \"allow\"\n{DEVICE}")),
        ["no-jobs 1:1", "no-effect 2:12"]
    );
    assert_eq!(
        warned(&format!(
            "{DEVICE}[[model]]\nname = \"m\"\n[[stream]]\nname = \"s\"\n[[job]]\nname = \"a\"\n"
        )),
        ["unused 5:8", "unused 7:8"]
    );
}

#[test]
fn timeouts_that_always_come_are_told() {
    let job = |keys: &str| warned(&format!("{DEVICE}[[job]]\nname = \"a\"\n{keys}\n"));
    assert_eq!(job("time = \"2s\"\ntimeout = \"1s\""), ["always-times-out 7:11"]);
    assert_eq!(job("time = \"1s\"\ntimeout = \"1s\""), NONE);
    assert_eq!(
        job("time = \"1s\"\nstartup = \"1ns\"\ntimeout = \"1s\""),
        ["always-times-out 8:11"]
    );
    let second = "images = 2\ntime = [\"0s\", \"1s\"]\nstartup = \"1ns\"\ntimeout = \"1s\"";
    assert_eq!(job(second), NONE);
    assert_eq!(job(&format!("{second}\nkind = \"legacy\"")), ["always-times-out 9:11"]);
}

#[test]
fn forgotten_memory_and_doubled_edges_are_told() {
    let text = format!("[[device]]\nname = \"f\"\n{DEVICE}[[job]]\nname = \"a\"\nmemory = 1\n");
    assert_eq!(warned(&text), ["no-memory 2:8"]);
    let text = format!("[[device]]\nname = \"f\"\n{DEVICE}[[job]]\nname = \"a\"\n");
    assert_eq!(warned(&text), NONE);
    let text = format!(
        "{DEVICE}[[job]]\nname = \"a\"\n[[job]]\nname = \"b\"\nafter = [\"a\", {{ job = \"a\" }}]\n"
    );
    assert_eq!(warned(&text), ["duplicate-edge 8:15"]);
}
