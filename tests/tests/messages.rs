//! What is said of line files that are refused, as people read it in a terminal.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use lineside_line::{Look, NoFiles, Problem, read, render};

/// The faults of a file, and the file.
fn faults(path: &Path) -> (Vec<Problem>, String) {
    let text = fs::read_to_string(path).expect("the file is there");
    let problems = read(&text, &NoFiles).expect_err("the file is refused");
    (problems, text)
}

fn check(path: &Path, name: &str, problems: &[Problem], text: &str) {
    let file = path.file_name().expect("a file").to_string_lossy();
    let message = render(problems, text, &file, Look::default());
    let mut settings = insta::Settings::new();
    settings.set_snapshot_path("../snapshots/messages");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, message));
}

#[test]
fn every_refused_case_is_told_as_it_was_reviewed() {
    let mut differ = Vec::new();
    let mut count = 0;
    for file in fs::read_dir(folder("cases/refused")).expect("the refused cases") {
        let path = file.expect("an entry").path();
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let (problems, text) = faults(&path);
        assert_eq!(problems.len(), 1, "{name} has one fault: {problems:#?}");
        count += 1;
        let check = || check(&path, &name, &problems, &text);
        if catch_unwind(AssertUnwindSafe(check)).is_err() {
            differ.push(name);
        }
    }
    assert!(count >= 20, "only {count} cases");
    assert!(differ.is_empty(), "the messages of these differ: {differ:#?}");
}

#[test]
fn a_file_that_is_broken_in_twelve_ways_is_told_all_of_them_at_once() {
    let path = folder("broken/twelve-ways.toml");
    let (problems, text) = faults(&path);
    check(&path, "twelve-ways", &problems, &text);
    assert_eq!(problems.len(), 12);
    let places: Vec<_> = problems.iter().map(|problem| problem.span.line).collect();
    assert!(places.is_sorted(), "in the order of the file: {places:?}");
}

#[test]
fn every_message_says_what_to_write_instead() {
    let mut paths: Vec<PathBuf> = vec![folder("broken/twelve-ways.toml")];
    let cases = fs::read_dir(folder("cases/refused")).expect("the refused cases");
    paths.extend(cases.map(|file| file.expect("an entry").path()));
    for path in paths {
        for problem in faults(&path).0 {
            assert!(problem.help.is_some(), "{}: {problem}", path.display());
        }
    }
}

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}
