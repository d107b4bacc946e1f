//! What the generated lines are made of.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use lineside_tests::generate::generate;
use lineside_tests::model::{EndCause, Event, Run, What, read, simulate};

const SEEDS: u64 = 600;

#[test]
fn the_same_seed_gives_the_same_line() {
    for seed in 0..20 {
        assert_eq!(generate(seed), generate(seed), "seed {seed}");
    }
}

#[test]
fn a_generated_line_is_small() {
    for (seed, run) in RUNS.iter().enumerate() {
        assert!(run.events.len() < 2000, "seed {seed}: {} events", run.events.len());
    }
}

#[test]
fn generated_lines_see_every_event_cause_and_exit_code() {
    let mut seen: BTreeMap<String, u64> = BTreeMap::new();
    for run in RUNS.iter() {
        let mut kinds: Vec<String> = run.events.iter().map(kind).collect();
        kinds.push(format!("exit code {}", run.exit_code));
        kinds.sort();
        kinds.dedup();
        for kind in kinds {
            *seen.entry(kind).or_default() += 1;
        }
    }
    // Events (a grant plain, cold, by fallback), revokes, ends, states of units, exit codes.
    let expected = 9 + 6 + 6 + 3 + 3;
    assert_eq!(seen.len(), expected, "in how many of {SEEDS} lines: {seen:#?}");
    assert!(seen.values().all(|&lines| lines >= 5), "in how many of {SEEDS} lines: {seen:#?}");
}

static RUNS: LazyLock<Vec<Run>> = LazyLock::new(|| {
    let run = |seed| simulate(&read(&generate(seed)).expect("a generated line is valid"));
    (0..SEEDS).map(run).collect()
});

/// What an event is, without what it is about.
fn kind(event: &Event) -> String {
    match &event.what {
        What::Ready { .. } => "ready".to_string(),
        What::Evict { .. } => "evict".to_string(),
        What::Grant { cold: true, .. } => "cold grant".to_string(),
        What::Grant { fallback: true, .. } => "grant by fallback".to_string(),
        What::Grant { .. } => "grant".to_string(),
        What::Start { .. } => "start".to_string(),
        What::Done { .. } => "done".to_string(),
        What::Fail { .. } => "fail".to_string(),
        What::Revoke { cause, .. } => format!("revoke {cause:?}"),
        What::Release { .. } => "release".to_string(),
        What::End { state, cause, .. } => match cause {
            EndCause::Upstream(_) => format!("end {state:?}"),
            cause => format!("end {state:?} {cause:?}"),
        },
        What::Unit { state, .. } => format!("unit {state:?}"),
    }
}
