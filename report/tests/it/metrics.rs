use std::collections::BTreeSet;

use lineside_report::{metrics, summary};

use crate::support;

/// A sample: its name, its labels and its value.
type Sample = (String, Vec<(String, String)>, f64);

/// Reads the text format 0.0.4, and refuses what Prometheus would: gives the samples.
pub(crate) fn check(text: &str) -> Vec<Sample> {
    let mut typed: BTreeSet<String> = BTreeSet::new();
    let mut samples = Vec::new();
    assert!(text.ends_with('\n'));
    for row in text.lines() {
        if let Some(rest) = row.strip_prefix("# TYPE ") {
            let (name, kind) = rest.split_once(' ').expect("a name and a type");
            assert!(["counter", "gauge", "summary"].contains(&kind), "{row}");
            assert_eq!(kind == "counter", name.ends_with("_total"), "{row}");
            assert!(typed.insert(name.to_string()), "once: {row}");
        } else if !row.starts_with('#') {
            samples.push(sample(row, &typed));
        }
    }
    let mut seen = BTreeSet::new();
    for (name, labels, _) in &samples {
        assert!(seen.insert((name.clone(), labels.clone())), "twice: {name} {labels:?}");
    }
    samples
}

fn sample(row: &str, typed: &BTreeSet<String>) -> Sample {
    let end = row.find(['{', ' ']).expect("a name ends");
    let (name, mut rest) = row.split_at(end);
    assert!(name.chars().all(|c| c.is_ascii_lowercase() || c == '_'), "{row}");
    let family = name.trim_end_matches("_sum").trim_end_matches("_count");
    assert!(typed.contains(name) || typed.contains(family), "typed before: {row}");
    let mut labels = Vec::new();
    if let Some(inside) = rest.strip_prefix('{') {
        rest = inside;
        while !rest.starts_with('}') {
            rest = rest.trim_start_matches(',');
            let (key, value) = rest.split_once("=\"").expect("a label");
            let (value, after) = label_value(value);
            labels.push((key.to_string(), value));
            rest = after;
        }
        rest = &rest[1..];
    }
    let value: f64 = rest.trim().parse().unwrap_or_else(|_| panic!("a number: {row}"));
    (name.to_string(), labels, value)
}

fn label_value(text: &str) -> (String, &str) {
    let mut value = String::new();
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return (value, &text[at + 1..]),
            '\\' => match chars.next() {
                Some((_, 'n')) => value.push('\n'),
                Some((_, c @ ('\\' | '"'))) => value.push(c),
                other => panic!("not an escape: {other:?}"),
            },
            c => value.push(c),
        }
    }
    panic!("a label that does not end: {text}");
}

#[test]
fn metrics_say_what_the_summary_says() {
    for (name, line, record) in support::cases() {
        let samples = check(&metrics(&line, &record));
        let numbers = summary(&line, &record);
        let value = |name: &str, label: &str| {
            let mut found = samples.iter().filter(|(it, labels, _)| {
                it == name && labels.first().is_none_or(|(_, value)| value == label)
            });
            found.next().map(|(_, _, value)| *value)
        };
        let seconds = |ns: u64| Some(ns as f64 / 1e9);
        assert_eq!(value("lineside_makespan_seconds", ""), seconds(numbers.makespan_ns), "{name}");
        for unit in &numbers.units {
            let busy = value("lineside_unit_busy_seconds_total", &unit.name);
            assert_eq!(busy, seconds(unit.busy_ns), "{name}");
        }
        for job in &numbers.jobs {
            let images = value("lineside_job_images_done_total", &job.name);
            assert_eq!(images, Some(job.images as f64), "{name}");
            let end = value("lineside_job_end_seconds", &job.name);
            assert_eq!(end, job.end_ns.map(|end| end as f64 / 1e9), "{name}");
        }
    }
}

#[test]
fn very_many_jobs_have_no_series_each() {
    let (line, record) = support::crowd(2, 2000, 4000, 4000);
    let text = metrics(&line, &record);
    check(&text);
    assert!(!text.contains("job=\""));
}
