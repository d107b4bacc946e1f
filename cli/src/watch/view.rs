//! What is to be seen, kept up to date by the events of the run.

use std::collections::{BTreeMap, HashMap, VecDeque};

use lineside_core::{Event, JobId, LeaseId, Nanos, Outcome, RevokeCause, Scheduler, UnitState};
use lineside_line::Line;

use crate::words::printable;

/// Reasons are asked for of so many.
const QUEUE_MAX: usize = 64;
/// Messages are kept for the last rows of the screen.
const MESSAGES_MAX: usize = 100;
/// Spans of a unit that are kept; the oldest are joined to one.
const SPANS_MAX: usize = 4096;

pub(super) struct View {
    pub(super) title: String,
    pub(super) jobs: Vec<JobView>,
    pub(super) units: Vec<UnitView>,
    pub(super) reasons: Vec<(JobId, String)>,
    pub(super) messages: VecDeque<String>,
    /// The first row of the queue that is shown.
    pub(super) scrolled: usize,
    /// Who is in the queue, by ticket.
    tickets: BTreeMap<u64, JobId>,
    leases: HashMap<LeaseId, LeaseView>,
}

pub(super) struct JobView {
    pub(super) name: String,
    pub(super) images: u32,
    pub(super) done: u32,
    pub(super) failed: u32,
    pub(super) end: Option<Outcome>,
}

pub(super) struct UnitView {
    pub(super) name: String,
    pub(super) state: UnitState,
    /// What it was leased for, oldest first; the last ones may go on.
    pub(super) spans: VecDeque<Span>,
}

/// A time in which a unit was leased to a job without a break.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) job: u32,
    pub(super) lease: LeaseId,
    pub(super) from: Nanos,
    /// None: it goes on.
    pub(super) to: Option<Nanos>,
    /// Images are worked on; otherwise the lease starves.
    pub(super) is_busy: bool,
}

struct LeaseView {
    units: Vec<u32>,
    job: u32,
}

impl View {
    pub(super) fn new(line: &Line) -> View {
        let job = |job: &lineside_line::Job| JobView {
            name: printable(&job.name).into_owned(),
            images: job.images,
            done: 0,
            failed: 0,
            end: None,
        };
        let unit = |unit: &lineside_line::Unit| UnitView {
            name: printable(&unit.name).into_owned(),
            state: UnitState::Up,
            spans: VecDeque::new(),
        };
        View {
            title: printable(line.name.as_deref().unwrap_or("a line")).into_owned(),
            jobs: line.jobs.iter().map(job).collect(),
            units: line.units.iter().map(unit).collect(),
            reasons: Vec::new(),
            messages: VecDeque::new(),
            scrolled: 0,
            tickets: BTreeMap::new(),
            leases: HashMap::new(),
        }
    }

    /// Those in the queue, lowest ticket first.
    pub(super) fn queue(&self) -> Vec<JobId> {
        self.tickets.values().copied().take(QUEUE_MAX).collect()
    }

    pub(super) fn queued(&self) -> usize {
        self.tickets.len()
    }

    pub(super) fn set_reasons(&mut self, reasons: Vec<(JobId, String)>) {
        self.reasons = reasons;
    }

    pub(super) fn scroll(&mut self, rows: isize) {
        let last = self.reasons.len().saturating_sub(1);
        self.scrolled = self.scrolled.saturating_add_signed(rows).min(last);
    }

    pub(super) fn say(&mut self, text: &str) {
        if self.messages.len() == MESSAGES_MAX {
            self.messages.pop_front();
        }
        self.messages.push_back(printable(text).into_owned());
    }

    pub(super) fn event(&mut self, scheduler: &Scheduler<'_>, event: Event) {
        let now = scheduler.now();
        match event {
            Event::Ready { job, ticket } => {
                self.tickets.insert(ticket, job);
            }
            Event::Grant { job, lease, ticket, .. } => {
                self.tickets.remove(&ticket);
                let units = scheduler.units_of(lease).into_iter().flatten();
                let units = units.map(|unit| unit.0).collect();
                self.leases.insert(lease, LeaseView { units, job: job.index });
                self.turn(lease, now, false);
            }
            Event::Start { lease, .. } => self.turn(lease, now, true),
            Event::Done { job, lease, count, .. } => {
                self.jobs[job.index as usize].done += count;
                self.turn(lease, now, false);
            }
            Event::Fail { job, lease, first, .. } => {
                self.jobs[job.index as usize].failed += 1;
                self.turn(lease, now, false);
                let name = &self.jobs[job.index as usize].name;
                self.say(&format!("{name}: image {first} failed"));
            }
            Event::Revoke { job, cause, .. } => {
                let name = &self.jobs[job.index as usize].name;
                self.say(&format!("{name}: lease revoked, {}", cause_in_words(cause)));
            }
            Event::Release { lease, .. } => {
                self.close(lease, now);
                self.leases.remove(&lease);
            }
            Event::End { job, outcome } => {
                self.tickets.retain(|_, queued| *queued != job);
                self.jobs[job.index as usize].end = Some(outcome);
                let name = &self.jobs[job.index as usize].name;
                self.say(&format!("{name}: {}", end_in_words(outcome)));
            }
            Event::Unit { unit, state } => {
                let unit = &mut self.units[unit.0 as usize];
                unit.state = state;
                let text = format!("{} is {}", unit.name, state_in_words(state));
                self.say(&text);
            }
            Event::Evict { .. } => {}
        }
    }

    /// A lease begins to work, or to starve, on each of its units.
    fn turn(&mut self, lease: LeaseId, now: Nanos, is_busy: bool) {
        self.close(lease, now);
        let Some(LeaseView { units, job }) = self.leases.get(&lease) else { return };
        for &unit in units {
            let spans = &mut self.units[unit as usize].spans;
            if spans.len() == SPANS_MAX {
                spans.pop_front();
            }
            spans.push_back(Span { job: *job, lease, from: now, to: None, is_busy });
        }
    }

    /// Whatever goes on for a lease ends now.
    fn close(&mut self, lease: LeaseId, now: Nanos) {
        let Some(LeaseView { units, .. }) = self.leases.get(&lease) else { return };
        for &unit in units {
            let spans = &mut self.units[unit as usize].spans;
            let last = spans.iter().rposition(|span| span.lease == lease);
            let Some(open) = last.filter(|&at| spans[at].to.is_none()) else { continue };
            if spans[open].from == now {
                // What took no time can't be seen.
                spans.remove(open);
            } else {
                spans[open].to = Some(now);
            }
        }
    }
}

impl UnitView {
    /// The leases on it now.
    pub(super) fn open(&self) -> impl Iterator<Item = &Span> {
        self.spans.iter().filter(|span| span.to.is_none())
    }
}

pub(super) fn state_in_words(state: UnitState) -> &'static str {
    match state {
        UnitState::Up => "up",
        UnitState::Draining => "draining",
        UnitState::Down => "down",
    }
}

pub(super) fn end_in_words(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Done => "done",
        Outcome::Failed(_) => "failed",
        Outcome::Cancelled => "cancelled",
        Outcome::Skipped(_) => "skipped",
    }
}

fn cause_in_words(cause: RevokeCause) -> &'static str {
    match cause {
        RevokeCause::Timeout => "it took too long",
        RevokeCause::Cancel => "the job is cancelled",
        RevokeCause::Skipped => "an upstream ended badly",
        RevokeCause::Failed => "the job has failed",
        RevokeCause::Device => "its unit is lost",
        RevokeCause::Circle => "it held what it waited for",
    }
}
