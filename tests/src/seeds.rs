//! Seeds: those that are given, and those of the past.

use std::ops::Range;

/// The seeds to try: `LINESIDE_SEEDS=from..to`, if that is set.
///
/// # Panics
///
/// If it is set to something else.
pub fn range(default: Range<u64>) -> Range<u64> {
    let given = std::env::var("LINESIDE_SEEDS").ok();
    let parse = |text: &str| {
        let (from, to) = text.split_once("..")?;
        Some(from.parse().ok()?..to.parse().ok()?)
    };
    given.map_or(default, |text| parse(&text).expect("LINESIDE_SEEDS is like 0..2000"))
}

/// The seeds of `seeds.txt` of this kind: they are tried before all others.
///
/// # Panics
///
/// If a line of the file is neither a comment nor a kind, a seed and a comment.
///
/// ```
/// assert!(!lineside_tests::seeds::past("line").is_empty());
/// ```
pub fn past(kind: &str) -> Vec<u64> {
    let text = include_str!("../seeds.txt");
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let entries = lines.map(|line| {
        let (entry, comment) = line.split_once('#').expect("a seed has a comment");
        assert!(!comment.trim().is_empty(), "a seed has a comment: {line}");
        let mut words = entry.split_whitespace();
        let kind = words.next().expect("a kind");
        assert!(["line", "calls"].contains(&kind), "no kind of seed: {line}");
        (kind, words.next().and_then(|seed| seed.parse().ok()).expect("a seed"))
    });
    entries.filter(|&(other, _)| other == kind).map(|(_, seed)| seed).collect()
}
