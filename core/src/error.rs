//! What a call may answer instead. A call that fails has changed nothing.

use core::fmt;

/// A table is full.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Table {
    /// Jobs.
    Jobs,
    /// Edges.
    Edges,
    /// Units.
    Units,
    /// Units that could be held by leases at once.
    Leases,
    /// Distinct shapes of jobs.
    Shapes,
    /// Distinct shapes, priorities and kinds of jobs.
    Lanes,
    /// Models.
    Models,
    /// Streams.
    Streams,
}

/// Why a job, unit, model or stream was not taken.
///
/// ```
/// use lineside_core::{AddError, Table};
/// assert_eq!(AddError::Full(Table::Jobs).to_string(), "no room left in the table of jobs");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum AddError {
    /// Lend a larger table, or wait until jobs have been removed.
    Full(Table),
    /// This count must be at least 1.
    Zero(&'static str),
    /// `batch` × `inflight` of an image-grain job must be at most 64.
    Window,
    /// The model does not exist.
    Model,
    /// The stream does not exist.
    Stream,
    /// The upstream of this edge (counted from 0) does not exist.
    Upstream(u32),
    /// Both ends of this stream edge must have equally many images.
    UnequalImages(u32),
    /// The upstream of this edge has arrived: what it is ready to start can't be held back by a
    /// `depth` any more.
    DepthTooLate(u32),
}

/// Why an input was not taken.
///
/// ```
/// assert_eq!(lineside_core::InputError::Ended.to_string(), "the job has ended");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum InputError {
    /// No such job, lease or unit, or one that is over: usually news that came late.
    Stale,
    /// The job has ended.
    Ended,
    /// The job has arrived before.
    Arrived,
    /// The job has not arrived, so it can't be fed.
    NotArrived,
    /// All images of the job are there already.
    FedInFull,
    /// The lease is revoked: only `given_back` is heard.
    Revoked,
    /// The lease is not revoked.
    NotRevoked,
    /// The lease has no images in flight.
    Idle,
    /// The job has not ended, so it can't be removed.
    NotEnded,
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Table::Jobs => "jobs",
            Table::Edges => "edges",
            Table::Units => "units",
            Table::Leases => "leases",
            Table::Shapes => "shapes",
            Table::Lanes => "lanes",
            Table::Models => "models",
            Table::Streams => "streams",
        })
    }
}

impl fmt::Display for AddError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AddError::Full(table) => write!(f, "no room left in the table of {table}"),
            AddError::Zero(what) => write!(f, "{what} must be at least 1"),
            AddError::Window => f.write_str("batch × inflight must be at most 64"),
            AddError::Model => f.write_str("no such model"),
            AddError::Stream => f.write_str("no such stream"),
            AddError::Upstream(edge) => write!(f, "edge {edge}: no such upstream"),
            AddError::UnequalImages(edge) => {
                write!(f, "edge {edge}: a stream needs equally many images at both ends")
            }
            AddError::DepthTooLate(edge) => {
                write!(f, "edge {edge}: the upstream has arrived, too late for a depth")
            }
        }
    }
}

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            InputError::Stale => "it does not exist, or is over",
            InputError::Ended => "the job has ended",
            InputError::Arrived => "the job has arrived before",
            InputError::NotArrived => "the job has not arrived",
            InputError::FedInFull => "all images of the job are there",
            InputError::Revoked => "the lease is revoked",
            InputError::NotRevoked => "the lease is not revoked",
            InputError::Idle => "nothing is in flight on the lease",
            InputError::NotEnded => "the job has not ended",
        })
    }
}

impl core::error::Error for AddError {}
impl core::error::Error for InputError {}
