//! The command, as a user types it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

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

/// A line of one job that sleeps, on the CPU.
fn sleeper(folder: &Path, time: &str) -> String {
    let line = folder.join("sleeper.toml");
    let text = format!(
        "[[device]]\nname = \"cpu\"\nplace = \"cpu\"\nmemory = \"1GiB\"\n\
         [[job]]\nname = \"a\"\nneeds = \"cpu\"\nimages = 50\ntime = \"{time}\"\n"
    );
    fs::write(&line, text).expect("written");
    line.to_str().expect("UTF-8").to_owned()
}

#[test]
fn a_run_never_mixes_its_results_with_those_of_another() {
    let folder = folder("mixes");
    let line = sleeper(&folder, "1ms");
    let out = folder.join("out");
    fs::create_dir(&out).expect("made");
    fs::write(out.join("defects.csv"), "of an earlier run").expect("written");
    let output = lineside(&["run", &line, "--out", out.to_str().expect("UTF-8")]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(fs::read_dir(&out).expect("the folder").count(), 1);
    // Without `--out` each gets a folder of its own, also at the same moment.
    let start = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lineside"));
        command.args(["run", &line]).current_dir(&folder).stderr(Stdio::null()).spawn()
    };
    let runs: Vec<_> = (0..4).map(|_| start().expect("it starts")).collect();
    for mut run in runs {
        assert!(run.wait().expect("it ends").success());
    }
    assert_eq!(fs::read_dir(folder.join("lineside-runs")).expect("the folder").count(), 4);
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_writes_down_what_was_done() {
    let folder = folder("interrupted");
    let line = sleeper(&folder, "100ms");
    let out = folder.join("out");
    let mut command = Command::new(env!("CARGO_BIN_EXE_lineside"));
    command.args(["run", &line, "--out"]).arg(&out).stderr(Stdio::null());
    let mut run = command.spawn().expect("it starts");
    while !out.join("results").exists() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    std::thread::sleep(std::time::Duration::from_millis(350));
    let kill = Command::new("kill").args(["-INT", &run.id().to_string()]).status();
    assert!(kill.expect("kill is here").success());
    assert_eq!(run.wait().expect("it ends").code(), Some(130));
    let trace = fs::read_to_string(out.join("trace.jsonl")).expect("the trace");
    assert!(trace.contains(r#""ev":"done""#), "{trace}");
    assert!(out.join("report.html").is_file());
}

#[test]
fn a_reader_that_stops_early_is_no_error() {
    for arguments in [["plan", "--json"], ["explain", "--json"], ["plan", "--mermaid"]] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lineside"));
        command.arg(arguments[0]).arg(case("21-yolo-dag.toml")).arg(arguments[1]);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("it starts");
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("it ends");
        assert_eq!(output.status.code(), Some(0), "{arguments:?}");
        assert!(!String::from_utf8_lossy(&output.stderr).contains("panicked"), "{arguments:?}");
    }
}

#[test]
fn what_a_tool_needs_is_checked_before_it_runs() {
    let folder = folder("kernel");
    fs::write(folder.join("golden.png"), "no picture").expect("written");
    let line = folder.join("line.toml");
    let text = "[[device]]\nname = \"cpu\"\nplace = \"cpu\"\nmemory = \"1GiB\"\n\
                [[job]]\nname = \"a\"\nneeds = \"cpu\"\n\
                kernel = { tool = \"detect\", golden = \"golden.png\" }\n\
                [[job]]\nname = \"b\"\nneeds = \"cpu\"\nkernel = { tool = \"detct\" }\n";
    fs::write(&line, text).expect("written");
    let output = lineside(&["check", line.to_str().expect("UTF-8"), "--json"]);
    assert_eq!(output.status.code(), Some(2));
    let faults = json(&output);
    let lines: Vec<_> = (0..2).map(|at| faults[at]["line"].as_u64()).collect();
    assert_eq!(lines, [Some(8), Some(12)]);
}

#[test]
fn at_a_time_it_says_what_was_so_then() {
    let output = lineside(&["explain", &case("01-standard-fifo.toml"), "--at", "12ms"]);
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(text.contains("S1: runs") && text.contains("leased to `S1`"), "{text}");
}

#[test]
fn metrics_are_replaced_at_once_and_leave_nothing_beside_them() {
    let folder = folder("metrics");
    let path = folder.join("lineside.prom");
    fs::write(&path, "old").expect("it is written");
    let case = case("04-legacy-chain.toml");
    let output = lineside(&["plan", &case, "--metrics", path.to_str().expect("UTF-8"), "--dot"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&output.stdout).starts_with("digraph "));
    let text = fs::read_to_string(&path).expect("it is there");
    assert!(text.contains("\nlineside_makespan_seconds "), "{text}");
    assert_eq!(fs::read_dir(&folder).expect("the folder").count(), 1);
}

#[test]
fn the_hash_is_that_of_the_trace() {
    let file = case("21-yolo-dag.toml");
    let hash = lineside(&["plan", &file, "--hash"]);
    let hash = String::from_utf8(hash.stdout).expect("ASCII");
    // What `sha256sum` says of tests/cases/21-yolo-dag.jsonl.
    let expected = "bbfb9775df053af09faefb767df48738d6b2d0ce0bad337e2887cfd2dcca1ea3";
    assert_eq!(hash.trim_end(), expected);
}
