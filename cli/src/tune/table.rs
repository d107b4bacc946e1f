//! The table that people keep with their notes, and what it comes to in words.

use lineside_line::Line;
use lineside_report::duration;
use serde_json::{Value, json};

use super::search::{Bottleneck, Row, Tuned, Verdict};
use super::settings::Settings;
use crate::words::printable;

/// Rows as they become known.
pub(super) struct Rows<'l> {
    line: &'l Line,
    /// What was best so far, and its time.
    best: Option<(Settings, f64)>,
}

impl<'l> Rows<'l> {
    pub(super) fn new(line: &'l Line) -> Self {
        Rows { line, best: None }
    }

    pub(super) fn heading(&self) -> String {
        "time per pass   factor   busy   held   core  passes  setting\n".to_owned()
    }

    /// A row, and what became of the setting. Its factor is to the best one before it.
    pub(super) fn row(&mut self, row: &Row) -> String {
        let (from, time) =
            self.best.clone().unwrap_or_else(|| (row.settings.clone(), row.mean.time));
        let words = printable(&row.settings.words(self.line, &from)).into_owned();
        let verdict = match &row.verdict {
            Verdict::First => "",
            Verdict::Kept => " (kept)",
            Verdict::NoBetter => " (no better)",
            Verdict::Lost => " (lost results)",
            Verdict::Memory => " (too much memory)",
            Verdict::Failed(_) => " (failed)",
        };
        if matches!(row.verdict, Verdict::First | Verdict::Kept) {
            self.best = Some((row.settings.clone(), row.mean.time));
        }
        format!("{} {:>7}  {words}{verdict}\n", figures(row, time), row.passes)
    }
}

/// Time, factor to another time, and shares.
fn figures(row: &Row, other: f64) -> String {
    if row.mean.time.is_nan() {
        return format!("{:>13} {:>8} {:>6} {:>6} {:>6}", "–", "–", "–", "–", "–");
    }
    let percent = |share: f64| format!("{:.0} %", share * 100.0);
    let core = row.mean.core.map_or("–".to_owned(), percent);
    format!(
        "{:>13} {:>8.2} {:>6} {:>6} {core:>6}",
        duration(row.mean.time as u64),
        other / row.mean.time,
        percent(row.mean.busy),
        percent(row.mean.held),
    )
}

/// The settings that were kept, one row each; factors are to the line as it was.
pub(super) fn text(line: &Line, tuned: &Tuned) -> String {
    let mut text = "| setting | busy | held | core | time per pass | factor |\n".to_owned();
    text += "|---|---|---|---|---|---|\n";
    let kept = kept(tuned);
    let Some(first) = kept.first() else { return text };
    let percent = |share: f64| format!("{:.0} %", share * 100.0);
    let mut before = &first.settings;
    for row in &kept {
        let core = row.mean.core.map_or("–".to_owned(), percent);
        text += &format!(
            "| {} | {} | {} | {core} | {} | {:.2} |\n",
            printable(&row.settings.words(line, before)),
            percent(row.mean.busy),
            percent(row.mean.held),
            duration(row.mean.time as u64),
            first.mean.time / row.mean.time,
        );
        before = &row.settings;
    }
    text
}

fn kept(tuned: &Tuned) -> Vec<&Row> {
    let is_kept = |row: &&Row| matches!(row.verdict, Verdict::First | Verdict::Kept);
    tuned.rows.iter().filter(is_kept).collect()
}

/// What is in the way now.
pub(super) fn conclusion(line: &Line, tuned: &Tuned) -> String {
    let what = match tuned.bottleneck {
        Bottleneck::Kernel => {
            "the units compute nearly all the time: what is left is in the kernels themselves"
        }
        Bottleneck::Core => {
            "one core of the CPU works all the time, and the units wait for it: spread that work \
             over more threads, or take it off the CPU"
        }
        Bottleneck::Feeding => {
            "the units are leased and wait for images: a job upstream, a disk or a camera is too \
             slow to feed them"
        }
        Bottleneck::Line => {
            "the units are free a good part of the time: jobs wait for one another, or for images \
             to arrive (`lineside explain` says which)"
        }
    };
    let mut text = format!("\nbottleneck: {what}\n");
    if tuned.full {
        text += "memory: a larger batch would take more than 85 % of a unit\n";
    }
    let first = Settings::of(line);
    if tuned.best == first {
        text += "nothing that was tried is faster by more than the noise\n";
    }
    text
}

pub(super) fn json(line: &Line, tuned: &Tuned) -> Value {
    let first = Settings::of(line);
    let base = tuned.rows.first().map_or(f64::NAN, |row| row.mean.time);
    let rows = tuned.rows.iter().map(|row| {
        let (verdict, why) = match &row.verdict {
            Verdict::First => ("first", None),
            Verdict::Kept => ("kept", None),
            Verdict::NoBetter => ("no-better", None),
            Verdict::Lost => ("lost", None),
            Verdict::Memory => ("memory", None),
            Verdict::Failed(why) => ("failed", Some(why)),
        };
        let mean = &row.mean;
        json!({
            "setting": row.settings.words(line, &first), "verdict": verdict, "reason": why,
            "passes": row.passes, "time_ns": mean.time, "factor": base / mean.time,
            "busy": mean.busy, "held": mean.held, "core": mean.core, "memory": mean.memory,
        })
    });
    let bottleneck = match tuned.bottleneck {
        Bottleneck::Kernel => "kernel",
        Bottleneck::Core => "core",
        Bottleneck::Feeding => "feeding",
        Bottleneck::Line => "line",
    };
    let jobs = line.jobs.iter().zip(&tuned.best.jobs).map(|(job, settings)| {
        json!({
            "job": job.name, "batch": settings.batch, "inflight": settings.inflight,
            "threads": settings.threads, "depth": settings.depth, "memory": settings.memory,
        })
    });
    json!({
        "rows": rows.collect::<Vec<_>>(), "bottleneck": bottleneck, "full": tuned.full,
        "jobs": jobs.collect::<Vec<_>>(),
    })
}
