//! A trace as columns of numbers.

use lineside_backends::Observer;
use lineside_core as core;
use lineside_core::{Event, LeaseId, Nanos, Reason, Scheduler};
use lineside_line::Line;
use lineside_line::trace::{self, End, FailCause, Hash, Images, RevokeCause, UnitState, What};

/// The words of the trace, by the numbers in [`Columns::ev`].
///
/// ```
/// assert_eq!(lineside_wasm::EVENTS[2], "grant");
/// ```
pub const EVENTS: [&str; 10] =
    ["ready", "evict", "grant", "start", "done", "fail", "revoke", "release", "end", "unit"];

/// A trace: one row an event, and for each lease its units.
///
/// | `ev` | `who` | `lease` | `a` | `b` |
/// |---|---|---|---|---|
/// | ready | job | | ticket | |
/// | evict | unit | | model | |
/// | grant | job | lease | ticket | 1 if cold + 2 if by fallback |
/// | start, done, fail | job | lease | first | count |
/// | revoke | job | lease | cause | |
/// | release | job | lease | | |
/// | end | job | | state: 0 done, 1 failed, 2 cancelled, 3 skipped | cause, or upstream |
/// | unit | unit | | state: 0 up, 1 draining, 2 down | |
///
/// ```
/// assert!(lineside_wasm::Columns::default().t.is_empty());
/// ```
#[derive(Debug, Default)]
pub struct Columns {
    /// Nanoseconds from the start of the line.
    pub t: Vec<u64>,
    /// What happened: see [`EVENTS`].
    pub ev: Vec<u8>,
    /// Index of the job, or of the unit.
    pub who: Vec<u32>,
    /// The lease, counted from 0.
    pub lease: Vec<u32>,
    /// See the table.
    pub a: Vec<u32>,
    /// See the table.
    pub b: Vec<u32>,
    /// The units of all leases, one lease's after the other's.
    pub held: Vec<u32>,
    /// Which slot of each of these units.
    pub slot: Vec<u32>,
    /// Where the units of each lease end in `held`.
    pub held_end: Vec<u32>,
    /// For each of the first leases the rule that put its entry first.
    pub order: Vec<u8>,
    /// For each of the first leases the rule that chose its unit.
    pub placement: Vec<u8>,
}

/// No lease.
const NONE: u32 = u32::MAX;

/// Grants whose rules are counted.
const REASONS_MAX: usize = 10_000;

impl Columns {
    /// The units of a lease.
    pub fn units_of(&self, lease: u32) -> &[u32] {
        let from = lease.checked_sub(1).map_or(0, |before| self.held_end[before as usize]);
        &self.held[from as usize..self.held_end[lease as usize] as usize]
    }

    /// One row as an event of the trace.
    pub fn event(&self, at: usize) -> trace::Event<'_> {
        let (who, lease, a, b) = (self.who[at], self.lease[at], self.a[at], self.b[at]);
        let images = Images { job: who, lease: lease.into(), first: a, count: b };
        let what = match self.ev[at] {
            0 => What::Ready { job: who, ticket: a.into() },
            1 => What::Evict { unit: who, model: a },
            2 => What::Grant {
                job: who,
                lease: lease.into(),
                units: self.units_of(lease),
                ticket: a.into(),
                cold: b & 1 != 0,
                fallback: b & 2 != 0,
            },
            3 => What::Start(images),
            4 => What::Done(images),
            5 => What::Fail(images),
            6 => What::Revoke { job: who, lease: lease.into(), cause: CAUSES[a as usize] },
            7 => What::Release { job: who, lease: lease.into(), units: self.units_of(lease) },
            8 => What::End { job: who, end: end(a, b) },
            _ => What::Unit { unit: who, state: STATES[a as usize] },
        };
        trace::Event { t: self.t[at], what }
    }

    /// The text of the trace, as `lineside plan --trace` writes it.
    pub fn trace(&self, line: &Line) -> String {
        let mut text = String::new();
        for at in 0..self.t.len() {
            // Writing to a string can't fail.
            let _ = trace::write_event(&mut text, line, &self.event(at), &[]);
            text.push('\n');
        }
        text
    }

    /// The hash of the trace, as `lineside plan --hash` prints it.
    pub fn hash(&self, line: &Line) -> String {
        let mut hash = Hash::default();
        for at in 0..self.t.len() {
            hash.take(line, &self.event(at));
        }
        hash.hex()
    }
}

const CAUSES: [RevokeCause; 6] = [
    RevokeCause::Timeout,
    RevokeCause::Cancel,
    RevokeCause::Skipped,
    RevokeCause::Failed,
    RevokeCause::Device,
    RevokeCause::Circle,
];
const STATES: [UnitState; 3] = [UnitState::Up, UnitState::Draining, UnitState::Down];
const FAILURES: [FailCause; 3] = [FailCause::Error, FailCause::Timeout, FailCause::Device];

fn end(state: u32, cause: u32) -> End {
    match state {
        0 => End::Done,
        1 => End::Failed(FAILURES[cause as usize]),
        2 => End::Cancelled,
        _ => End::Skipped { upstream: cause },
    }
}

