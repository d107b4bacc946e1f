//! Names for things inside a scheduler.

use core::fmt;

/// No index: the end of a list.
pub(crate) const NONE: u32 = u32::MAX;

/// A job, as [`submit`](crate::Scheduler::submit) returned it.
///
/// A slot that is used again has another generation, so an id that is over is an error and never
/// another job.
///
/// ```
/// # use lineside_core::JobId;
/// assert_eq!(JobId { index: 3, generation: 2 }.to_string(), "job3#2");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct JobId {
    /// Slot in the table of jobs.
    pub index: u32,
    /// How often the slot has been used before.
    pub generation: u32,
}

/// A lease, as an [`Event::Grant`](crate::Event::Grant) named it.
///
/// ```
/// # use lineside_core::LeaseId;
/// assert_eq!(LeaseId { index: 0, generation: 7 }.to_string(), "lease0#7");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LeaseId {
    /// Slot in the table of leases.
    pub index: u32,
    /// How often the slot has been used before.
    pub generation: u32,
}

/// A unit; units are never removed, so an index is enough.
///
/// ```
/// # use lineside_core::UnitId;
/// assert_eq!(UnitId(1).to_string(), "unit1");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct UnitId(pub u32);

/// A model; models are never removed.
///
/// ```
/// # use lineside_core::ModelId;
/// assert_eq!(ModelId(0).to_string(), "model0");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ModelId(pub u32);

/// A stream; streams are never removed.
///
/// ```
/// # use lineside_core::StreamId;
/// assert_eq!(StreamId(4).to_string(), "stream4");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct StreamId(pub u32);

/// A MIG profile; what number stands for which profile is the caller's to say.
///
/// ```
/// # use lineside_core::ProfileId;
/// assert_ne!(ProfileId(0), ProfileId(1));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ProfileId(pub u32);

impl fmt::Display for JobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "job{}#{}", self.index, self.generation)
    }
}

impl fmt::Display for LeaseId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "lease{}#{}", self.index, self.generation)
    }
}

impl fmt::Display for UnitId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unit{}", self.0)
    }
}

impl fmt::Display for ModelId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "model{}", self.0)
    }
}

impl fmt::Display for StreamId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "stream{}", self.0)
    }
}
