//! The tools and the units, and what tools have left on units.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use std::sync::{Mutex, PoisonError};

use lineside_core::{ModelId, Scheduler, UnitId};
use lineside_line::Line;

use super::tool::Tool;
use super::work::{Failure, HostUnit};

/// What the threads share.
pub(super) struct Machine {
    pub(super) jobs: Vec<HostJob>,
    pub(super) units: Vec<Arc<HostUnit>>,
    /// For each unit.
    leaving: Vec<Leaving>,
}

pub(super) struct HostJob {
    pub(super) name: String,
    pub(super) tool: Box<dyn Tool>,
    model: Option<ModelId>,
}

/// Who has to leave a unit.
#[derive(Default)]
struct Leaving {
    /// Indexes of jobs that are still to be told.
    jobs: Mutex<Vec<u32>>,
    /// Held while they are told: whoever wants to start there waits.
    telling: Mutex<()>,
}

impl Machine {
    pub(super) fn new(line: &Line, tools: Vec<Box<dyn Tool>>, units: Vec<HostUnit>) -> Self {
        let jobs = line.jobs.iter().zip(tools).map(|(job, tool)| HostJob {
            name: job.name.clone(),
            tool,
            model: job.model.map(ModelId),
        });
        let leaving = units.iter().map(|_| Leaving::default()).collect();
        Machine { jobs: jobs.collect(), units: units.into_iter().map(Arc::new).collect(), leaving }
    }

    pub(super) fn unit(&self, unit: UnitId) -> Arc<HostUnit> {
        self.units[unit.0 as usize].clone()
    }

    /// A model leaves a unit, and so does what its jobs keep there.
    pub(super) fn evict(&self, unit: UnitId, model: ModelId) {
        let jobs = self.jobs.iter().enumerate();
        let jobs = jobs.filter(|(_, job)| job.model == Some(model)).map(|(at, _)| at as u32);
        self.add(unit, jobs);
    }

    /// Every job leaves a unit.
    pub(super) fn everybody_leaves(&self, unit: UnitId) {
        self.add(unit, 0..self.jobs.len() as u32);
    }

    /// A job is over: what it keeps without a model goes. Says from which units.
    pub(super) fn job_leaves(&self, job: u32) -> Vec<UnitId> {
        let HostJob { model, tool, .. } = &self.jobs[job as usize];
        if model.is_some() || !tool.stays() {
            return Vec::new();
        }
        let units: Vec<UnitId> = self.units.iter().map(|unit| unit.id).collect();
        units.iter().for_each(|&unit| self.add(unit, core::iter::once(job)));
        units
    }

    /// A lease is over: a model that is not to be kept leaves. Is there something to clear?
    pub(super) fn release(&self, scheduler: &Scheduler<'_>, job: u32, unit: UnitId) -> bool {
        let Some(model) = self.jobs[job as usize].model else { return false };
        if scheduler.is_resident(unit, model).unwrap_or(false) {
            return false;
        }
        self.evict(unit, model);
        true
    }

    /// Has those leave a unit that are to, and waits until they are gone.
    ///
    /// # Errors
    ///
    /// That the unit is lost.
    pub(super) fn clear(&self, unit: UnitId) -> Result<(), Failure> {
        let leaving = &self.leaving[unit.0 as usize];
        let _telling = leaving.telling.lock().unwrap_or_else(PoisonError::into_inner);
        let jobs =
            core::mem::take(&mut *leaving.jobs.lock().unwrap_or_else(PoisonError::into_inner));
        let mut texts: Vec<String> = Vec::new();
        for job in jobs {
            let job = &self.jobs[job as usize];
            texts.extend(job.tool.leave(unit).err());
        }
        if texts.is_empty() {
            Ok(())
        } else {
            Err(Failure::of_units(texts.join("; "), [unit].into()))
        }
    }

    /// Clears the units of a lease, before its start begins.
    pub(super) fn clear_for(&self, units: &[Arc<HostUnit>]) -> Result<(), Failure> {
        units.iter().try_for_each(|unit| self.clear(unit.id))
    }

    fn add(&self, unit: UnitId, jobs: impl Iterator<Item = u32>) {
        let leaving = &self.leaving[unit.0 as usize];
        let jobs = jobs.filter(|&job| self.jobs[job as usize].tool.stays());
        leaving.jobs.lock().unwrap_or_else(PoisonError::into_inner).extend(jobs);
    }
}
