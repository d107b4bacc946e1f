//! `lineside tune`, as a user types it.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::Value;

const LINE: &str = r#"# A loader that is kept to one picture ahead.
[[device]]
name = "cpu"
place = "cpu"
memory = "8GiB"
slots = 4 # one for each core

[[job]]
name = "load"
kind = "legacy"
needs = "cpu"
images = 8
time = "20ms"

[[job]]
name = "find"
kind = "legacy"
needs = "cpu"
time = "10ms"
after = [{ job = "load", depth = 1 }]
"#;

fn lineside(folder: &PathBuf, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lineside"));
    command.args(arguments).current_dir(folder).output().expect("it starts")
}

/// A folder of its own for a test, with the line in it.
fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("tune").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    fs::write(folder.join("line.toml"), LINE).expect("written");
    folder
}

fn tune(folder: &PathBuf, arguments: &[&str]) -> Value {
    let output = lineside(folder, &[&["tune", "line.toml", "--json"], arguments].concat());
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
    serde_json::from_slice(&output.stdout).expect("stdout is JSON and nothing else")
}

fn kept(tuned: &Value) -> usize {
    let rows = tuned["rows"].as_array().expect("rows").iter();
    rows.filter(|row| row["verdict"] == "kept").count()
}

#[test]
fn what_is_found_is_written_for_this_box_and_the_rest_of_the_file_stays() {
    let folder = folder("plan");
    let tuned = tune(&folder, &["--plan"]);
    assert!(kept(&tuned) > 0, "{tuned}");
    let text = fs::read_to_string(folder.join("line.toml")).expect("the line");
    assert!(text.starts_with(LINE.trim_end()), "{text}");
    assert!(text[LINE.len()..].contains("[[hardware]]"), "{text}");
    let output = lineside(&folder, &["check", "line.toml"]);
    assert_eq!(output.status.code(), Some(0), "{text}");
    // With what was found there is nothing left to find, and nothing is written twice.
    assert_eq!(kept(&tune(&folder, &["--plan"])), 0);
    let again = fs::read_to_string(folder.join("line.toml")).expect("the line");
    assert_eq!(again.matches("[[hardware]]").count(), 1, "{again}");
    assert!(again.contains("inflight"), "{again}");
}

#[test]
fn runs_are_measured_and_leave_nothing_behind() {
    let folder = folder("run");
    let tuned = tune(&folder, &["--dry-run", "--passes", "3"]);
    let rows = tuned["rows"].as_array().expect("rows");
    assert!(rows.len() > 1 && rows[0]["time_ns"].as_f64() > Some(0.0), "{tuned}");
    let names: Vec<_> = fs::read_dir(&folder).expect("it").flatten().collect();
    assert_eq!(names.len(), 1, "{names:?}");
    assert_eq!(fs::read_to_string(folder.join("line.toml")).expect("the line"), LINE);
}

#[test]
fn a_run_says_which_settings_it_has() {
    let folder = folder("told");
    let path = folder.join("line.toml");
    fs::write(&path, format!("{LINE}[[hardware]]\nbox = \"of others\"\n")).expect("written");
    let said = |folder| {
        let output = lineside(folder, &["run", "line.toml", "--out", "out"]);
        let _ = fs::remove_dir_all(folder.join("out"));
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    assert!(said(&folder).contains("is none of the line's"));
    fs::write(&path, LINE).expect("written");
    tune(&folder, &["--plan"]);
    assert!(said(&folder).contains("settings for"));
}
