//! The rows of the jobs: grey while one waits in the queue, coloured while it holds a lease.

use super::draw::Area;
use super::{Figure, MARGIN, PLOT, WIDTH};
use crate::duration::{duration, moment};
use crate::summary::{JobState, job_state};
use crate::text::cut_pixels;
use crate::timeline::{JobBars, JobTrack, merge};
use crate::{colour, summary, words};

const HEIGHT: f64 = 12.0;

impl Figure<'_, '_> {
    pub(super) fn job_rows(&mut self) {
        let bars = self.timeline.job_bars();
        if bars.is_empty() {
            return;
        }
        self.caption("JOBS", "TOOK");
        let all: usize = bars.iter().map(|row| row.held.len() + row.waits.len()).sum();
        let shown = summary::of(self.timeline).notable(self.limits.jobs);
        let crowded = match all > self.limits.bars {
            true => self.limits.bars / shown.len().max(1),
            false => usize::MAX,
        };
        for &job in &shown {
            self.job_row(job, &bars[job], crowded);
        }
        let hidden = bars.len() - shown.len();
        if hidden > 0 {
            let more = words::count(hidden as u64, "more job");
            self.note(&format!("and {more}; those shown failed, or waited longest"));
        }
        self.y += 6.0;
    }

    fn job_row(&mut self, job: usize, bars: &JobBars, crowded: usize) {
        let track = &self.timeline.jobs[job];
        let baseline = self.y + HEIGHT - 2.0;
        let chip = Area { x: MARGIN, y: self.y + 1.5, width: 9.0, height: 9.0 };
        self.body.open(&self.job_title(job));
        self.body.rect(&format!("g-c{}", colour::of(job as u32)), chip, 2.0);
        let name = cut_pixels(&self.timeline.line.jobs[job].name, 152.0, 12.0);
        self.body.text("g-ink", MARGIN + 15.0, baseline, &name);
        let (class, outcome) = outcome(track);
        let outcome = cut_pixels(&outcome, WIDTH - MARGIN - PLOT.1 - 6.0, 12.0);
        self.body.text(&format!("{class} g-end"), WIDTH - MARGIN, baseline, &outcome);
        self.body.close();
        self.seen.waiting |= !bars.waits.is_empty();
        if bars.held.len() + bars.waits.len() > crowded {
            let columns = self.columns();
            for part in [&bars.waits, &bars.held] {
                let merged = merge(part.iter().copied(), self.timeline.end, columns);
                self.segments(merged, columns, HEIGHT);
            }
        } else {
            self.single_bars(job, bars);
        }
        self.y += HEIGHT + 6.0;
    }

    fn single_bars(&mut self, job: usize, bars: &JobBars) {
        let held = format!("g-c{}", colour::of(job as u32));
        let parts = [(&bars.waits, "g-w", "waited"), (&bars.held, &*held, "held a lease for")];
        for (bars, class, verb) in parts {
            for bar in bars {
                let (x, end) = (self.x(bar.from), self.x(bar.to));
                let length = duration(bar.to - bar.from);
                let (from, to) = (moment(bar.from), moment(bar.to));
                self.body.open(&format!("{verb} {length}\n{from} – {to}"));
                let area = Area { x, y: self.y, width: (end - x).max(0.8), height: HEIGHT };
                self.body.rect(class, area, 0.0);
                self.body.close();
            }
        }
    }

    fn job_title(&self, job: usize) -> String {
        let track = &self.timeline.jobs[job];
        let line = self.timeline.line;
        let images = words::count(track.images, "image");
        let grants = words::count(track.grants, "lease");
        let mut title = format!("{}: {}", line.jobs[job].name, words::end(line, track));
        title.push_str(&format!("\n{images} done, {grants}"));
        if let Some(reason) = self.timeline.stuck_reason(job as u32) {
            title.push_str(&format!("\n{}", words::shortened(reason, self.limits.why)));
        }
        title
    }
}

/// What stands at the end of a row: how long it took, or how it ended otherwise.
fn outcome(track: &JobTrack) -> (&'static str, String) {
    let Some((t, end)) = track.end else { return ("g-bad", "stuck".to_string()) };
    match job_state(end) {
        JobState::Done => ("g-soft", duration(t - track.first_ready.unwrap_or(t))),
        JobState::Failed => ("g-bad", "failed".to_string()),
        JobState::Cancelled => ("g-warn", "cancelled".to_string()),
        JobState::Skipped => ("g-warn", "skipped".to_string()),
        JobState::Stuck => ("g-bad", "stuck".to_string()),
    }
}
