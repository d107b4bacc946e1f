//! One row of each table.

mod lease;

use crate::event::{Outcome, UnitState};
use crate::id::NONE;
use crate::queue::{EntryQueue, Home};
use crate::spec::{Nanos, Place};

pub(crate) use lease::Hold;
pub use lease::LeaseSlot;

/// Where a job is in its life.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
    /// The slot is free.
    Free,
    /// Submitted, not arrived.
    Held,
    /// Arrived.
    Arrived,
    /// Its outcome is known; leases are still to be given back.
    Ending,
    /// Over.
    Ended,
}

/// One job.
///
/// ```
/// assert!(size_of::<lineside_core::JobSlot>() <= 192);
/// let table = vec![lineside_core::JobSlot::EMPTY; 1_000];
/// assert_eq!(table.len(), 1_000);
/// ```
#[derive(Debug, Clone, Copy)]
#[repr(C)]
#[cfg_attr(target_pointer_width = "64", repr(align(64)))]
pub struct JobSlot {
    // First what every decision looks at: two lines of a cache where lines are 64 bytes.
    pub(crate) ticket: u64,
    /// Bit i: image `prefix` + i is in flight (image grain).
    pub(crate) busy: u64,
    /// Bit i: image `prefix` + i is done (image grain).
    pub(crate) done: u64,
    /// Leading images that are done.
    pub(crate) prefix: u32,
    pub(crate) images: u32,
    pub(crate) fed: u32,
    pub(crate) batch: u32,
    /// Neighbours in its lane's list, or siblings in its heap. `next` also links free slots.
    pub(crate) next: u32,
    pub(crate) prev: u32,
    pub(crate) lane: u32,
    pub(crate) generation: u32,
    pub(crate) stage: Stage,
    /// Where its entry is.
    pub(crate) home: Home,
    /// Image grain, else whole.
    pub(crate) image_grain: bool,
    /// `ticket` is an older lease's and goes to the next entry.
    pub(crate) carries_ticket: bool,
    /// Its leases: at most as many as the window has images.
    pub(crate) leases: u8,
    /// Leases at once; 1 for whole grain.
    pub(crate) inflight: u8,
    /// Leases at once on one unit, or 255 if it has no more than that anyway.
    pub(crate) threads: u8,
    /// Losses of a device in a row.
    pub(crate) faults: u8,
    /// Path length, or the head image as the entry entered.
    pub(crate) rank: u64,
    /// The lane's shape.
    pub(crate) shape: u32,
    /// One more than the highest image ever started.
    pub(crate) taken: u32,
    /// Its leases, in grant order.
    pub(crate) first_lease: u32,
    pub(crate) last_lease: u32,
    /// Success or end barriers not yet satisfied.
    pub(crate) barriers: u32,
    /// Edges in, of every mode.
    pub(crate) edges_in: u32,
    /// Edges out.
    pub(crate) streams_out: u32,
    pub(crate) barriers_out: u32,
    /// Its first child, in a heap.
    pub(crate) child: u32,
    /// The upstream that makes it skip: the lowest in index.
    pub(crate) skipped_by: u32,
    pub(crate) attempts: u32,
    pub(crate) retries: u32,
    /// Sorts before the rank: priority, then kind if the order looks at it.
    pub(crate) group: u16,
    /// Waits in the heap of jobs to settle.
    pub(crate) pending: bool,
    /// The entry has waited for `patience`.
    pub(crate) overdue: bool,
    /// At least one of the edges in is a stream.
    pub(crate) streams_in: bool,
    /// It has a `timeout`.
    pub(crate) is_timed: bool,
    // Then what only edges, time-outs, patience and circles look at.
    pub(crate) timeout: Nanos,
    pub(crate) entered: Nanos,
    /// The last search that this entry met with, for itself alone.
    pub(crate) stamp: u64,
    /// What the last search for circles found out about it.
    pub(crate) mark: u64,
    /// Counts submissions: the index of the rules.
    pub(crate) sequence: u64,
    /// Entries by the time they entered.
    pub(crate) older: u32,
    pub(crate) newer: u32,
    /// Links the jobs that a search for circles still has to look at.
    pub(crate) trail: u32,
    pub(crate) outcome: Option<Outcome>,
}

