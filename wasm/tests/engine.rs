//! What the module says is what the command says.

use std::fs;
use std::path::{Path, PathBuf};

use lineside_wasm::{Budget, Plan, check};
use serde_json::Value;

fn cases() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/cases");
    let files = fs::read_dir(folder).expect("the cases").flatten().map(|file| file.path());
    files.filter(|path| path.extension().is_some_and(|it| it == "toml")).collect()
}

fn plan(text: &str) -> Plan {
    Plan::make(text, &mut Budget { events: 1_000_000, go_on: &mut || true })
}

#[test]
fn the_trace_of_every_case_is_the_one_of_the_rules() {
    for path in cases() {
        let text = fs::read_to_string(&path).expect("a case");
        let trace = fs::read_to_string(path.with_extension("jsonl")).expect("its trace");
        assert_eq!(plan(&text).trace(), trace, "{}", path.display());
    }
}

#[test]
fn every_grant_and_every_wait_has_a_reason() {
    let mut asked = 0;
    for path in cases() {
        let plan = plan(&fs::read_to_string(&path).expect("a case"));
        let columns = plan.columns();
        let leases = columns.held_end.len();
        assert_eq!((columns.order.len(), columns.placement.len()), (leases, leases));
        let events = columns.t.len();
        for at in (1..events).filter(|&at| columns.t[at] != columns.t[at - 1]).chain([events]) {
            let t = columns.t[at - 1];
            let why: Value = serde_json::from_str(&plan.why(at as u32, t as f64, Some(0)))
                .expect("the reasons are JSON");
            let grants = (0..at).filter(|&row| columns.t[row] == t && columns.ev[row] == 2).count();
            assert_eq!(why["grants"].as_array().map(Vec::len), Some(grants));
            for wait in why["waits"].as_array().expect("a list") {
                assert!(wait["kind"].as_str().is_some_and(|kind| kind != "next"), "{wait}");
                asked += 1;
            }
        }
    }
    assert!(asked > 2000, "{asked}");
}

#[test]
fn the_problems_are_those_of_the_reader() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/cases/refused");
    for file in fs::read_dir(folder).expect("the refused cases").flatten() {
        let text = fs::read_to_string(file.path()).expect("a case");
        let problems = lineside_line::read(&text, &lineside_line::NoFiles).expect_err("refused");
        let told: Value = serde_json::from_str(&check(&text)).expect("JSON");
        let told = told.as_array().expect("a list");
        assert_eq!(told.len(), problems.len());
        for (one, problem) in told.iter().zip(&problems) {
            assert_eq!(one["code"], problem.code.name());
            assert_eq!(one["line"], problem.span.line);
            assert_eq!(one["column"], problem.span.column);
        }
        assert!(plan(&text).refused());
    }
}

#[test]
fn a_budget_ends_a_plan_that_would_go_on_for_ever() {
    let text = "[[device]]\nname = \"g\"\n[[job]]\nname = \"a\"\nkind = \"legacy\"\n\
                images = 4294967295\ntime = \"1ms\"\n";
    let by_events = plan(text);
    assert_eq!(by_events.stopped(), "events");
    let mut left = 2;
    let mut go_on = || {
        left -= 1;
        left > 0
    };
    let by_time = Plan::make(text, &mut Budget { events: usize::MAX, go_on: &mut go_on });
    assert_eq!(by_time.stopped(), "time");
    assert!(by_time.columns().t.len() < 5_000);
}

#[test]
fn places_count_as_javascript_counts() {
    let problems = check("[[device]]\nname = \"检测🙂\" # 🙂\nmemry = 1\n");
    let problems: Value = serde_json::from_str(&problems).expect("JSON");
    let from = "[[device]]\nname = \"检测🙂\" # 🙂\n".encode_utf16().count();
    let unknown =
        problems.as_array().and_then(|all| all.iter().find(|it| it["code"] == "unknown-key"));
    assert_eq!(unknown.expect("it is told")["from"], from);
}
