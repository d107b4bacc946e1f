//! Progress bars of a run; on a terminal only.

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use lineside_backends::Observer;
use lineside_core::{Event, Reason, Scheduler};
use lineside_line::Line;

/// Jobs that get a bar of their own.
const MOST: usize = 16;

/// Looks on for another observer, and draws a bar for each job.
pub(crate) struct Progress<O> {
    pub(crate) inner: O,
    bars: Vec<ProgressBar>,
}

impl<O> Progress<O> {
    /// Draws on stderr; hidden where that is no terminal.
    pub(crate) fn new(line: &Line, inner: O) -> Self {
        let all = MultiProgress::new();
        let style = ProgressStyle::with_template("{prefix:>16} {bar:40} {pos}/{len} {msg}")
            .expect("the template is right");
        let widest = line.jobs.iter().take(MOST);
        let bars = widest.map(|job| {
            let bar = all.add(ProgressBar::new(u64::from(job.images)));
            bar.set_style(style.clone());
            bar.set_prefix(job.name.clone());
            bar
        });
        Progress { inner, bars: bars.collect() }
    }

    /// Leaves the terminal as it was.
    pub(crate) fn finish(self) -> O {
        for bar in &self.bars {
            bar.finish_and_clear();
        }
        self.inner
    }
}

impl<O: Observer> Observer for Progress<O> {
    fn event(&mut self, scheduler: &Scheduler<'_>, event: Event) {
        self.inner.event(scheduler, event);
        let bar = |job: lineside_core::JobId| self.bars.get(job.index as usize);
        match event {
            Event::Done { job, count, .. } => {
                bar(job).inspect(|bar| bar.inc(u64::from(count)));
            }
            Event::Fail { job, .. } => {
                bar(job).inspect(|bar| bar.set_message("a start failed"));
            }
            Event::Ready { job, .. } => {
                bar(job).inspect(|bar| bar.set_message("waits"));
            }
            Event::Start { job, .. } => {
                bar(job).inspect(|bar| bar.set_message("runs"));
            }
            Event::End { job, .. } => {
                bar(job).inspect(|bar| bar.set_message(""));
            }
            Event::Evict { .. }
            | Event::Grant { .. }
            | Event::Revoke { .. }
            | Event::Release { .. }
            | Event::Unit { .. } => {}
        }
    }

    fn wants_reasons(&self) -> bool {
        self.inner.wants_reasons()
    }

    fn reason(&mut self, reason: Reason) {
        self.inner.reason(reason);
    }
}
