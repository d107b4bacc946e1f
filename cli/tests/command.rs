//! The command, as a user types it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

fn lineside(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lineside"));
    command.args(arguments).current_dir(scratch()).output().expect("it starts")
}

fn scratch() -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
}

/// A folder of its own for a test, empty.
fn folder(name: &str) -> PathBuf {
    let folder = scratch().join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    folder
}

fn case(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/cases").join(name);
    path.to_str().expect("UTF-8").to_owned()
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).expect("stdout is JSON and nothing else")
}

#[test]
fn the_summary_has_every_figure() {
    let output = lineside(&["plan", &case("08-prefetch-depth.toml"), "--json"]);
    let summary = json(&output);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(summary["units"][1]["name"], "gpu0");
    for key in ["busy_ns", "held_ns", "starved_ns", "utilization"] {
        assert!(summary["units"][1][key].is_number(), "{key}");
    }
    let train = &summary["jobs"][1];
    assert_eq!((&train["name"], &train["state"]), (&"train".into(), &"done".into()));
    for key in ["images", "grants", "wait_ns", "wait_max_ns", "first_start_ns", "end_ns", "cold"] {
        assert!(train[key].is_number(), "{key}");
    }
    for key in ["mean", "p50", "p95", "max"] {
        assert!(summary["wait_ns"][key].is_number(), "{key}");
    }
    assert_eq!(summary["stuck"], Value::Array(Vec::new()));
}

#[test]
fn a_stuck_job_is_named_with_its_reason_and_the_code_is_3() {
    let output = lineside(&["plan", &case("16-cpu-fallback.toml"), "--json"]);
    assert_eq!(output.status.code(), Some(3));
    let stuck = &json(&output)["stuck"][0];
    assert_eq!(stuck["job"], "must");
    assert!(stuck["reason"].as_str().is_some_and(|reason| reason.contains("gpu0 is down")));
}

#[test]
fn a_plan_writes_only_what_it_was_asked_for() {
    let folder = folder("plan-writes");
    let file = case("21-yolo-dag.toml");
    let run = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lineside"));
        command.arg("plan").arg(&file).args(arguments).current_dir(&folder).status().expect("runs")
    };
    let names = || {
        let entries = fs::read_dir(&folder).expect("the folder").flatten();
        let mut names: Vec<_> = entries.map(|entry| entry.file_name()).collect();
        names.sort();
        names
    };
    assert!(run(&[]).success());
    assert!(names().is_empty());
    let all =
        ["--gantt", "g.svg", "--report", "r.html", "--perfetto", "p.json", "--trace", "t.jsonl"];
    assert!(run(&all).success());
    assert_eq!(names(), ["g.svg", "p.json", "r.html", "t.jsonl"]);
    let expected = fs::read(case("21-yolo-dag.jsonl")).expect("the trace");
    assert_eq!(fs::read(folder.join("t.jsonl")).expect("it was written"), expected);
}

#[test]
fn every_fault_of_a_file_is_told_at_once_with_its_place() {
    let folder = folder("faults");
    let text = "[policy]\norder = \"random\"\n[[device]]\nname = \"g\"\nmemory = \"8 GiB\"\n\
                [[job]]\nname = \"a\"\nprioritty = 3\n[[job]]\nname = \"a\"\nbatch = 0\n";
    fs::write(folder.join("line.toml"), text).expect("written");
    let path = folder.join("line.toml");
    let output = lineside(&["check", path.to_str().expect("UTF-8"), "--json"]);
    assert_eq!(output.status.code(), Some(2));
    let faults = json(&output);
    let places = |fault: &Value| fault["line"].as_u64();
    let lines: Vec<u64> = faults.as_array().expect("a list").iter().filter_map(places).collect();
    assert_eq!(lines, [2, 5, 8, 10, 11]);
}

#[test]
fn it_explains_who_holds_what_a_job_waits_for() {
    let output = lineside(&["explain", &case("01-standard-fifo.toml"), "S2"]);
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    assert_eq!(output.status.code(), Some(0));
    assert!(text.contains("gpu0 is leased to `S1`"), "{text}");
    assert!(text.contains("granted gpu0"), "{text}");
    let unknown = lineside(&["explain", &case("01-standard-fifo.toml"), "S9"]);
    assert_eq!(unknown.status.code(), Some(2));
}

#[test]
fn a_file_that_is_not_there_is_refused() {
    let output = lineside(&["plan", "no-such-file.toml"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty());
    assert!(String::from_utf8_lossy(&output.stderr).contains("no-such-file.toml"));
}

#[test]
fn a_line_that_asks_for_what_is_not_here_is_refused_before_anything_starts() {
    let folder = folder("absent");
    let line = folder.join("line.toml");
    fs::write(&line, "[[device]]\nname = \"gpu0\"\nmemory = \"8GiB\"\n[[job]]\nname = \"a\"\n")
        .expect("written");
    let out = folder.join("out");
    let arguments = ["run", line.to_str().expect("UTF-8"), "--out", out.to_str().expect("UTF-8")];
    let output = lineside(&arguments);
    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(text.contains("`a`") && text.contains("gpu0"), "{text}");
    assert!(!out.exists());
}

#[test]
fn a_job_without_a_kernel_takes_the_time_that_it_is_planned_to_take() {
    let folder = folder("sleeps");
    let line = folder.join("line.toml");
    let text = "[[device]]\nname = \"cpu\"\nplace = \"cpu\"\nmemory = \"1GiB\"\n\
                [[job]]\nname = \"a\"\nneeds = \"cpu\"\nimages = 3\ntime = \"20ms\"\n";
    fs::write(&line, text).expect("written");
    let out = folder.join("out");
    let arguments =
        ["run", line.to_str().expect("UTF-8"), "--json", "--out", out.to_str().expect("UTF-8")];
    let output = lineside(&arguments);
    assert_eq!(output.status.code(), Some(0));
    assert!(json(&output)["makespan_ns"].as_u64().is_some_and(|time| time >= 60_000_000));
    for file in ["trace.jsonl", "gantt.svg", "report.html", "results"] {
        assert!(out.join(file).exists(), "{file}");
    }
}
