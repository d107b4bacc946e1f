//! What a journal is made of.

use alloc::string::String;
use alloc::vec::Vec;

use lineside_core::Nanos;
use serde::{Deserialize, Serialize};

use crate::host::Identity;

/// One thing that happened. Jobs and units are indexes into those of the session before it; leases
/// are counted from 0 in each session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Record {
    /// A runner has begun.
    Session {
        /// What the markers of its processes begin with.
        run: String,
        /// Its process.
        runner: Identity,
        /// The jobs of the line, by index.
        jobs: Vec<JobKey>,
        /// The units of the line, by index.
        units: Vec<UnitKey>,
    },
    /// A lease was granted.
    Grant {
        /// Nanoseconds from the start of the line.
        t: Nanos,
        /// Its number.
        lease: u64,
        /// Whose.
        job: u32,
        /// Its units.
        units: Vec<u32>,
    },
    /// Images are about to be started.
    Start {
        /// Nanoseconds from the start of the line.
        t: Nanos,
        /// On which lease.
        lease: u64,
        /// Whose.
        job: u32,
        /// The first image.
        first: u32,
        /// How many.
        count: u32,
    },
    /// A process runs.
    Process {
        /// For which lease it was started. A worker may outlive it.
        lease: u64,
        /// Which process.
        identity: Identity,
    },
    /// Images are done.
    Done {
        /// Nanoseconds from the start of the line.
        t: Nanos,
        /// On which lease.
        lease: u64,
        /// Whose.
        job: u32,
        /// The first image.
        first: u32,
        /// How many.
        count: u32,
    },
    /// A start has failed.
    Fail {
        /// Nanoseconds from the start of the line.
        t: Nanos,
        /// On which lease.
        lease: u64,
        /// Whose.
        job: u32,
    },
    /// A lease is over.
    Release {
        /// Nanoseconds from the start of the line.
        t: Nanos,
        /// Its number.
        lease: u64,
    },
    /// A job has ended.
    End {
        /// Nanoseconds from the start of the line.
        t: Nanos,
        /// Which.
        job: u32,
        /// How.
        how: EndOfJob,
    },
    /// The runner has ended in good order: nothing of it is left.
    Closed {
        /// Nanoseconds from the start of the line.
        t: Nanos,
    },
}

/// A job of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobKey {
    /// By this it is known again.
    pub name: String,
    /// Changes if what it does, or what it does it to, has changed.
    pub key: u64,
    /// How many images it has.
    pub images: u32,
}

/// A unit of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnitKey {
    /// By this it is known again.
    pub name: String,
    /// Leases at once.
    pub slots: u32,
}

/// How a job ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum EndOfJob {
    /// All its images are done.
    Done,
    /// It failed once too often.
    Failed,
    /// It was cancelled.
    Cancelled,
    /// It was skipped.
    Skipped,
}
