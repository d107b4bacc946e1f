//! What a chart draws in one row: bars that do not overlap.

use super::{Lease, Place, Start, Timeline};

/// A stretch of time in a row of a chart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Bar {
    pub(crate) from: u64,
    pub(crate) to: u64,
    pub(crate) job: u32,
    pub(crate) kind: Kind,
}

/// What a bar stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// Something is in flight.
    Busy,
    /// Leased, and nothing in flight.
    Starved,
    /// In the queue.
    Waiting,
}

/// A row of the chart of units: a unit, or one of its slots.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Lane {
    pub(crate) unit: u32,
    /// Which slot, from 0.
    pub(crate) lane: u32,
    /// How many lanes the unit has.
    pub(crate) of: u32,
    /// Its leases, in order: places in [`Timeline::leases`].
    pub(crate) leases: Vec<u32>,
}

/// Units with few slots show all of them, also those that nobody used.
const SLOTS_SHOWN: u32 = 8;

impl Timeline<'_> {
    /// All lanes, unit by unit.
    pub(crate) fn lanes(&self) -> Vec<Lane> {
        let mut lanes = Vec::new();
        let mut first = Vec::with_capacity(self.units.len());
        for (unit, track) in self.units.iter().enumerate() {
            first.push(lanes.len());
            let shown = self.line.units[unit].slots.min(SLOTS_SHOWN);
            let of = track.lanes.max(shown).max(1);
            let lane = |lane| Lane { unit: unit as u32, lane, of, leases: Vec::new() };
            lanes.extend((0..of).map(lane));
        }
        for (at, lease) in self.leases.iter().enumerate() {
            for &Place { unit, lane } in self.places_of(lease) {
                lanes[first[unit as usize] + lane as usize].leases.push(at as u32);
            }
        }
        lanes
    }

    /// The starts of a lease, and the times between them in which it starved.
    pub(crate) fn bars_of(&self, lease: &Lease<'_>) -> impl Iterator<Item = Bar> {
        let job = lease.job;
        let starved = move |from, to| Bar { from, to, job, kind: Kind::Starved };
        let mut at = lease.from;
        let starts = self.starts_of(lease);
        let last = starts.last().map_or(lease.from, |start| start.to);
        let pairs = starts.iter().flat_map(move |start: &Start| {
            let gap = (start.from > at).then(|| starved(at, start.from));
            at = start.to;
            let busy = Bar { from: start.from, to: start.to, job, kind: Kind::Busy };
            gap.into_iter().chain([busy])
        });
        pairs.chain((lease.to > last).then(|| starved(last, lease.to)))
    }

    /// For each job the times in which it held a lease, and those in which it waited in the queue;
    /// bars of one kind do not overlap.
    pub(crate) fn job_bars(&self) -> Vec<JobBars> {
        let mut rows: Vec<JobBars> = self.jobs.iter().map(|_| JobBars::default()).collect();
        for lease in &self.leases {
            let held = &mut rows[lease.job as usize].held;
            match held.last_mut() {
                // Grants come in order of time, so a lease can only overlap the last bar.
                Some(last) if lease.from < last.to => last.to = last.to.max(lease.to),
                _ => held.push(Bar {
                    from: lease.from,
                    to: lease.to,
                    job: lease.job,
                    kind: Kind::Busy,
                }),
            }
        }
        for wait in self.waits.iter().filter(|wait| wait.length() > 0) {
            rows[wait.job as usize].waits.push(Bar {
                from: wait.from,
                to: wait.to,
                job: wait.job,
                kind: Kind::Waiting,
            });
        }
        rows
    }
}

/// The row of a job.
#[derive(Debug, Clone, Default)]
pub(crate) struct JobBars {
    pub(crate) held: Vec<Bar>,
    pub(crate) waits: Vec<Bar>,
}
