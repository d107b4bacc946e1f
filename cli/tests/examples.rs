//! The examples that start programs, as their READMEs say.
#![cfg(target_os = "linux")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A copy of an example in a folder of its own.
fn copy(name: &str) -> PathBuf {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples").join(name);
    let to = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("examples").join(name);
    let _ = fs::remove_dir_all(&to);
    copy_folder(&from, &to);
    to
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("the example").flatten() {
        let to = to.join(entry.file_name());
        match entry.path().is_dir() {
            true => copy_folder(&entry.path(), &to),
            false => drop(fs::copy(entry.path(), &to).expect("a copy")),
        }
    }
}

fn lineside(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lineside"));
    command.args(arguments).current_dir(folder).output().expect("it starts")
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

const EVERY_PART: &str = "48 of 48 parts in 12 of 12 pictures are right\n";

#[test]
fn the_pictures_of_three_faces_are_sorted_and_all_of_it_fits_into_a_bundle() {
    let folder = copy("faces");
    let output = lineside(&folder, &["run", "line.toml", "--out", "out"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let summary = |out: &str| fs::read_to_string(folder.join(out).join("results/tell/summary.txt"));
    assert_eq!(summary("out").expect("the summary"), EVERY_PART);

    let output = lineside(&folder, &["pack", "line.toml", "-o", "there/faces.bundle"]);
    assert_eq!(output.status.code(), Some(2), "there is no such folder: {}", said(&output));
    fs::create_dir(folder.join("there")).expect("a folder");
    let output = lineside(&folder, &["pack", "line.toml", "-o", "there/faces.bundle"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let there = folder.join("there");
    let output = lineside(&there, &["run", "faces.bundle", "--out", "out"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert_eq!(summary("there/out").expect("the summary"), EVERY_PART);
}

#[test]
fn a_training_goes_on_after_a_stage_that_failed_without_the_stages_before_it() {
    let folder = copy("yolo");
    // All of it but two trainings, to be quick; one stage fails while a file is there.
    let line = fs::read_to_string(folder.join("slices.toml")).expect("the line");
    let end = line.find("[[job]]\nname = \"n3-train\"").expect("the third training");
    fs::write(folder.join("short.toml"), &line[..end]).expect("written");
    let stage = fs::read_to_string(folder.join("stage.py")).expect("the stages");
    let broken = "def metrics(name):\n    assert not Path('broken').exists() or name != 'n2'";
    fs::write(folder.join("stage.py"), stage.replace("def metrics(name):", broken)).expect("it");
    fs::write(folder.join("broken"), "").expect("written");

    let output = lineside(&folder, &["run", "short.toml", "--out", "out"]);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    let training = folder.join("out/results/training");
    assert!(training.join("n1.weights").is_file() && !training.join("n2.weights").exists());
    let time = |name: &str| fs::metadata(training.join(name)).and_then(|file| file.modified());
    let before = ["n2.checkpoint.json", "cache.json"].map(|name| time(name).expect("a file"));

    fs::remove_file(folder.join("broken")).expect("it was there");
    let output = lineside(&folder, &["run", "short.toml", "--out", "out", "--resume", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert!(training.join("n2.weights").is_file());
    let after = ["n2.checkpoint.json", "cache.json"].map(|name| time(name).expect("a file"));
    assert_eq!(before, after, "{}", said(&output));
}

/// It is there to be copied beside a tool, and a bundle takes only what lies beside the line.
#[test]
fn every_copy_of_the_file_for_workers_is_the_same() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
    let read = |name: &str| fs::read_to_string(examples.join(name).join("lineside_worker.py"));
    let original = read("worker").expect("the original");
    for name in ["faces", "ocr"] {
        assert!(read(name).expect("a copy") == original, "examples/{name}");
    }
}
