//! The view on a screen.

use lineside_core::{Nanos, Outcome, UnitState};
use lineside_report::duration;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Style, Stylize};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Paragraph, Wrap};

use super::view::{UnitView, View, end_in_words, state_in_words};

/// Told apart on dark and on light; the letter of a job says the rest.
const COLOURS: [Color; 6] =
    [Color::Cyan, Color::Yellow, Color::Magenta, Color::Green, Color::Blue, Color::Red];

pub(super) fn draw(frame: &mut Frame<'_>, view: &mut View, now: Nanos) {
    let units = (view.units.len() as u16).saturating_add(2).min(frame.area().height / 3);
    let [head, units, middle, messages, foot] = Layout::vertical([
        Constraint::Length(1),
        Constraint::Length(units.max(3)),
        Constraint::Fill(1),
        Constraint::Length(6),
        Constraint::Length(1),
    ])
    .areas(frame.area());
    let [jobs, queue] =
        Layout::horizontal([Constraint::Percentage(40), Constraint::Fill(1)]).areas(middle);
    frame.render_widget(title(view, now), head);
    frame.render_widget(Paragraph::new(unit_rows(view, units, now)).block(pane("units")), units);
    frame.render_widget(Paragraph::new(job_rows(view, jobs)).block(pane("jobs")), jobs);
    let queued = format!("queue: {}", view.queued());
    let rows = Paragraph::new(queue_rows(view, queue)).wrap(Wrap { trim: false });
    frame.render_widget(rows.block(pane(&queued)), queue);
    frame.render_widget(Paragraph::new(last_messages(view)).block(pane("messages")), messages);
    frame.render_widget(Line::from(" q stop   ↑ ↓ scroll the queue").dim(), foot);
}

fn pane(title: &str) -> Block<'static> {
    Block::bordered().title(format!(" {title} ")).border_style(Style::new().dim())
}

fn title(view: &View, now: Nanos) -> Line<'static> {
    let images: u64 = view.jobs.iter().map(|job| u64::from(job.images)).sum();
    let done: u64 = view.jobs.iter().map(|job| u64::from(job.done)).sum();
    let ended = view.jobs.iter().filter(|job| job.end.is_some()).count();
    Line::from(vec![
        Span::from(format!(" {} ", view.title)).bold(),
        Span::from(format!(
            " {}   images {done}/{images}   jobs {ended}/{}",
            duration(now / 100_000_000 * 100_000_000),
            view.jobs.len()
        )),
    ])
}

/// A row a unit: its name, its past, and what it holds.
fn unit_rows(view: &View, area: Rect, now: Nanos) -> Vec<Line<'static>> {
    let name_width = view.units.iter().map(|unit| unit.name.chars().count()).max().unwrap_or(0);
    let name_width = name_width.clamp(4, 16);
    let chart_width = usize::from(area.width).saturating_sub(name_width + 30).max(8);
    let row = |unit: &UnitView| {
        let mut parts = vec![Span::from(format!(" {:name_width$.name_width$} ", unit.name))];
        parts.extend(chart(unit, chart_width, now));
        parts.push(Span::from(" "));
        if unit.state == UnitState::Up {
            let open: Vec<u32> = unit.open().map(|span| span.job).collect();
            match open.first() {
                None => parts.push(Span::from("free").dim()),
                Some(&job) => parts.push(name_of(view, job)),
            }
            if open.len() > 1 {
                parts.push(Span::from(format!(" and {} more", open.len() - 1)));
            }
        } else {
            parts.push(Span::from(state_in_words(unit.state)).bold());
        }
        Line::from(parts)
    };
    view.units.iter().map(row).collect()
}

/// The whole run so far: a letter where a unit works for a job, a dot where its lease starves.
fn chart(unit: &UnitView, width: usize, now: Nanos) -> Vec<Span<'static>> {
    let cell = (now / width as u64).max(1);
    let mut cells: Vec<Option<(u64, u32, bool)>> = vec![None; width];
    for span in &unit.spans {
        let to = span.to.unwrap_or(now).min(now);
        let first = (span.from / cell) as usize;
        let last = (to.saturating_sub(1) / cell) as usize;
        for (at, best) in cells.iter_mut().enumerate().take(last + 1).skip(first) {
            let begin = at as u64 * cell;
            let covered = to.min(begin + cell).saturating_sub(span.from.max(begin));
            if best.is_none_or(|(most, ..)| covered > most) {
                *best = Some((covered, span.job, span.is_busy));
            }
        }
    }
    let shown = cells.into_iter().map(|cell| match cell {
        None => Span::from("·").dim(),
        Some((_, job, true)) => Span::from(letter(job).to_string()).bold().fg(colour(job)),
        Some((_, job, false)) => Span::from("░").fg(colour(job)),
    });
    shown.collect()
}