/// An observer that fills [`Columns`], and keeps the reasons of the grants of one instant. It is
/// one type for both, since every other one would bring a copy of the driver and the core.
#[derive(Debug)]
pub(crate) struct Recorder {
    pub(crate) columns: Columns,
    /// The leases that were granted at `instant`, and why.
    pub(crate) reasons: Vec<(u32, Reason)>,
    instant: Option<Nanos>,
    why: Option<Reason>,
    /// Which slots of each unit are taken.
    taken: Vec<Vec<bool>>,
}

impl Recorder {
    pub(crate) fn new(units: usize, instant: Option<Nanos>) -> Self {
        let (columns, reasons) = (Columns::default(), Vec::new());
        Recorder { columns, reasons, instant, why: None, taken: vec![Vec::new(); units] }
    }

    /// Takes the lowest free slot of each unit of a new lease.
    fn hold(&mut self, scheduler: &Scheduler<'_>, lease: LeaseId) {
        for unit in scheduler.units_of(lease).into_iter().flatten() {
            let taken = &mut self.taken[unit.0 as usize];
            let free = taken.iter().position(|taken| !taken).unwrap_or(taken.len());
            if free == taken.len() {
                taken.push(true);
            } else {
                taken[free] = true;
            }
            self.columns.held.push(unit.0);
            self.columns.slot.push(free as u32);
        }
        self.columns.held_end.push(self.columns.held.len() as u32);
    }

    fn give_back(&mut self, lease: u32) {
        let Columns { held, slot, held_end, .. } = &self.columns;
        let from = lease.checked_sub(1).map_or(0, |before| held_end[before as usize]);
        for at in from as usize..held_end[lease as usize] as usize {
            self.taken[held[at] as usize][slot[at] as usize] = false;
        }
    }

    fn push(&mut self, t: Nanos, row: [u32; 5]) {
        let [ev, who, lease, a, b] = row;
        let columns = &mut self.columns;
        columns.t.push(t);
        columns.ev.push(ev as u8);
        columns.who.push(who);
        columns.lease.push(lease);
        columns.a.push(a);
        columns.b.push(b);
    }
}

impl Observer for Recorder {
    fn event(&mut self, scheduler: &Scheduler<'_>, event: Event) {
        // Plans end long before their leases can't be counted in 32 bits.
        let number = |lease| scheduler.number_of(lease).map_or(NONE, |number| number as u32);
        let row = match event {
            Event::Ready { job, ticket } => [0, job.index, NONE, ticket as u32, 0],
            Event::Evict { unit, model } => [1, unit.0, NONE, model.0, 0],
            Event::Grant { job, lease, number, ticket, cold, fallback } => {
                self.hold(scheduler, lease);
                if let Some(why) = self.why.take().filter(|_| Some(scheduler.now()) == self.instant)
                {
                    self.reasons.push((number as u32, why));
                }
                let flags = u32::from(cold) | u32::from(fallback) << 1;
                [2, job.index, number as u32, ticket as u32, flags]
            }
            Event::Start { job, lease, first, count } => {
                [3, job.index, number(lease), first, count]
            }
            Event::Done { job, lease, first, count } => [4, job.index, number(lease), first, count],
            Event::Fail { job, lease, first, count } => [5, job.index, number(lease), first, count],
            Event::Revoke { job, lease, cause } => {
                [6, job.index, number(lease), revoke_cause(cause), 0]
            }
            Event::Release { job, lease } => {
                self.give_back(number(lease));
                [7, job.index, number(lease), 0, 0]
            }
            Event::End { job, outcome } => {
                let (state, cause) = outcome_in_numbers(outcome);
                [8, job.index, NONE, state, cause]
            }
            Event::Unit { unit, state } => [9, unit.0, NONE, unit_state(state), 0],
        };
        self.push(scheduler.now(), row);
    }

    /// A reason costs a look at every leader and unit: of long plans it is asked for the first
    /// grants, and for those of the instant that is looked at.
    fn wants_reasons(&self) -> bool {
        self.columns.order.len() < REASONS_MAX || self.instant.is_some()
    }

    fn reason(&mut self, reason: Reason) {
        self.columns.order.push(reason.order as u8);
        self.columns.placement.push(reason.placement as u8);
        self.why = self.instant.map(|_| reason);
    }
}

fn revoke_cause(cause: core::RevokeCause) -> u32 {
    match cause {
        core::RevokeCause::Timeout => 0,
        core::RevokeCause::Cancel => 1,
        core::RevokeCause::Skipped => 2,
        core::RevokeCause::Failed => 3,
        core::RevokeCause::Device => 4,
        core::RevokeCause::Circle => 5,
    }
}

fn unit_state(state: core::UnitState) -> u32 {
    match state {
        core::UnitState::Up => 0,
        core::UnitState::Draining => 1,
        core::UnitState::Down => 2,
    }
}

fn outcome_in_numbers(outcome: core::Outcome) -> (u32, u32) {
    match outcome {
        core::Outcome::Done => (0, 0),
        core::Outcome::Failed(core::Failure::Error) => (1, 0),
        core::Outcome::Failed(core::Failure::Timeout) => (1, 1),
        core::Outcome::Failed(core::Failure::Device) => (1, 2),
        core::Outcome::Cancelled => (2, 0),
        core::Outcome::Skipped(by) => (3, by.index),
    }
}
