//! A plan or a run on a terminal.

mod chart;
mod tables;

use lineside_line::Line;

use crate::advice::{self, Advice, AdviceCode};
use crate::duration::duration;
use crate::record::Record;
use crate::summary::{self, JobState, Summary};
use crate::text::{columns, cut, one_line};
use crate::timeline::Timeline;
use crate::words;

/// A plan or a run for a terminal of `width` columns: the chart, the units, the jobs, and what to
/// change. With `colour` it holds the escape sequences of ANSI terminals, without it none.
///
/// No row is wider than `width` (40 at least). Names can do no harm: what would move the cursor is
/// replaced. Ends with a line end.
///
/// ```
/// use lineside_line::Line;
/// use lineside_report::{Record, terminal};
/// let text = terminal(&Line::default(), &Record::default(), 80, false);
/// assert!(text.lines().all(|line| line.chars().count() <= 80));
/// ```
pub fn terminal(line: &Line, record: &Record, width: usize, colour: bool) -> String {
    let timeline = Timeline::read(line, record);
    let numbers = summary::of(&timeline);
    let mut screen = Screen { out: String::new(), width: width.clamp(40, 400), colour };
    screen.heading(&timeline, &numbers);
    if !timeline.units.is_empty() {
        screen.out.push('\n');
        screen.units(&timeline, &numbers);
    }
    if !numbers.jobs.is_empty() {
        screen.out.push('\n');
        screen.jobs(&numbers);
    }
    let advice = advice::of(&timeline);
    if !advice.is_empty() {
        screen.out.push('\n');
        screen.advice(&advice);
    }
    screen.out
}

/// What has been written so far, and on what.
struct Screen {
    out: String,
    width: usize,
    colour: bool,
}

/// How something is to look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Style {
    Plain,
    Bold,
    Soft,
    Good,
    Warn,
    Bad,
    /// In the colour of this job.
    Job(u32),
}

impl Screen {
    /// Text in a style; the text itself holds no escape sequences.
    fn styled(&self, style: Style, text: &str) -> String {
        // The sixteen colours of the terminal, since those suit its ground. Red is for failures.
        const JOBS: [u8; 8] = [36, 33, 35, 32, 34, 96, 95, 94];
        let code = match style {
            Style::Plain => return text.to_string(),
            Style::Bold => 1,
            Style::Soft => 2,
            Style::Good => 32,
            Style::Warn => 33,
            Style::Bad => 31,
            Style::Job(job) => JOBS[job as usize % JOBS.len()],
        };
        match self.colour && !text.is_empty() {
            true => format!("\u{1b}[{code}m{text}\u{1b}[0m"),
            false => text.to_string(),
        }
    }

    fn heading(&mut self, timeline: &Timeline<'_>, numbers: &Summary) {
        let mut room = self.width;
        let name = timeline.line.name.as_deref().map(one_line);
        if let Some(name) = name {
            let name = cut(&name, room);
            let bold = self.styled(Style::Bold, &name);
            self.out.push_str(&bold);
            self.out.push('\n');
        }
        let outcomes = words::outcomes(numbers);
        let mut parts = vec![(Style::Plain, format!("makespan {}", duration(numbers.makespan_ns)))];
        for (state, count) in outcomes {
            parts.push((state_style(state), format!("{count} {}", state.word())));
        }
        let wait = numbers.wait_ns;
        parts.push((Style::Soft, format!("mean wait {}", duration(wait.mean))));
        parts.push((Style::Soft, format!("longest {}", duration(wait.max))));
        parts.push((Style::Soft, format!("at most {} at once", numbers.leases_max)));
        for (at, (style, text)) in parts.into_iter().enumerate() {
            let apart = if at == 0 { "" } else { " · " };
            if columns(&text) + columns(apart) > room {
                break;
            }
            room -= columns(&text) + columns(apart);
            self.out.push_str(apart);
            let text = self.styled(style, &text);
            self.out.push_str(&text);
        }
        self.out.push('\n');
    }

    fn advice(&mut self, advice: &[Advice]) {
        for Advice { code, text } in advice {
            let style = match code {
                AdviceCode::Stuck | AdviceCode::Failed => Style::Bad,
                _ => Style::Warn,
            };
            let mut mark = self.styled(style, "›");
            for row in wrapped(&one_line(text), self.width - 2) {
                self.out.push_str(&format!("{mark} {row}\n"));
                mark = " ".to_string();
            }
        }
    }
}

fn state_style(state: JobState) -> Style {
    match state {
        JobState::Done => Style::Good,
        JobState::Failed | JobState::Stuck => Style::Bad,
        JobState::Cancelled | JobState::Skipped => Style::Warn,
    }
}

/// Text in rows of at most `width` columns, broken at spaces where there are any.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut rows = Vec::new();
    let mut row = String::new();
    for word in text.split(' ') {
        let mut word = word.to_string();
        if !row.is_empty() && columns(&row) + 1 + columns(&word) > width {
            rows.push(std::mem::take(&mut row));
        }
        while columns(&word) > width {
            let mut head = String::new();
            while let Some(c) = word.chars().next()
                && columns(&head) + columns(&c.to_string()) <= width
            {
                head.push(c);
                word.remove(0);
            }
            rows.push(head);
        }
        if !row.is_empty() {
            row.push(' ');
        }
        row.push_str(&word);
    }
    if !row.is_empty() {
        rows.push(row);
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_broken_at_spaces_and_never_too_wide() {
        assert_eq!(wrapped("a bb ccc", 4), ["a bb", "ccc"]);
        assert_eq!(wrapped("缺陷检测", 5), ["缺陷", "检测"]);
        assert!(wrapped("", 5).is_empty());
    }
}
