//! Scenes: small line files, each for one rule, with what they come to as a snapshot.
//!
//! Whoever changes a rule sees it here as a difference of traces. `cargo insta review`, or
//! `INSTA_UPDATE=always cargo test -p lineside-tests --test scenes`, takes the new ones over.

use std::collections::BTreeSet;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use lineside_tests::scene::Scene;
use lineside_tests::tally::tally;

/// Small enough to be read at a glance.
const LINES_MAX: usize = 30;

#[test]
fn every_scene_is_as_it_was_reviewed() {
    let mut differ = Vec::new();
    let names = names();
    let count = names.len();
    for name in names {
        let text = text(&name);
        let scene = Scene::play(&text).unwrap_or_else(|why| panic!("{name}: {why}"));
        let mut settings = insta::Settings::new();
        settings.set_snapshot_path("../snapshots/scenes");
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.set_description(moral(&text));
        let check = || settings.bind(|| insta::assert_snapshot!(name.as_str(), scene.show()));
        if catch_unwind(AssertUnwindSafe(check)).is_err() {
            differ.push(name);
        }
    }
    assert!(differ.is_empty(), "{} scenes differ: {differ:#?}", differ.len());
    tally("scenes", &format!("{count}, as they were reviewed"));
}

#[test]
fn every_scene_is_small_and_says_what_it_shows() {
    let names = names();
    assert!(names.len() >= 60, "only {} scenes", names.len());
    for name in names {
        let text = text(&name);
        let lines = text.lines().count();
        assert!(lines <= LINES_MAX, "{name} has {lines} lines, more than {LINES_MAX}");
        let words = name.split('-').count();
        assert!(words >= 4, "{name} is no sentence");
        assert!(moral(&text).ends_with('.'), "{name} begins with what it shows, in a sentence");
    }
}

#[test]
fn every_snapshot_is_of_a_scene() {
    let scenes: BTreeSet<String> = names().into_iter().collect();
    let snapshots: BTreeSet<String> = stems(&folder("snapshots/scenes"), ".snap");
    assert_eq!(scenes, snapshots);
}

/// The first comment of a scene.
fn moral(text: &str) -> String {
    let first = text.lines().next().unwrap_or_default();
    first.strip_prefix("# ").unwrap_or_default().to_owned()
}

fn names() -> Vec<String> {
    stems(&folder("scenes"), ".toml").into_iter().collect()
}

fn text(name: &str) -> String {
    let path = folder("scenes").join(format!("{name}.toml"));
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The names of the files with this ending, without it.
fn stems(folder: &Path, ending: &str) -> BTreeSet<String> {
    let files = fs::read_dir(folder).expect("the folder is there");
    let names = files.map(|file| file.expect("an entry").file_name());
    let names = names.map(|name| name.into_string().expect("names are UTF-8"));
    names.filter_map(|name| name.strip_suffix(ending).map(str::to_owned)).collect()
}

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// A name that leads nowhere says that something is tested which is not.
#[test]
fn every_name_in_the_list_of_scenarios_is_of_a_scene_or_a_test() {
    let list = fs::read_to_string(folder("../docs/scenarios.md")).expect("the list");
    let scenes: BTreeSet<String> = names().into_iter().collect();
    let mut tests = String::new();
    let parts =
        ["tests", "../backends/tests", "../devices/tests", "../cli/tests", "../cli/tests/gpus"];
    for tests_of in parts.map(folder) {
        for name in stems(&tests_of, ".rs") {
            let path = tests_of.join(format!("{name}.rs"));
            tests += &fs::read_to_string(path).expect("a test");
        }
    }
    let mut found = 0;
    let rows = list.lines().filter(|line| line.starts_with("| B") || line.starts_with("| R"));
    for row in rows {
        let cells: Vec<&str> = row.split('|').collect();
        let Some(names) = (cells.len() == 6).then(|| cells[4]) else { continue };
        for name in names.split('`').skip(1).step_by(2) {
            let is_test = tests.contains(&format!("fn {name}()"));
            assert!(is_test || scenes.contains(name), "no scene and no test `{name}`");
            found += 1;
        }
    }
    assert!(found > 50, "only {found} names were found");
}

/// The list and the scenes agree on where a report is tested.
#[test]
fn every_address_in_a_scene_is_listed_with_that_scene() {
    let list = fs::read_to_string(folder("../docs/scenarios.md")).expect("the list");
    let mut missing = Vec::new();
    for name in names() {
        let text = text(&name);
        for address in text.lines().filter_map(|line| line.strip_prefix("# https://")) {
            let address = format!("(https://{address})");
            let is_listed =
                |row: &str| row.contains(&address) && row.contains(&format!("`{name}`"));
            if !list.lines().any(is_listed) {
                missing.push(format!("{name} {address}"));
            }
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
}