impl JobSlot {
    /// A free slot.
    pub const EMPTY: JobSlot = JobSlot {
        ticket: 0,
        busy: 0,
        done: 0,
        prefix: 0,
        images: 0,
        fed: 0,
        batch: 1,
        next: NONE,
        prev: NONE,
        lane: NONE,
        generation: 0,
        stage: Stage::Free,
        home: Home::None,
        image_grain: false,
        carries_ticket: false,
        leases: 0,
        inflight: 1,
        threads: 1,
        faults: 0,
        rank: 0,
        shape: NONE,
        taken: 0,
        first_lease: NONE,
        last_lease: NONE,
        barriers: 0,
        edges_in: NONE,
        streams_out: NONE,
        barriers_out: NONE,
        child: NONE,
        skipped_by: NONE,
        attempts: 0,
        retries: 0,
        group: 0,
        pending: false,
        overdue: false,
        streams_in: false,
        is_timed: false,
        timeout: Nanos::MAX,
        entered: 0,
        stamp: 0,
        mark: 0,
        sequence: 0,
        older: NONE,
        newer: NONE,
        trail: NONE,
        outcome: None,
    };

    /// Has an outcome: nothing more is started.
    pub(crate) fn is_over(&self) -> bool {
        matches!(self.stage, Stage::Ending | Stage::Ended)
    }
}

/// One edge.
///
/// ```
/// assert!(size_of::<lineside_core::EdgeSlot>() <= 28);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct EdgeSlot {
    /// `NONE` once the upstream has been removed.
    pub(crate) from: u32,
    pub(crate) to: u32,
    /// The next edge into the same job; also links free slots.
    pub(crate) next_in: u32,
    /// Neighbours among the edges of the same mode out of the same job.
    pub(crate) next_out: u32,
    pub(crate) prev_out: u32,
    pub(crate) depth: u32,
    pub(crate) stream: bool,
    pub(crate) needs_success: bool,
    /// A barrier that has been passed.
    pub(crate) satisfied: bool,
}

impl EdgeSlot {
    /// A free slot.
    pub const EMPTY: EdgeSlot = EdgeSlot {
        from: NONE,
        to: NONE,
        next_in: NONE,
        next_out: NONE,
        prev_out: NONE,
        depth: 0,
        stream: false,
        needs_success: false,
        satisfied: false,
    };
}

/// One unit.
///
/// ```
/// assert!(size_of::<lineside_core::UnitSlot>() <= 128);
/// ```
#[derive(Debug, Clone, Copy)]
#[repr(C)]
#[cfg_attr(target_pointer_width = "64", repr(align(64)))]
pub struct UnitSlot {
    // First what every decision looks at.
    pub(crate) budget: u64,
    /// Memory of leases + weights of pinned models.
    pub(crate) taken: u64,
    /// Time leased, over leases that have ended.
    pub(crate) busy: Nanos,
    /// One more than the time of the last release; 0 is never.
    pub(crate) released: u64,
    /// The last search in which it was withheld.
    pub(crate) withheld: u64,
    pub(crate) slots: u32,
    /// Slots in use.
    pub(crate) used: u32,
    /// Its holds, in grant order.
    pub(crate) first_hold: u32,
    pub(crate) last_hold: u32,
    pub(crate) place: Place,
    pub(crate) state: UnitState,
    /// Listed among the open units.
    pub(crate) is_open: bool,
    /// A model is resident.
    pub(crate) has_models: bool,
    // Then what only profiles, models and leases of several units look at.
    pub(crate) profile: u32,
    /// The next unit that the search has chosen.
    pub(crate) chosen: u32,
    /// Weights of resident models.
    pub(crate) resident: u64,
    /// Weights of pinned models.
    pub(crate) pinned: u64,
}

impl UnitSlot {
    /// A free slot.
    pub const EMPTY: UnitSlot = UnitSlot {
        budget: 0,
        taken: 0,
        busy: 0,
        released: 0,
        withheld: 0,
        slots: 0,
        used: 0,
        first_hold: NONE,
        last_hold: NONE,
        place: Place::Cpu,
        state: UnitState::Down,
        is_open: false,
        has_models: false,
        profile: NONE,
        chosen: NONE,
        resident: 0,
        pinned: 0,
    };

