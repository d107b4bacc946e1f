//! Tables for a scheduler, as large as a workload needs them.

use alloc::vec;
use alloc::vec::Vec;

use lineside_core::{
    EdgeSlot, JobSlot, LaneSlot, LeaseSlot, ModelSlot, ResidencySlot, ShapeSlot, Storage,
    StreamSlot, UnitSlot,
};

use crate::workload::{Class, Workload};

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
        let leases = most_leases(workload);
        let shapes = workload.classes.len();
        Tables {
            jobs: vec![JobSlot::EMPTY; jobs],
            units: vec![UnitSlot::EMPTY; units],
            edges: vec![EdgeSlot::EMPTY; workload.edges.len()],
            leases: vec![LeaseSlot::EMPTY; leases],
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

/// Units of leases that can be held at once.
pub(crate) fn most_leases(workload: &Workload) -> usize {
    let slots: u64 = workload.units.iter().map(|unit| u64::from(unit.slots)).sum();
    let of_class = |class: &Class| {
        let inflight = if class.spec.image_grain() { class.spec.inflight } else { 1 };
        u64::from(inflight.min(class.spec.images)) * u64::from(class.spec.gpus)
    };
    let of_classes: Vec<u64> = workload.classes.iter().map(of_class).collect();
    let wanted = workload.jobs.iter().map(|job| of_classes[job.class as usize]);
    wanted.fold(0, u64::saturating_add).min(slots) as usize
}
