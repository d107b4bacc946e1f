//! The trace: what happened to a line, one JSON object a line.
//!
//! [`Event`] is plain data: units, jobs and models by their indexes in a [`Line`](crate::Line).
//! [`write_event`] writes one exactly as the rules say. [`Record`] reads a line back by name, and
//! [`Record::event`] turns it into an [`Event`] again.

mod hash;
mod read;
mod write;

pub use self::hash::Hash;
pub use self::read::{Names, Record, TraceError};
pub use self::write::{write_event, write_text};

/// One line of a trace.
///
/// ```
/// use lineside_line::trace::{Event, Images, What, write_event};
/// use lineside_line::{NoFiles, read};
///
/// let line = read("[[device]]\nname = \"g\"\n[[job]]\nname = \"a\"\n", &NoFiles).unwrap().line;
/// let start = What::Start(Images { job: 0, lease: 7, first: 0, count: 1 });
/// let mut text = String::new();
/// write_event(&mut text, &line, &Event { t: 5, what: start }, &[]).unwrap();
/// assert_eq!(text, r#"{"t":5,"ev":"start","job":"a","lease":7,"first":0,"count":1}"#);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Event<'e> {
    /// Nanoseconds from the start of the line.
    pub t: u64,
    /// What happened.
    pub what: What<'e>,
}

/// What an [`Event`] says. Leases count grants from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What<'e> {
    /// An entry is in the queue.
    Ready {
        /// Index of the job.
        job: u32,
        /// Its place among all entries.
        ticket: u64,
    },
    /// A model leaves a unit.
    Evict {
        /// Index of the unit.
        unit: u32,
        /// Index of the model.
        model: u32,
    },
    /// A job gets units.
    Grant {
        /// Index of the job.
        job: u32,
        /// The lease.
        lease: u64,
        /// Indexes of the units, in the order in which they were granted.
        units: &'e [u32],
        /// The ticket of the entry.
        ticket: u64,
        /// Its model has to be loaded.
        cold: bool,
        /// On CPU places for lack of GPUs.
        fallback: bool,
    },
    /// Images are begun.
    Start(Images),
    /// Images are done.
    Done(Images),
    /// Images have failed.
    Fail(Images),
    /// A lease is asked back.
    Revoke {
        /// Index of the job.
        job: u32,
        /// The lease.
        lease: u64,
        /// Why.
        cause: RevokeCause,
    },
    /// A lease is over.
    Release {
        /// Index of the job.
        job: u32,
        /// The lease.
        lease: u64,
        /// Indexes of the units, in the order in which they were granted.
        units: &'e [u32],
    },
    /// A job is over.
    End {
        /// Index of the job.
        job: u32,
        /// How.
        end: End,
    },
    /// A unit has changed its state.
    Unit {
        /// Index of the unit.
        unit: u32,
        /// The state that it is in now.
        state: UnitState,
    },
}

/// Images that one start holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Images {
    /// Index of the job.
    pub job: u32,
    /// The lease.
    pub lease: u64,
    /// The lowest image.
    pub first: u32,
    /// How many, one after the other.
    pub count: u32,
}

/// Why a lease is asked back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RevokeCause {
    /// Its start took longer than the job's `timeout`.
    Timeout,
    /// The job is cancelled.
    Cancel,
    /// The job is skipped.
    Skipped,
    /// The job has failed.
    Failed,
    /// A unit of it is lost.
    Device,
    /// To break a circle.
    Circle,
}

/// How a job ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// All images are done.
    Done,
    /// For good, for this last cause.
    Failed(FailCause),
    /// By request.
    Cancelled,
    /// For an upstream that ended otherwise than done.
    Skipped {
        /// Index of that upstream.
        upstream: u32,
    },
}

/// What a job failed of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailCause {
    /// The tool.
    Error,
    /// Its `timeout`.
    Timeout,
    /// Lost units.
    Device,
}

/// The state of a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnitState {
    /// It takes leases.
    Up,
    /// It takes no new leases.
    Draining,
    /// It is lost.
    Down,
}

/// A further key at the end of a line; readers pass over those that they do not know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extra<'e> {
    /// The key.
    pub key: &'e str,
    /// Its value.
    pub value: ExtraValue<'e>,
}

/// The value of an [`Extra`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExtraValue<'e> {
    /// Text.
    Text(&'e str),
    /// A whole number.
    Number(u64),
    /// True or false.
    Flag(bool),
}

const REVOKE_CAUSES: &[(&str, RevokeCause)] = &[
    ("timeout", RevokeCause::Timeout),
    ("cancel", RevokeCause::Cancel),
    ("skipped", RevokeCause::Skipped),
    ("failed", RevokeCause::Failed),
    ("device", RevokeCause::Device),
    ("circle", RevokeCause::Circle),
];

const FAIL_CAUSES: &[(&str, FailCause)] =
    &[("error", FailCause::Error), ("timeout", FailCause::Timeout), ("device", FailCause::Device)];

const UNIT_STATES: &[(&str, UnitState)] =
    &[("up", UnitState::Up), ("draining", UnitState::Draining), ("down", UnitState::Down)];

impl RevokeCause {
    /// The word in the trace.
    pub fn name(self) -> &'static str {
        word(REVOKE_CAUSES, self)
    }
}

impl FailCause {
    /// The word in the trace.
    pub fn name(self) -> &'static str {
        word(FAIL_CAUSES, self)
    }
}

impl UnitState {
    /// The word in the trace.
    pub fn name(self) -> &'static str {
        word(UNIT_STATES, self)
    }
}

impl End {
    /// The word for the state in the trace.
    pub fn state(self) -> &'static str {
        match self {
            End::Done => "done",
            End::Failed(_) => "failed",
            End::Cancelled => "cancelled",
            End::Skipped { .. } => "skipped",
        }
    }
}

/// The word of a value; each table has all values.
fn word<T: Copy + PartialEq>(words: &[(&'static str, T)], value: T) -> &'static str {
    words.iter().find(|(_, other)| *other == value).map_or("", |(word, _)| word)
}
