//! What comes out: plain data, emitted at once and in the order of the rules.

use crate::id::{JobId, LeaseId, ModelId, UnitId};

/// What a call caused. Whoever gets one may read the rest off the scheduler, which is handed over
/// beside it: the units of a lease, say, with [`Scheduler::units_of`](crate::Scheduler::units_of).
///
/// ```
/// use lineside_core::{Event, JobId};
/// let job = JobId { index: 0, generation: 0 };
/// assert_ne!(Event::Ready { job, ticket: 0 }, Event::Ready { job, ticket: 1 });
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Event {
    /// The job has an entry in the queue.
    Ready {
        /// Whose entry.
        job: JobId,
        /// Its ticket.
        ticket: u64,
    },
    /// A model leaves a unit to make room.
    Evict {
        /// Where.
        unit: UnitId,
        /// Which.
        model: ModelId,
    },
    /// A job has units.
    Grant {
        /// Whose.
        job: JobId,
        /// The lease.
        lease: LeaseId,
        /// Leases are counted from 0.
        number: u64,
        /// The ticket it was granted under.
        ticket: u64,
        /// The model has to be loaded on one of the units at least.
        cold: bool,
        /// It wanted a GPU and has the CPU.
        fallback: bool,
    },
    /// Begin these images on the lease's units.
    Start {
        /// Whose.
        job: JobId,
        /// On which lease.
        lease: LeaseId,
        /// The first image.
        first: u32,
        /// How many.
        count: u32,
    },
    /// Images are done.
    Done {
        /// Whose.
        job: JobId,
        /// On which lease.
        lease: LeaseId,
        /// The first image.
        first: u32,
        /// How many.
        count: u32,
    },
    /// Images have failed and are not done.
    Fail {
        /// Whose.
        job: JobId,
        /// On which lease.
        lease: LeaseId,
        /// The first image.
        first: u32,
        /// How many.
        count: u32,
    },
    /// Stop what runs on this lease and answer with
    /// [`given_back`](crate::Scheduler::given_back) once its units are known to be free.
    Revoke {
        /// Whose.
        job: JobId,
        /// Which lease.
        lease: LeaseId,
        /// Why.
        cause: RevokeCause,
    },
    /// The units of a lease are free again.
    Release {
        /// Whose.
        job: JobId,
        /// Which lease; it is over after this event.
        lease: LeaseId,
    },
    /// A job is over.
    End {
        /// Which.
        job: JobId,
        /// How.
        outcome: Outcome,
    },
    /// A unit has another state.
    Unit {
        /// Which.
        unit: UnitId,
        /// Its state now.
        state: UnitState,
    },
}

/// Why a lease is revoked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum RevokeCause {
    /// A start took longer than the job's `timeout`.
    Timeout,
    /// The job is cancelled.
    Cancel,
    /// An upstream ended badly.
    Skipped,
    /// Another lease of the job failed for good.
    Failed,
    /// A unit is lost.
    Device,
    /// It held what it waited for.
    Circle,
}

/// How a job ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Outcome {
    /// All images are done.
    Done,
    /// It failed once more than it may.
    Failed(Failure),
    /// It was cancelled.
    Cancelled,
    /// This upstream ended otherwise than done.
    Skipped(JobId),
}

/// What made a job fail for good.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Failure {
    /// A start failed.
    Error,
    /// A start took too long.
    Timeout,
    /// It lost units three times in a row.
    Device,
}

/// The state of a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum UnitState {
    /// It can be leased.
    Up,
    /// What runs may end; nothing new begins.
    Draining,
    /// It is lost.
    Down,
}
