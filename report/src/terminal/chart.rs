//! The chart: a row a unit.

use super::{Screen, Style};
use crate::duration::{duration, ticks};
use crate::summary::{Summary, UnitSummary, share};
use crate::text::{columns, cut, one_line, pad, pad_left};
use crate::timeline::{How, Timeline};
use crate::words;
use lineside_line::trace::UnitState;

/// Units that are shown at most.
const UNITS: usize = 24;

/// The columns of the numbers at the right: busy, held, starved.
const NUMBERS: usize = 18;

/// One column of a unit's row.
#[derive(Debug, Clone, Default)]
struct Cell {
    /// Time in flight, over all lanes.
    busy: u64,
    /// Time leased with nothing in flight.
    starved: u64,
    /// Who has most of it, and how much.
    most: Option<(u32, u64)>,
    failed: bool,
    down: bool,
}

impl Screen {
    pub(super) fn units(&mut self, timeline: &Timeline<'_>, numbers: &Summary) {
        let names = numbers.units.iter().map(|unit| columns(&one_line(&unit.name)));
        let label = names.max().unwrap_or(0).clamp(4, (self.width / 4).min(20));
        let chart = self.width - label - NUMBERS - 2;
        self.axis(timeline.end, label, chart);
        let rows = cells(timeline, chart);
        for (unit, row) in numbers.units.iter().zip(&rows).take(UNITS) {
            self.unit(timeline, unit, row, label);
        }
        if numbers.units.len() > UNITS {
            let more = words::count((numbers.units.len() - UNITS) as u64, "more unit");
            let more = self.styled(Style::Soft, &format!("and {more}\n"));
            self.out.push_str(&more);
        }
        if let Some(cpu) = &numbers.cpu {
            let row = cut(&words::cpu(cpu), self.width);
            let row = self.styled(Style::Soft, &row);
            self.out.push_str(&format!("{row}\n"));
        }
    }

    fn axis(&mut self, end: u64, label: usize, chart: usize) {
        let mut axis = String::new();
        for t in ticks(end, (chart as u64 / 12).max(2)) {
            let text = duration(t);
            let at = (share(t, end) * chart as f64) as usize;
            let used = columns(&axis);
            if at + columns(&text) > chart || (used > 0 && at < used + 2) {
                continue;
            }
            axis.push_str(&" ".repeat(at - used));
            axis.push_str(&text);
        }
        let axis = pad(&axis, chart);
        let row = format!("{}{axis}   busy  held starv", " ".repeat(label + 1));
        let row = self.styled(Style::Soft, row.trim_end());
        self.out.push_str(&row);
        self.out.push('\n');
    }

    fn unit(&mut self, timeline: &Timeline<'_>, unit: &UnitSummary, row: &[Cell], label: usize) {
        let name = pad(&one_line(&unit.name), label);
        self.out.push_str(&name);
        self.out.push(' ');
        let width = timeline.end.div_ceil(row.len().max(1) as u64).max(1);
        for run in row.chunk_by(same) {
            let job = run[0].most.map(|(job, _)| job);
            let plain = !run[0].failed && !run[0].down;
            let named = job.filter(|_| plain).and_then(|job| {
                let name = cut(&one_line(timeline.job_name(job)), run.len().saturating_sub(3));
                (run.len() >= 8 && columns(&name) >= 3).then_some(name)
            });
            let mut text: String = run.iter().map(|cell| block(cell, width)).collect();
            if let Some(name) = named {
                let rest: String = text.chars().skip(2 + columns(&name)).collect();
                let first: String = text.chars().take(1).collect();
                text = format!("{first}{name} {rest}");
            }
            let style = match job {
                _ if run[0].failed || run[0].down => Style::Bad,
                Some(job) => Style::Job(job),
                None => Style::Soft,
            };
            let text = self.styled(style, &text);
            self.out.push_str(&text);
        }
        let makespan = timeline.end;
        let shares = [unit.busy_ns, unit.held_ns, unit.starved_ns];
        for part in shares {
            let percent = words::percent(share(part, makespan));
            self.out.push_str(&pad_left(&percent, NUMBERS / 3));
        }
        self.out.push('\n');
    }
}

fn same(a: &Cell, b: &Cell) -> bool {
    let who = |cell: &Cell| (cell.most.map(|(job, _)| job), cell.failed, cell.down);
    who(a) == who(b)
}

/// What a cell looks like: the higher, the more of it is in flight.
fn block(cell: &Cell, width: u64) -> char {
    const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    match cell {
        Cell { failed: true, .. } => '×',
        Cell { busy: 0, down: true, .. } => '╳',
        Cell { busy: 0, starved: 0, most: None, .. } => '·',
        Cell { busy, starved, .. } if *starved > *busy => '░',
        Cell { busy, .. } => {
            let eighths = (share(*busy, width) * 8.0).ceil().clamp(1.0, 8.0);
            BLOCKS[eighths as usize - 1]
        }
    }
}

/// The columns of each unit's row.
fn cells(timeline: &Timeline<'_>, chart: usize) -> Vec<Vec<Cell>> {
    let mut rows = vec![vec![Cell::default(); chart]; timeline.units.len()];
    let width = timeline.end.div_ceil(chart as u64).max(1);
    let column = |t: u64| ((t / width) as usize).min(chart - 1);
    for lease in &timeline.leases {
        for place in timeline.places_of(lease) {
            let row = &mut rows[place.unit as usize];
            for bar in timeline.bars_of(lease) {
                let last = column(bar.to.saturating_sub(1).max(bar.from));
                for (at, cell) in (0..).zip(row.iter_mut()).take(last + 1).skip(column(bar.from)) {
                    let from = width.saturating_mul(at);
                    let to = from.saturating_add(width);
                    let part = bar.to.min(to).saturating_sub(bar.from.max(from)).max(1);
                    cell.add(bar.job, part, bar.kind == crate::timeline::Kind::Busy);
                }
            }
            for start in timeline.starts_of(lease).iter().filter(|it| it.how == How::Failed) {
                row[column(start.to.saturating_sub(1).max(start.from))].failed = true;
            }
        }
    }
    for outage in timeline.outages.iter().filter(|outage| outage.state == UnitState::Down) {
        let last = column(outage.to.saturating_sub(1).max(outage.from));
        for cell in &mut rows[outage.unit as usize][column(outage.from)..=last] {
            cell.down |= cell.most.is_none();
        }
    }
    rows
}

impl Cell {
    fn add(&mut self, job: u32, part: u64, busy: bool) {
        match busy {
            true => self.busy += part,
            false => self.starved += part,
        }
        match &mut self.most {
            Some((held, share)) if *held == job => *share += part,
            Some((_, share)) if *share >= part => {}
            most => *most = Some((job, part)),
        }
    }
}
