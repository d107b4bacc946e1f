//! A record, read once: leases with their starts, waits in the queue, and what the units did.
//!
//! Every output is drawn from this one reading, so that no two of them can disagree.

mod bars;
mod merge;
mod reader;

use std::ops::Range;

use lineside_line::Line;
use lineside_line::trace::{End, RevokeCause, UnitState};

pub(crate) use bars::{Bar, JobBars, Kind, Lane};
pub(crate) use merge::{Segment, merge};

use crate::record::{CpuUse, Record};

/// What a record says. Times are nanoseconds from the start of the line.
#[derive(Debug)]
pub(crate) struct Timeline<'a> {
    /// The line that was planned or run.
    pub(crate) line: &'a Line,
    /// The time of the last event.
    pub(crate) end: u64,
    /// In the order of their grants.
    pub(crate) leases: Vec<Lease<'a>>,
    /// Which lanes a lease has: [`Lease::places`] points here.
    pub(crate) places: Vec<Place>,
    /// Starts, those of a lease together and in order: [`Lease::starts`] points here.
    pub(crate) starts: Vec<Start>,
    /// Entries of the queue, in the order in which they entered.
    pub(crate) waits: Vec<Wait>,
    /// As many as the line has.
    pub(crate) jobs: Vec<JobTrack>,
    /// As many as the line has.
    pub(crate) units: Vec<UnitTrack>,
    /// Times in which a unit was draining or down, in the order in which they began.
    pub(crate) outages: Vec<Outage>,
    /// Models that left a unit.
    pub(crate) evictions: Vec<Eviction>,
    /// From each of these times on the queue had this length.
    pub(crate) queue: Vec<(u64, u32)>,
    /// Jobs that have not ended, each with its reason.
    pub(crate) stuck: &'a [(u32, String)],
    /// How busy the CPU was, if that is known.
    pub(crate) cpu: Option<CpuUse>,
}

/// A grant, up to its release.
#[derive(Debug)]
pub(crate) struct Lease<'a> {
    pub(crate) number: u64,
    pub(crate) job: u32,
    pub(crate) places: Range<u32>,
    pub(crate) starts: Range<u32>,
    pub(crate) from: u64,
    /// The release, or the end of the record if there was none.
    pub(crate) to: u64,
    pub(crate) released: bool,
    pub(crate) ticket: u64,
    pub(crate) cold: bool,
    pub(crate) fallback: bool,
    pub(crate) why: Option<&'a str>,
    pub(crate) revoked: Option<(u64, RevokeCause)>,
    /// The queue entry that it was granted to.
    pub(crate) wait: Option<u32>,
}

/// A unit that a lease is on, and which of its lanes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) unit: u32,
    pub(crate) lane: u32,
}

/// Images in flight together.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Start {
    pub(crate) lease: u32,
    pub(crate) from: u64,
    pub(crate) to: u64,
    pub(crate) first: u32,
    pub(crate) count: u32,
    pub(crate) how: How,
}

/// How a start ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum How {
    Done,
    Failed,
    /// The lease was given back with the images in flight.
    Cut,
    /// It was still in flight as the record ended.
    Open,
}

/// An entry of the queue: from the `ready` that entered it to its grant, or to when it left.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wait {
    pub(crate) job: u32,
    pub(crate) ticket: u64,
    pub(crate) from: u64,
    pub(crate) to: u64,
    pub(crate) outcome: WaitOutcome,
}

impl Wait {
    pub(crate) fn length(&self) -> u64 {
        self.to - self.from
    }
}

/// How a wait ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WaitOutcome {
    /// By this lease (its place in [`Timeline::leases`]).
    Granted(u32),
    /// The job was ended.
    Left,
    /// It was still waiting as the record ended.
    Open,
}

/// What a job came to.
#[derive(Debug, Clone, Default)]
pub(crate) struct JobTrack {
    pub(crate) grants: u64,
    pub(crate) cold: u64,
    pub(crate) fallbacks: u64,
    pub(crate) failures: u64,
    pub(crate) images: u64,
    pub(crate) first_ready: Option<u64>,
    pub(crate) first_start: Option<u64>,
    pub(crate) end: Option<(u64, End)>,
}

/// What a unit did, all its lanes together.
#[derive(Debug, Clone, Default)]
pub(crate) struct UnitTrack {
    /// Time with at least one lease.
    pub(crate) held: u64,
    /// Time with something in flight in at least one lease.
    pub(crate) busy: u64,
    /// How many leases it had at once at most.
    pub(crate) lanes: u32,
}

/// A time in which a unit took no new leases.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Outage {
    pub(crate) unit: u32,
    pub(crate) state: UnitState,
    pub(crate) from: u64,
    pub(crate) to: u64,
}

/// A model that was put out of a unit to make room.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Eviction {
    pub(crate) t: u64,
    pub(crate) unit: u32,
    pub(crate) model: u32,
}

impl<'a> Timeline<'a> {
    /// Reads a record. What names a job, a unit or a lease that isn't there is passed over: a
    /// journal may have been cut short.
    pub(crate) fn read(line: &'a Line, record: &'a Record) -> Timeline<'a> {
        reader::read(line, record)
    }

    /// A job's name.
    pub(crate) fn job_name(&self, job: u32) -> &'a str {
        &self.line.jobs[job as usize].name
    }

    /// A unit's name.
    pub(crate) fn unit_name(&self, unit: u32) -> &'a str {
        &self.line.units[unit as usize].name
    }

    /// The lanes that a lease is on.
    pub(crate) fn places_of(&self, lease: &Lease<'_>) -> &[Place] {
        &self.places[lease.places.start as usize..lease.places.end as usize]
    }

    /// The starts of a lease, in order.
    pub(crate) fn starts_of(&self, lease: &Lease<'_>) -> &[Start] {
        &self.starts[lease.starts.start as usize..lease.starts.end as usize]
    }

    /// The names of the units of a lease, in the order in which they were granted.
    pub(crate) fn units_of(&self, lease: &Lease<'_>) -> String {
        let names = self.places_of(lease).iter().map(|place| self.unit_name(place.unit));
        names.collect::<Vec<_>>().join(", ")
    }

    /// Why a job has not ended, if it is stuck.
    pub(crate) fn stuck_reason(&self, job: u32) -> Option<&'a str> {
        self.stuck.iter().find(|(at, _)| *at == job).map(|(_, reason)| reason.as_str())
    }
}
