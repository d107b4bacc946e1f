//! Tables for a scheduler, as large as a workload needs them.

use alloc::vec;
use alloc::vec::Vec;

use lineside_core::{
    EdgeSlot, HoldSlot, JobSlot, LaneSlot, LeaseSlot, ModelSlot, ResidencySlot, ShapeSlot, Storage,
    StreamSlot, UnitSlot,
};

use crate::workload::Workload;

/// Tables that own their memory.
///
/// ```
/// use lineside_backends::{Tables, Workload};
/// use lineside_core::{Policy, Scheduler};
/// let mut tables = Tables::for_workload(&Workload::default());
/// assert_eq!(Scheduler::new(Policy::default(), tables.storage()).queued(), 0);
/// ```
#[derive(Debug)]
pub struct Tables {
    jobs: Vec<JobSlot>,
    units: Vec<UnitSlot>,
    edges: Vec<EdgeSlot>,
    leases: Vec<LeaseSlot>,
    holds: Vec<HoldSlot>,
    shapes: Vec<ShapeSlot>,
    lanes: Vec<LaneSlot>,
    models: Vec<ModelSlot>,
    streams: Vec<StreamSlot>,
    residency: Vec<ResidencySlot>,
    order: Vec<u32>,
    pending: Vec<u32>,
    open: Vec<u32>,
}

impl Tables {
    /// Room for everything in the workload at once.
    pub fn for_workload(workload: &Workload) -> Self {
        let (jobs, units) = (workload.jobs.len(), workload.units.len());
        let (leases, holds) = most_leases(workload);
        let shapes = workload.classes.len();
        Tables {
            jobs: vec![JobSlot::EMPTY; jobs],
            units: vec![UnitSlot::EMPTY; units],
            edges: vec![EdgeSlot::EMPTY; workload.edges.len()],
            leases: vec![LeaseSlot::EMPTY; leases],
            holds: vec![HoldSlot::EMPTY; holds],
            shapes: vec![ShapeSlot::EMPTY; shapes],
            lanes: vec![LaneSlot::EMPTY; shapes],
            models: vec![ModelSlot::EMPTY; workload.models.len()],
            streams: vec![StreamSlot::EMPTY; workload.streams.len()],
            residency: vec![ResidencySlot::EMPTY; units * workload.models.len()],
            order: vec![0; jobs],
            pending: vec![0; jobs],
            open: vec![0; units],
        }
    }

    /// Lends the tables to a scheduler.
    pub fn storage(&mut self) -> Storage<'_> {
        Storage {
            jobs: &mut self.jobs,
            units: &mut self.units,
            edges: &mut self.edges,
            leases: &mut self.leases,
            holds: &mut self.holds,
            shapes: &mut self.shapes,
            lanes: &mut self.lanes,
            models: &mut self.models,
            streams: &mut self.streams,
            residency: &mut self.residency,
            order: &mut self.order,
            pending: &mut self.pending,
            open: &mut self.open,
        }
    }
}

/// Leases, and units of leases, that can be held at once.
fn most_leases(workload: &Workload) -> (usize, usize) {
    let slots: u64 = workload.units.iter().map(|unit| u64::from(unit.slots)).sum();
    let (mut leases, mut holds) = (0u64, 0u64);
    for job in &workload.jobs {
        let spec = &workload.classes[job.class as usize].spec;
        let inflight = if spec.image_grain() { spec.inflight } else { 1 };
        let most = u64::from(inflight.min(spec.images));
        leases += most;
        holds += most * u64::from(spec.gpus);
    }
    (leases.min(slots) as usize, holds.min(slots) as usize)
}
