//! The table of the jobs.

use super::{Screen, Style, state_style};
use crate::duration::duration;
use crate::summary::{JobSummary, Summary};
use crate::text::{columns, cut, one_line, pad, pad_left};
use crate::words;

/// Jobs that are listed at most.
const JOBS: usize = 20;

/// A column of numbers: its heading, how wide it is, and from which width of the screen on it is
/// shown.
struct Column {
    heading: &'static str,
    width: usize,
    from: usize,
    value: fn(&JobSummary) -> String,
}

const COLUMNS: [Column; 6] = [
    Column { heading: "images", width: 8, from: 60, value: |job| words::grouped(job.images) },
    Column { heading: "grants", width: 8, from: 76, value: |job| words::grouped(job.grants) },
    Column { heading: "waited", width: 10, from: 0, value: |job| duration(job.wait_ns) },
    Column { heading: "longest", width: 10, from: 50, value: |job| duration(job.wait_max_ns) },
    Column { heading: "began", width: 10, from: 96, value: |job| time(job.first_start_ns) },
    Column { heading: "ended", width: 10, from: 86, value: |job| time(job.end_ns) },
];

fn time(t: Option<u64>) -> String {
    t.map_or("–".to_string(), duration)
}

impl Screen {
    pub(super) fn jobs(&mut self, numbers: &Summary) {
        let shown = numbers.notable(JOBS);
        let columns_shown: Vec<&Column> =
            COLUMNS.iter().filter(|column| column.from <= self.width).collect();
        let right: usize = columns_shown.iter().map(|column| column.width).sum();
        let room = self.width - right - 10 - 2;
        let names = shown.iter().map(|&job| columns(&one_line(&numbers.jobs[job].name)));
        let label = names.max().unwrap_or(0).clamp(4, room.min(32));
        let mut heading = format!("  {}{}", pad("job", label), pad(" state", 10));
        for column in &columns_shown {
            heading.push_str(&pad_left(column.heading, column.width));
        }
        let heading = self.styled(Style::Soft, &heading);
        self.out.push_str(&heading);
        self.out.push('\n');
        for &job in &shown {
            self.job(job as u32, &numbers.jobs[job], label, &columns_shown);
        }
        let more = numbers.jobs.len() - shown.len();
        if more > 0 {
            let more = format!("  and {}\n", words::count(more as u64, "more job"));
            let more = self.styled(Style::Soft, &more);
            self.out.push_str(&more);
        }
    }

    fn job(&mut self, at: u32, job: &JobSummary, label: usize, shown: &[&Column]) {
        let mark = if self.colour { self.styled(Style::Job(at), "■") } else { " ".to_string() };
        let name = pad(&one_line(&job.name), label);
        let state = self.styled(state_style(job.state), &pad(job.state.word(), 9));
        self.out.push_str(&format!("{mark} {name} {state}"));
        for column in shown {
            let value = cut(&(column.value)(job), column.width);
            self.out.push_str(&pad_left(&value, column.width));
        }
        self.out.push('\n');
    }
}
