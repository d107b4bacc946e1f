//! Rows of the tables by index, and indexes by id.

use crate::error::InputError;
use crate::id::{JobId, LeaseId, UnitId};
use crate::scheduler::{Scheduler, Units};
use crate::slot::{JobSlot, LeaseSlot, ShapeSlot, Stage, UnitSlot};
use crate::spec::Order;

impl Scheduler<'_> {
    #[inline]
    pub(crate) fn find_job(&self, id: JobId) -> Result<u32, InputError> {
        let slot = self.tables.jobs[..self.used.jobs as usize].get(id.index as usize);
        match slot {
            Some(slot) if slot.generation == id.generation && slot.stage != Stage::Free => {
                Ok(id.index)
            }
            _ => Err(InputError::Stale),
        }
    }

    #[inline]
    pub(crate) fn find_lease(&self, id: LeaseId) -> Result<u32, InputError> {
        let slot = self.tables.leases[..self.used.leases as usize].get(id.index as usize);
        match slot {
            Some(slot) if slot.generation == id.generation && slot.is_live() => Ok(id.index),
            _ => Err(InputError::Stale),
        }
    }

    pub(crate) fn find_unit(&self, id: UnitId) -> Result<u32, InputError> {
        if id.0 < self.used.units { Ok(id.0) } else { Err(InputError::Stale) }
    }

    #[inline]
    pub(crate) fn job_id(&self, index: u32) -> JobId {
        JobId { index, generation: self.tables.jobs[index as usize].generation }
    }

    #[inline]
    pub(crate) fn lease_id(&self, index: u32) -> LeaseId {
        LeaseId { index, generation: self.tables.leases[index as usize].generation }
    }

    /// The units of a lease.
    #[inline]
    pub(crate) fn units_at(&self, lease: u32) -> Units<'_> {
        Units { leases: self.tables.leases, next: lease }
    }

    #[inline]
    pub(crate) fn residency_at(&self, unit: u32, model: u32) -> usize {
        unit as usize * self.tables.models.len() + model as usize
    }

    #[inline]
    pub(crate) fn job(&self, index: u32) -> &JobSlot {
        &self.tables.jobs[index as usize]
    }

    #[inline]
    pub(crate) fn job_mut(&mut self, index: u32) -> &mut JobSlot {
        &mut self.tables.jobs[index as usize]
    }

    #[inline]
    pub(crate) fn lease(&self, index: u32) -> &LeaseSlot {
        &self.tables.leases[index as usize]
    }

    #[inline]
    pub(crate) fn lease_mut(&mut self, index: u32) -> &mut LeaseSlot {
        &mut self.tables.leases[index as usize]
    }

    #[inline]
    pub(crate) fn unit(&self, index: u32) -> &UnitSlot {
        &self.tables.units[index as usize]
    }

    #[inline]
    pub(crate) fn unit_mut(&mut self, index: u32) -> &mut UnitSlot {
        &mut self.tables.units[index as usize]
    }

    #[inline]
    pub(crate) fn shape(&self, index: u32) -> &ShapeSlot {
        &self.tables.shapes[index as usize]
    }

    #[inline]
    pub(crate) fn shape_of(&self, job: u32) -> u32 {
        self.job(job).shape
    }

    /// A stamp that nothing bears yet.
    #[inline]
    pub(crate) fn new_stamp(&mut self) -> u64 {
        self.stamp += 1;
        self.stamp
    }

    /// Does the order of the queue look at the kind?
    pub(crate) fn order_by_kind(&self) -> bool {
        match self.policy.order {
            Order::StandardFirst | Order::OldestImage => true,
            Order::Fifo | Order::CriticalPath => false,
        }
    }
}
