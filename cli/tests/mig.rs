//! `lineside mig`, as a user types it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

fn lineside(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lineside"));
    command.args(arguments).output().expect("it starts")
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).expect("stdout is JSON and nothing else")
}

fn example(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/yolo").join(name);
    path.to_str().expect("UTF-8").to_owned()
}

#[test]
fn the_layouts_of_a_gpu_are_shown() {
    let shown = json(&lineside(&["mig", "show", "H100-80GB", "--json"]));
    let gpu = &shown["gpus"][0];
    assert_eq!(gpu["maximal_layouts"].as_array().map(Vec::len), Some(19));
    assert_eq!(gpu["maximal_layouts"][1][1]["start"], 4);
    assert_eq!(lineside(&["mig", "show", "GTX-1080"]).status.code(), Some(2));
}

#[test]
fn a_layout_is_legal_or_the_reason_is_told() {
    let good = json(&lineside(&["mig", "check", "A100-40GB", "1g.5gb", "3g.20gb", "--json"]));
    assert_eq!(good["legal"], true);
    assert_eq!(good["layout"].as_array().map(Vec::len), Some(2));
    let output =
        lineside(&["mig", "check", "A100-40GB", "1g.5gb@2", "1g.5gb@5", "3g.20gb", "--json"]);
    assert_eq!(output.status.code(), Some(2));
    let bad = json(&output);
    assert_eq!((&bad["legal"], &bad["entry"]), (&false.into(), &2.into()));
    let reason = bad["reason"].as_str().expect("a reason");
    assert!(reason.contains("6 memory slices are free") && reason.contains("3g.20gb"), "{reason}");
}

#[test]
fn the_best_layout_of_a_line_is_found_by_planning_it() {
    let output = lineside(&["mig", "suggest", &example("whole.toml"), "--json"]);
    let suggested = json(&output);
    let layouts = suggested["layouts"].as_array().expect("layouts");
    let whole = layouts.iter().find(|layout| layout["mig"][0].is_null()).expect("the whole card");
    let wait = |layout: &Value| layout["wait_mean_ns"].as_u64().expect("a number");
    assert_eq!(layouts[0]["fallbacks"], 0);
    assert!(wait(&layouts[0]) * 4 < wait(whole), "{} of {}", layouts[0], whole);
    let by = |key| layouts.iter().map(move |layout| layout[key].as_u64().expect("a number"));
    assert!(by("fallbacks").is_sorted());
    // What a job needs is not taken from it for the sake of the others.
    let text = fs::read_to_string(example("whole.toml")).expect("the example");
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("profile.toml");
    let text = text.replace("memory = \"12GiB\"", "memory = \"12GiB\"\nprofile = \"4g.20gb\"");
    fs::write(&file, text.replace("fallback = \"allow\"", "fallback = \"forbid\""))
        .expect("written");
    let file = file.to_str().expect("UTF-8");
    let suggested = json(&lineside(&["mig", "suggest", file, "--by", "makespan", "--json"]));
    let layouts = suggested["layouts"].as_array().expect("layouts");
    let has = |layout: &Value| layout["mig"][0].as_array().is_some_and(|mig| mig[0] == "4g.20gb");
    assert!(!layouts.is_empty() && layouts.iter().all(has));
    assert!(suggested["refused"].as_array().is_some_and(|refused| !refused.is_empty()));
}

#[test]
fn slices_of_one_card_run_three_times_as_much_at_once_and_wait_a_quarter() {
    let figures = |name: &str| {
        let plan = json(&lineside(&["plan", &example(name), "--json"]));
        let number = |value: &Value| value.as_u64().expect("a number");
        (number(&plan["leases_max"]), number(&plan["wait_ns"]["mean"]))
    };
    let (whole, slices) = (figures("whole.toml"), figures("slices.toml"));
    assert!(slices.0 >= 3 * whole.0, "{} and {} at once", whole.0, slices.0);
    assert!(whole.1 * 10 >= 38 * slices.1, "{} and {} ns", whole.1, slices.1);
}

#[test]
fn the_commands_make_large_slices_first_and_can_be_undone() {
    let output = lineside(&["mig", "commands", &example("slices.toml"), "--json"]);
    let gpu = &json(&output)["gpus"][0];
    let words = |list: &Value| -> Vec<String> {
        let commands = list.as_array().expect("a list").iter();
        let words = |command: &Value| {
            let words = command.as_array().expect("words").iter();
            words.map(|word| word.as_str().expect("text")).collect::<Vec<_>>().join(" ")
        };
        commands.map(words).collect()
    };
    assert_eq!(
        words(&gpu["make"]),
        ["nvidia-smi -i 0 -mig 1", "nvidia-smi mig -i 0 -cgi 9:4,14:0,19:2,19:3 -C"]
    );
    let undo = ["nvidia-smi mig -i 0 -dci", "nvidia-smi mig -i 0 -dgi", "nvidia-smi -i 0 -mig 0"];
    assert_eq!(words(&gpu["undo"]), undo);
}

/// A stand-in for nvidia-smi writes down what it was called with, and fails at `-cgi` if told so.
#[cfg(target_os = "linux")]
#[test]
fn commands_are_run_only_when_asked_and_stop_at_the_first_that_fails() {
    use std::os::unix::fs::PermissionsExt;

    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("smi");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    let smi = folder.join("nvidia-smi");
    let script = "#!/bin/sh\necho \"$@\" >> \"$LOG\"\ncase \"$*\" in *-cgi*) exit $FAIL;; esac\n";
    fs::write(&smi, script).expect("written");
    fs::set_permissions(&smi, fs::Permissions::from_mode(0o755)).expect("set");
    let run = |fail: &str, apply: bool| {
        let log = folder.join(format!("log-{fail}-{apply}"));
        let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap_or_default());
        let mut command = Command::new(env!("CARGO_BIN_EXE_lineside"));
        command.args(["mig", "commands", "A100-40GB", "3g.20gb"]).args(apply.then_some("--apply"));
        let output = command.env("PATH", path).env("LOG", &log).env("FAIL", fail).output();
        let calls = fs::read_to_string(&log).unwrap_or_default().lines().count();
        (output.expect("it starts").status.code(), calls)
    };
    assert_eq!(run("0", false), (Some(0), 0));
    // Whoever is not root is refused before anything is run.
    let root = is_root();
    assert_eq!(run("0", true), if root { (Some(0), 2) } else { (Some(2), 0) });
    assert_eq!(run("9", true), if root { (Some(1), 2) } else { (Some(2), 0) });
}

#[cfg(target_os = "linux")]
fn is_root() -> bool {
    let output = Command::new("id").arg("-u").output().expect("id is there");
    output.stdout.trim_ascii() == b"0"
}
