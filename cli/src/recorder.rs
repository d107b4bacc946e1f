//! Writes down what happens on a line, with the reasons.

use std::collections::HashMap;

use lineside_backends::Observer;
use lineside_core as core;
use lineside_core::{Event, LeaseId, Reason, Scheduler};
use lineside_line::trace::{End, FailCause, RevokeCause, UnitState};
use lineside_report::{Entry, Record, What};

use crate::words::Words;

/// An observer that makes a [`Record`].
pub(crate) struct Recorder<'l> {
    pub(crate) record: Record,
    /// None: reasons are not asked for.
    words: Option<Words<'l>>,
    why: Option<String>,
    numbers: HashMap<LeaseId, u64>,
}

impl<'l> Recorder<'l> {
    pub(crate) fn new(words: Option<Words<'l>>) -> Self {
        Recorder { record: Record::default(), words, why: None, numbers: HashMap::new() }
    }

    fn what(&mut self, scheduler: &Scheduler<'_>, event: Event) -> What {
        let units = |lease| {
            let units = scheduler.units_of(lease).into_iter().flatten();
            units.map(|unit| unit.0).collect()
        };
        // Every lease was granted before anything else is said of it.
        let number = |lease: LeaseId| self.numbers.get(&lease).copied().unwrap_or(u64::MAX);
        match event {
            Event::Ready { job, ticket } => What::Ready { job: job.index, ticket },
            Event::Evict { unit, model } => What::Evict { unit: unit.0, model: model.0 },
            Event::Grant { job, lease, number, ticket, cold, fallback } => {
                self.numbers.insert(lease, number);
                let (units, why) = (units(lease), self.why.take());
                What::Grant { job: job.index, lease: number, units, ticket, cold, fallback, why }
            }
            Event::Start { job, lease, first, count } => {
                What::Start { job: job.index, lease: number(lease), first, count }
            }
            Event::Done { job, lease, first, count } => {
                What::Done { job: job.index, lease: number(lease), first, count }
            }
            Event::Fail { job, lease, first, count } => {
                What::Fail { job: job.index, lease: number(lease), first, count }
            }
            Event::Revoke { job, lease, cause } => {
                What::Revoke { job: job.index, lease: number(lease), cause: revoke_cause(cause) }
            }
            Event::Release { job, lease } => {
                let number = self.numbers.remove(&lease).unwrap_or(u64::MAX);
                What::Release { job: job.index, lease: number, units: units(lease) }
            }
            Event::End { job, outcome } => What::End { job: job.index, end: end(outcome) },
            Event::Unit { unit, state } => {
                let state = match state {
                    core::UnitState::Up => UnitState::Up,
                    core::UnitState::Draining => UnitState::Draining,
                    core::UnitState::Down => UnitState::Down,
                };
                What::Unit { unit: unit.0, state }
            }
        }
    }
}

impl Observer for Recorder<'_> {
    fn event(&mut self, scheduler: &Scheduler<'_>, event: Event) {
        let what = self.what(scheduler, event);
        self.record.entries.push(Entry { t: scheduler.now(), what });
    }

    fn wants_reasons(&self) -> bool {
        self.words.is_some()
    }

    fn reason(&mut self, reason: Reason) {
        self.why = self.words.map(|words| words.reason(&reason));
    }
}

fn revoke_cause(cause: core::RevokeCause) -> RevokeCause {
    match cause {
        core::RevokeCause::Timeout => RevokeCause::Timeout,
        core::RevokeCause::Cancel => RevokeCause::Cancel,
        core::RevokeCause::Skipped => RevokeCause::Skipped,
        core::RevokeCause::Failed => RevokeCause::Failed,
        core::RevokeCause::Device => RevokeCause::Device,
        core::RevokeCause::Circle => RevokeCause::Circle,
    }
}

fn end(outcome: core::Outcome) -> End {
    match outcome {
        core::Outcome::Done => End::Done,
        core::Outcome::Failed(core::Failure::Error) => End::Failed(FailCause::Error),
        core::Outcome::Failed(core::Failure::Timeout) => End::Failed(FailCause::Timeout),
        core::Outcome::Failed(core::Failure::Device) => End::Failed(FailCause::Device),
        core::Outcome::Cancelled => End::Cancelled,
        core::Outcome::Skipped(by) => End::Skipped { upstream: by.index },
    }
}