fn job_rows(view: &View, area: Rect) -> Vec<Line<'static>> {
    let height = usize::from(area.height.saturating_sub(2));
    // Those that have ended make room for those that have not.
    let ended = view.jobs.iter().filter(|job| job.end.is_some()).count();
    let skip = view.jobs.len().saturating_sub(height).min(ended);
    let mut order: Vec<usize> = (0..view.jobs.len()).collect();
    order.sort_by_key(|&at| view.jobs[at].end.is_none());
    order.drain(..skip);
    order.sort_unstable();
    let row = |at: usize| {
        let job = &view.jobs[at];
        let state = match job.end {
            Some(Outcome::Done) => Span::from("done").dim(),
            Some(outcome) => Span::from(end_in_words(outcome)).bold(),
            None if job.failed > 0 => Span::from(format!("{} failed", job.failed)),
            None => Span::from(""),
        };
        Line::from(vec![
            Span::from(format!(" {} ", letter(at as u32))).bold().fg(colour(at as u32)),
            Span::from(format!("{:<16} {:>6}/{:<6} ", job.name, job.done, job.images)),
            state,
        ])
    };
    order.into_iter().take(height).map(row).collect()
}

fn queue_rows(view: &View, area: Rect) -> Vec<Line<'static>> {
    let height = usize::from(area.height.saturating_sub(2));
    let rows = view.reasons.iter().skip(view.scrolled).take(height);
    let row = |(job, why): &(lineside_core::JobId, String)| {
        Line::from(vec![Span::from(" "), name_of(view, job.index), Span::from(format!(" {why}"))])
    };
    rows.map(row).collect()
}

fn last_messages(view: &View) -> Vec<Line<'static>> {
    let skip = view.messages.len().saturating_sub(4);
    view.messages.iter().skip(skip).map(|text| Line::from(format!(" {text}"))).collect()
}

fn name_of(view: &View, job: u32) -> Span<'static> {
    Span::from(view.jobs[job as usize].name.clone()).fg(colour(job))
}

/// a to z, and again.
fn letter(job: u32) -> char {
    char::from(b'a' + (job % 26) as u8)
}

fn colour(job: u32) -> Color {
    COLOURS[job as usize % COLOURS.len()]
}

#[cfg(test)]
mod tests {
    use lineside_backends::{Driver, Sim, Tables, Workload};
    use lineside_line::{NoFiles, read};
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;

    use super::*;
    use crate::words::Words;

    const LINE: &str = "[line]\nname = \"two\"\n[[device]]\nname = \"gpu0\"\n\
        [[job]]\nname = \"find\"\nimages = 4\ntime = \"10ms\"\n\
        [[job]]\nname = \"read\"\nimages = 2\ntime = \"5ms\"\n";

    /// The screen after so many rounds of a plan, as text.
    fn screen(rounds: usize, width: u16, height: u16) -> String {
        let line = read(LINE, &NoFiles).expect("the line is legal").line;
        let workload = Workload::from_line(&line);
        let mut tables = Tables::for_workload(&workload);
        let mut view = View::new(&line);
        let mut watch = |scheduler: &lineside_core::Scheduler<'_>, event| {
            view.event(scheduler, event);
        };
        let sim = Sim::new(&workload);
        let mut driver =
            Driver::new(&workload, tables.storage(), sim, &mut watch).expect("it fits");
        for _ in 0..rounds {
            driver.round(&mut watch);
        }
        let (scheduler, words) = (driver.scheduler_mut(), Words::new(&line));
        let now = scheduler.now();
        let reasons = view.queue().into_iter().map(|job| {
            let wait = scheduler.why(now, job).expect("it is there");
            (job, words.wait_in_full(scheduler, job, &wait))
        });
        let reasons = reasons.collect();
        view.set_reasons(reasons);
        let mut terminal = Terminal::new(TestBackend::new(width, height)).expect("a terminal");
        terminal.draw(|frame| draw(frame, &mut view, now)).expect("it is drawn");
        terminal.backend().to_string()
    }

    #[test]
    fn the_screen_shows_who_works_who_waits_and_why() {
        let shown = screen(3, 80, 24);
        assert!(shown.contains("two"), "{shown}");
        assert!(shown.contains("aaaa"), "find works on gpu0:\n{shown}");
        assert!(shown.contains("images 2/6"), "{shown}");
        assert!(shown.contains("queue: 1"), "{shown}");
        assert!(shown.contains("read needs 1 unit"), "{shown}");
    }

    #[test]
    fn a_line_that_is_over_leaves_the_queue_empty_and_the_unit_free() {
        let shown = screen(100, 80, 24);
        assert!(shown.contains("images 6/6   jobs 2/2"), "{shown}");
        assert!(shown.contains("queue: 0"), "{shown}");
        assert!(shown.contains("free"), "{shown}");
        assert!(shown.contains("bb"), "read has worked:\n{shown}");
        assert!(shown.contains("read: done"), "{shown}");
    }

    #[test]
    fn every_size_of_screen_can_be_drawn_on() {
        for (width, height) in [(1, 1), (10, 4), (30, 8), (200, 60)] {
            assert!(!screen(3, width, height).is_empty());
        }
    }
}