    /// Are more models resident than there is room for?
    pub(crate) fn is_crowded(&self) -> bool {
        self.has_models && self.resident > self.budget - (self.taken - self.pinned)
    }
}

/// One shape: what makes entries alike for the units.
///
/// ```
/// assert!(size_of::<lineside_core::ShapeSlot>() <= 128);
/// ```
#[derive(Debug, Clone, Copy)]
#[cfg_attr(target_pointer_width = "64", repr(align(64)))]
pub struct ShapeSlot {
    pub(crate) memory: u64,
    pub(crate) weights: u64,
    /// The last search in which it was blocked.
    pub(crate) blocked: u64,
    /// The walk after which it had no entry left.
    pub(crate) emptied: u64,
    pub(crate) gpus: u32,
    pub(crate) model: u32,
    pub(crate) stream: u32,
    pub(crate) profile: u32,
    pub(crate) places: u8,
    pub(crate) fallback: bool,
    pub(crate) overtaken: u32,
    /// Entries in the queue.
    pub(crate) entries: u32,
    /// Units that are up and match, and CPU units that would match instead.
    pub(crate) up: u32,
    pub(crate) cpus: u32,
    /// Its lanes; a shape without is forgotten.
    pub(crate) first_lane: u32,
    /// Children in the trie of shapes.
    pub(crate) children: [u32; 2],
}

impl ShapeSlot {
    /// A free slot.
    pub const EMPTY: ShapeSlot = ShapeSlot {
        memory: 0,
        weights: 0,
        blocked: 0,
        emptied: 0,
        gpus: 1,
        model: NONE,
        stream: NONE,
        profile: NONE,
        places: 0,
        fallback: false,
        overtaken: 0,
        entries: 0,
        up: 0,
        cpus: 0,
        first_lane: NONE,
        children: [NONE; 2],
    };
}

/// One lane: the entries of one shape, priority and kind.
///
/// ```
/// assert!(size_of::<lineside_core::LaneSlot>() <= 64);
/// ```
#[derive(Debug, Clone, Copy)]
#[cfg_attr(target_pointer_width = "64", repr(align(64)))]
pub struct LaneSlot {
    pub(crate) shape: u32,
    pub(crate) group: u16,
    /// The lane's entry in the order of the queue.
    pub(crate) front: u32,
    pub(crate) waiting: EntryQueue,
    pub(crate) overdue: EntryQueue,
    /// Jobs of this lane that have not been removed.
    pub(crate) jobs: u32,
    /// The next lane of the same shape.
    pub(crate) next: u32,
}

impl LaneSlot {
    /// A free slot.
    pub const EMPTY: LaneSlot = LaneSlot {
        shape: NONE,
        group: 0,
        front: NONE,
        waiting: EntryQueue::EMPTY,
        overdue: EntryQueue::EMPTY,
        jobs: 0,
        next: NONE,
    };
}

/// One model.
///
/// ```
/// assert_eq!(size_of::<lineside_core::ModelSlot>(), 8);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct ModelSlot {
    pub(crate) weights: u64,
}

impl ModelSlot {
    /// A free slot.
    pub const EMPTY: ModelSlot = ModelSlot { weights: 0 };
}

/// One stream.
///
/// ```
/// assert!(size_of::<lineside_core::StreamSlot>() <= 16);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct StreamSlot {
    /// `NONE` is no bound.
    pub(crate) limit: u32,
    pub(crate) leases: u32,
    /// The last search in which it was withheld.
    pub(crate) withheld: u64,
}

impl StreamSlot {
    /// A free slot.
    pub const EMPTY: StreamSlot = StreamSlot { limit: NONE, leases: 0, withheld: 0 };

    pub(crate) fn is_full(&self) -> bool {
        self.limit != NONE && self.leases >= self.limit
    }
}

/// One model on one unit.
///
/// ```
/// assert!(size_of::<lineside_core::ResidencySlot>() <= 16);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct ResidencySlot {
    /// When the last lease that used it there was released.
    pub(crate) released: Nanos,
    /// Leases that use it now.
    pub(crate) pins: u32,
    pub(crate) resident: bool,
}

impl ResidencySlot {
    /// Not there.
    pub const EMPTY: ResidencySlot = ResidencySlot { released: 0, pins: 0, resident: false };
}
