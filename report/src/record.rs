//! What happened on a line, as the outputs read it.

use lineside_line::trace::{End, RevokeCause, UnitState};
use serde::Serialize;

/// A plan or a run: everything that happened, in order, and who has not ended.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Record {
    /// In the order of the rules.
    pub entries: Vec<Entry>,
    /// Jobs that have not ended, each with its reason in words.
    pub stuck: Vec<(u32, String)>,
    /// How busy the CPU was, of a run on a machine that says so.
    pub cpu: Option<CpuUse>,
}

/// How busy the CPU of a machine was during a run, with all that ran there. Shares are in
/// thousandths.
///
/// ```
/// let cpu = lineside_report::CpuUse { busiest: 970, mean: 410, cores: 16 };
/// assert!(cpu.busiest >= cpu.mean);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct CpuUse {
    /// Its busiest core.
    pub busiest: u32,
    /// All cores on average.
    pub mean: u32,
    /// How many there are.
    pub cores: u32,
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
        cause: RevokeCause,
    },
    Release {
        job: u32,
        lease: u64,
        units: Vec<u32>,
    },
    End {
        job: u32,
        end: End,
    },
    Unit {
        unit: u32,
        state: UnitState,
    },
}
