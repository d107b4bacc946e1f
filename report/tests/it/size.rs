//! Very large records, and empty ones.

use std::time::{Duration, Instant};

use lineside_line::Line;
use lineside_report::{
    Record, advice, dot, gantt_svg, mermaid, metrics, perfetto, report_html, summary, terminal,
};

use crate::support;

/// Writes every output, and gives those that have a size to keep.
pub(crate) fn all_outputs(line: &Line, record: &Record) -> (String, String) {
    summary(line, record);
    advice(line, record);
    terminal(line, record, 100, true);
    perfetto(line, record);
    let _ = mermaid(line, record);
    dot(line);
    metrics(line, record);
    (gantt_svg(line, record), report_html(line, record, Some(record)))
}

#[test]
fn an_empty_record_has_every_output() {
    all_outputs(&Line::default(), &Record::default());
    all_outputs(&support::line(&["gpu0"], &["a"]), &Record::default());
}

#[test]
fn everything_at_one_instant_has_every_output() {
    let (line, mut record) = support::case("21-yolo-dag");
    record.entries.iter_mut().for_each(|entry| entry.t = 0);
    all_outputs(&line, &record);
    record.entries.iter_mut().for_each(|entry| entry.t = u64::MAX);
    all_outputs(&line, &record);
}

#[test]
fn a_million_events_are_summed_up_in_about_a_second() {
    let (line, record) = support::crowd(8, 50, 200_000, 1000);
    assert!(record.entries.len() >= 1_000_000);
    let begun = Instant::now();
    let numbers = summary(&line, &record);
    // Generous: tests run unoptimised, on busy machines.
    assert!(begun.elapsed() < Duration::from_secs(8), "{:?}", begun.elapsed());
    assert_eq!(numbers.jobs.iter().map(|job| job.grants).sum::<u64>(), 200_000);
}

#[test]
fn a_hundred_thousand_leases_stay_small() {
    let (line, record) = support::crowd(6, 9, 100_000, 5_000);
    let begun = Instant::now();
    let (svg, page) = all_outputs(&line, &record);
    assert!(begun.elapsed() < Duration::from_secs(60), "{:?}", begun.elapsed());
    assert!(svg.len() < 2_000_000, "{}", svg.len());
    assert!(page.len() < 4_000_000, "{}", page.len());
}

#[test]
fn many_units_and_many_jobs_stay_small_too() {
    let (line, record) = support::crowd(300, 3000, 60_000, 7);
    let (svg, page) = all_outputs(&line, &record);
    assert!(svg.len() < 2_000_000, "{}", svg.len());
    assert!(page.len() < 4_000_000, "{}", page.len());
}

#[test]
fn just_below_the_limits_every_bar_is_drawn_and_the_file_is_small() {
    let (line, record) = support::crowd(4, 6, 2_400, 900);
    let (svg, _) = all_outputs(&line, &record);
    assert!(svg.len() < 2_000_000, "{}", svg.len());
    assert!(svg.matches("ticket 1234 was").count() >= 1);
}
