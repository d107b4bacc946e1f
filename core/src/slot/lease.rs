//! The rows of the table of leases.

use crate::event::RevokeCause;
use crate::id::NONE;
use crate::spec::Nanos;

/// What a slot of the table of leases is used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Hold {
    /// For nothing.
    Free,
    /// A lease of one unit.
    Only,
    /// A lease of several units, and the first of them.
    First,
    /// A further unit of a lease.
    Further,
}

/// One hold, which is one unit of one lease; the first hold of a lease is the lease itself.
///
/// ```
/// assert!(size_of::<lineside_core::LeaseSlot>() <= 128);
/// ```
#[derive(Debug, Clone, Copy)]
#[repr(C)]
#[cfg_attr(target_pointer_width = "64", repr(align(64)))]
pub struct LeaseSlot {
    // First what every decision looks at.
    pub(crate) granted: Nanos,
    pub(crate) number: u64,
    pub(crate) ticket: u64,
    pub(crate) job: u32,
    /// Images in flight.
    pub(crate) first: u32,
    pub(crate) count: u32,
    pub(crate) generation: u32,
    /// The hold's unit, and its neighbours there.
    pub(crate) unit: u32,
    pub(crate) newer: u32,
    pub(crate) older: u32,
    /// Neighbours among the job's leases; `next` also links free slots.
    pub(crate) next: u32,
    pub(crate) prev: u32,
    pub(crate) hold: Hold,
    pub(crate) cold: bool,
    /// Held with nothing in flight, and not revoked.
    pub(crate) starved: bool,
    pub(crate) revoked: Option<RevokeCause>,
    // Then what only some leases have.
    /// When a start has taken too long; only where the job has a `timeout`.
    pub(crate) deadline: Nanos,
    /// Neighbours among the starved.
    pub(crate) next_starved: u32,
    pub(crate) prev_starved: u32,
    /// The lease's next hold, where it has several.
    pub(crate) next_hold: u32,
    /// The lease that a further hold is of.
    pub(crate) lease: u32,
}

impl LeaseSlot {
    /// A free slot.
    pub const EMPTY: LeaseSlot = LeaseSlot {
        granted: 0,
        number: 0,
        ticket: 0,
        job: NONE,
        first: 0,
        count: 0,
        generation: 0,
        unit: NONE,
        newer: NONE,
        older: NONE,
        next: NONE,
        prev: NONE,
        hold: Hold::Free,
        cold: false,
        starved: false,
        revoked: None,
        deadline: Nanos::MAX,
        next_starved: NONE,
        prev_starved: NONE,
        next_hold: NONE,
        lease: NONE,
    };

    /// Is it a lease?
    #[inline]
    pub(crate) fn is_live(&self) -> bool {
        matches!(self.hold, Hold::Only | Hold::First)
    }

    /// The lease's hold behind this one, or `NONE`.
    #[inline]
    pub(crate) fn hold_behind(&self) -> u32 {
        match self.hold {
            Hold::Free | Hold::Only => NONE,
            Hold::First | Hold::Further => self.next_hold,
        }
    }

    /// The lease that this hold, which stands at `at`, is of.
    pub(crate) fn lease_of(&self, at: u32) -> u32 {
        if self.hold == Hold::Further { self.lease } else { at }
    }
}
