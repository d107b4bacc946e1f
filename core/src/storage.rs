//! The tables of a scheduler: lent by the caller, or held in a [`Memory`].

use crate::id::NONE;
use crate::slot::{
    EdgeSlot, JobSlot, LaneSlot, LeaseSlot, ModelSlot, ResidencySlot, ShapeSlot, StreamSlot,
    UnitSlot,
};

/// Every table a scheduler needs, lent by the caller.
///
/// A table's length is its capacity. `order` and `pending` are as long as `jobs`, `open` is as long
/// as `units`, and `residency` has room for every model on every unit; [`Memory`] and a vector each
/// are two ways to have them.
///
/// ```
/// use lineside_core::{Memory, Policy, Scheduler};
/// let mut memory = Memory::<8, 2, 16, 4, 4, 2, 1>::new();
/// let scheduler = Scheduler::new(Policy::default(), memory.storage());
/// assert_eq!(scheduler.queued(), 0);
/// ```
#[derive(Debug)]
pub struct Storage<'a> {
    /// Jobs that have not been removed.
    pub jobs: &'a mut [JobSlot],
    /// Units.
    pub units: &'a mut [UnitSlot],
    /// Edges of jobs that have not been removed.
    pub edges: &'a mut [EdgeSlot],
    /// Units of leases: the smaller of the slots of all units and `inflight` × `gpus` of all jobs.
    pub leases: &'a mut [LeaseSlot],
    /// Distinct shapes.
    pub shapes: &'a mut [ShapeSlot],
    /// Distinct shapes, priorities and kinds.
    pub lanes: &'a mut [LaneSlot],
    /// Models.
    pub models: &'a mut [ModelSlot],
    /// Streams.
    pub streams: &'a mut [StreamSlot],
    /// Models × units.
    pub residency: &'a mut [ResidencySlot],
    /// As many as `jobs`.
    pub order: &'a mut [u32],
    /// As many as `jobs`.
    pub pending: &'a mut [u32],
    /// As many as `units`.
    pub open: &'a mut [u32],
}

/// Tables whose capacities are known at compile time.
///
/// ```
/// use lineside_core::Memory;
/// // Room for 8 jobs with 16 edges on 2 units with 4 leases, for a controller.
/// static ROOM: Memory<8, 2, 16, 4, 4, 2, 1> = Memory::new();
/// assert!(size_of_val(&ROOM) < 4096);
/// ```
#[derive(Debug)]
pub struct Memory<
    const JOBS: usize,
    const UNITS: usize,
    const EDGES: usize,
    const LEASES: usize,
    const LANES: usize,
    const MODELS: usize,
    const STREAMS: usize,
> {
    jobs: [JobSlot; JOBS],
    units: [UnitSlot; UNITS],
    edges: [EdgeSlot; EDGES],
    leases: [LeaseSlot; LEASES],
    shapes: [ShapeSlot; LANES],
    lanes: [LaneSlot; LANES],
    models: [ModelSlot; MODELS],
    streams: [StreamSlot; STREAMS],
    residency: [[ResidencySlot; MODELS]; UNITS],
    order: [u32; JOBS],
    pending: [u32; JOBS],
    open: [u32; UNITS],
}

impl<
    const JOBS: usize,
    const UNITS: usize,
    const EDGES: usize,
    const LEASES: usize,
    const LANES: usize,
    const MODELS: usize,
    const STREAMS: usize,
> Memory<JOBS, UNITS, EDGES, LEASES, LANES, MODELS, STREAMS>
{
    /// Empty tables.
    pub const fn new() -> Self {
        const { assert!(JOBS < NONE as usize && UNITS < NONE as usize) };
        const { assert!(EDGES < NONE as usize && LEASES < NONE as usize) };
        Memory {
            jobs: [JobSlot::EMPTY; JOBS],
            units: [UnitSlot::EMPTY; UNITS],
            edges: [EdgeSlot::EMPTY; EDGES],
            leases: [LeaseSlot::EMPTY; LEASES],
            shapes: [ShapeSlot::EMPTY; LANES],
            lanes: [LaneSlot::EMPTY; LANES],
            models: [ModelSlot::EMPTY; MODELS],
            streams: [StreamSlot::EMPTY; STREAMS],
            residency: [[ResidencySlot::EMPTY; MODELS]; UNITS],
            order: [0; JOBS],
            pending: [0; JOBS],
            open: [0; UNITS],
        }
    }

    /// Lends the tables to a scheduler.
    pub fn storage(&mut self) -> Storage<'_> {
        Storage {
            jobs: &mut self.jobs,
            units: &mut self.units,
            edges: &mut self.edges,
            leases: &mut self.leases,
            shapes: &mut self.shapes,
            lanes: &mut self.lanes,
            models: &mut self.models,
            streams: &mut self.streams,
            residency: self.residency.as_flattened_mut(),
            order: &mut self.order,
            pending: &mut self.pending,
            open: &mut self.open,
        }
    }
}

impl<
    const JOBS: usize,
    const UNITS: usize,
    const EDGES: usize,
    const LEASES: usize,
    const LANES: usize,
    const MODELS: usize,
    const STREAMS: usize,
> Default for Memory<JOBS, UNITS, EDGES, LEASES, LANES, MODELS, STREAMS>
{
    fn default() -> Self {
        Self::new()
    }
}
