//! What happened on a line, as the outputs read it.

/// A plan or a run: everything that happened, in order, and who has not ended.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Record {
    /// In the order of the rules.
    pub entries: Vec<Entry>,
    /// Jobs that have not ended, each with its reason in words.
    pub stuck: Vec<(u32, String)>,
}

/// One thing that happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Nanoseconds from the start of the line.
    pub t: u64,
    /// What.
    pub what: What,
}

/// What happened (semantics, section 7). Jobs, units and models are indexes into the line; leases
/// are counted from 0.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum What {
    Ready {
        job: u32,
        ticket: u64,
    },
    Evict {
        unit: u32,
        model: u32,
    },
    Grant {
        job: u32,
        lease: u64,
        units: Vec<u32>,
        ticket: u64,
        cold: bool,
        fallback: bool,
        why: Option<String>,
    },
    Start {
        job: u32,
        lease: u64,
        first: u32,
        count: u32,
    },
    Done {
        job: u32,
        lease: u64,
        first: u32,
        count: u32,
    },
    Fail {
        job: u32,
        lease: u64,
        first: u32,
        count: u32,
    },
    Revoke {
        job: u32,
        lease: u64,
        cause: Cause,
    },
    Release {
        job: u32,
        lease: u64,
        units: Vec<u32>,
    },
    End {
        job: u32,
        state: State,
        cause: EndCause,
    },
    Unit {
        unit: u32,
        state: UnitState,
    },
}

/// Why a lease was revoked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Cause {
    Timeout,
    Cancel,
    Skipped,
    Failed,
    Device,
    Circle,
}

/// How a job ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum State {
    Done,
    Failed,
    Cancelled,
    Skipped,
}

/// Why a job ended so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndCause {
    /// It is done.
    None,
    /// A start failed once too often.
    Error,
    /// A start took too long once too often.
    Timeout,
    /// It lost its device three times in a row.
    Device,
    /// It was cancelled.
    Cancel,
    /// This upstream ended otherwise than done.
    Upstream(u32),
}

/// The state of a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum UnitState {
    Up,
    Draining,
    Down,
}
