use lineside_line::trace::End;
use lineside_report::{JobState, What, summary};

use crate::support::{self, Script};

#[test]
fn the_numbers_of_some_cases() {
    for name in ["03-standard-overtakes-legacy", "13-device-lost", "14-failure-skips-dependents"] {
        let (line, record) = support::case(name);
        let numbers = summary(&line, &record);
        let json = serde_json::to_string_pretty(&numbers).expect("a summary serialises");
        insta::assert_snapshot!(name, json);
    }
}

#[test]
fn busy_and_starved_time_is_held_time_within_the_makespan() {
    for (name, line, record) in support::cases() {
        let numbers = summary(&line, &record);
        for unit in &numbers.units {
            assert_eq!(unit.busy_ns + unit.starved_ns, unit.held_ns, "{name}: {}", unit.name);
            assert!(unit.held_ns <= numbers.makespan_ns, "{name}: {}", unit.name);
            assert!((0.0..=1.0).contains(&unit.utilization), "{name}: {}", unit.name);
        }
    }
}

#[test]
fn jobs_add_up_to_the_trace() {
    for (name, line, record) in support::cases() {
        let numbers = summary(&line, &record);
        let grants = |it: &&lineside_report::Entry| matches!(it.what, What::Grant { .. });
        let granted: u64 = numbers.jobs.iter().map(|job| job.grants).sum();
        assert_eq!(granted, record.entries.iter().filter(grants).count() as u64, "{name}");
        let open = numbers.jobs.iter().filter(|job| job.state == JobState::Stuck).count();
        assert_eq!(open, numbers.stuck.len(), "{name}");
        for job in &numbers.jobs {
            assert!(job.wait_max_ns <= job.wait_ns, "{name}: {}", job.name);
            assert!(job.wait_max_ns <= numbers.wait_ns.max, "{name}: {}", job.name);
            assert_eq!(job.end_ns.is_some(), job.state != JobState::Stuck, "{name}: {}", job.name);
        }
    }
}

#[test]
fn a_second_ready_changes_the_ticket_and_not_the_wait() {
    let line = support::line(&["gpu0"], &["a"]);
    let mut script = Script::default();
    script.ready(1, 0).ready(3, 0).grant(10, 0, &[0]).start(10, 0, 0, 0);
    let numbers = summary(&line, &script.record);
    assert_eq!(numbers.jobs[0].wait_ns, 9_000_000);
    assert_eq!(numbers.wait_ns.max, 9_000_000);
}

#[test]
fn an_entry_that_never_leaves_waits_to_the_end() {
    let line = support::line(&["gpu0"], &["a", "b"]);
    let mut script = Script::default();
    script.ready(0, 0).ready(0, 1).grant(2, 1, &[0]).start(2, 1, 0, 0).done(9, 1, 0, 0);
    let numbers = summary(&line, &script.record);
    assert_eq!(numbers.jobs[0].wait_ns, 9_000_000);
    assert_eq!(numbers.jobs[0].first_start_ns, None);
    assert_eq!(numbers.jobs[1].wait_ns, 2_000_000);
}

#[test]
fn slots_of_a_unit_count_once() {
    let line = support::line(&["gpu0"], &["a", "b"]);
    let mut script = Script::default();
    script.ready(0, 0).grant(0, 0, &[0]).start(0, 0, 0, 0).ready(0, 1).grant(0, 1, &[0]);
    script.start(5, 1, 1, 0).done(10, 0, 0, 0).release(10, 0, 0, &[0]).end(10, 0, End::Done);
    script.done(12, 1, 1, 0).start(16, 1, 1, 1).done(20, 1, 1, 1).release(20, 1, 1, &[0]);
    let unit = summary(&line, &script.record).units.remove(0);
    assert_eq!(unit.held_ns, 20_000_000);
    assert_eq!(unit.busy_ns, 16_000_000);
    assert_eq!(unit.starved_ns, 4_000_000);
    assert_eq!(unit.utilization, 0.8);
}

#[test]
fn a_record_that_is_cut_short_or_wrong_does_not_panic() {
    let line = support::line(&["gpu0"], &["a"]);
    let mut script = Script::default();
    script.done(5, 0, 7, 0).release(6, 9, 3, &[4]).ready(2, 44).grant(7, 0, &[0, 9]);
    script.event(8, What::Evict { unit: 9, model: 9 }).start(9, 0, 0, 0).grant(9, 77, &[0]);
    let numbers = summary(&line, &script.record);
    assert_eq!(numbers.makespan_ns, 9_000_000);
    assert_eq!(numbers.units[0].held_ns, 2_000_000);
    crate::size::all_outputs(&line, &script.record);
}
