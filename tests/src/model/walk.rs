//! Section 4: granting.

use super::{Fallback, Lease, Model, Needs, Place, Placement, Policy, Pool, UnitSpec, UnitState};
use super::{JobSpec, Time, What};

/// What a walk did at one entry of the queue.
#[derive(Debug, Clone)]
pub(super) struct Visit {
    pub(super) job: usize,
    candidates: Vec<usize>,
    outcome: Outcome,
}

/// How a visit to an entry ended, if not in a grant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    /// Its stream was at its limit, or withheld.
    Passed,
    /// Too few units were feasible.
    Blocked,
    /// So, and its candidates and its limited stream are withheld from those behind.
    Withholds,
}

impl Visit {
    /// The units withheld from every entry behind this one.
    pub(super) fn withheld_units(&self) -> &[usize] {
        match self.outcome {
            Outcome::Withholds => &self.candidates,
            Outcome::Passed | Outcome::Blocked => &[],
        }
    }

    /// Whether this entry withholds what it can from every entry behind it.
    pub(super) fn withholds(&self) -> bool {
        self.outcome == Outcome::Withholds
    }
}

impl Model {
    /// One walk of the queue, with at most one grant; whether there was one.
    pub fn walk(&mut self, now: Time) -> bool {
        self.tick(now);
        self.forget_absent_shapes();
        self.last_walk = Vec::new();
        for job in self.queue() {
            match self.visit(job) {
                Ok(units) => {
                    self.count_overtaking(job, &units);
                    self.grant(job, units);
                    self.settle(None);
                    return true;
                }
                Err(visit) => self.last_walk.push(visit),
            }
        }
        false
    }

    /// Steps 1 to 5 at one entry: the units to grant, or how it went.
    fn visit(&self, job: usize) -> Result<Vec<usize>, Visit> {
        let candidates = self.candidates(job);
        if self.stream_is_full(job) || self.stream_is_withheld(job) {
            return Err(Visit { job, candidates, outcome: Outcome::Passed });
        }
        let gpus = self.jobs[job].spec.gpus;
        let mut feasible: Vec<usize> =
            candidates.iter().copied().filter(|&unit| self.is_feasible(job, unit)).collect();
        if feasible.len() as u64 >= gpus {
            feasible.sort_by_key(|&unit| self.placement_key(job, unit));
            feasible.truncate(gpus as usize);
            return Ok(feasible);
        }
        let at_bound = self.overtaken(job) >= self.policy.overtake;
        let outcome = match at_bound && candidates.len() as u64 >= gpus {
            true => Outcome::Withholds,
            false => Outcome::Blocked,
        };
        Err(Visit { job, candidates, outcome })
    }

    /// Step 1: whether as many leases as its limit are held in the job's stream.
    fn stream_is_full(&self, job: usize) -> bool {
        let Some(stream) = self.limited_stream(job) else { return false };
        let names = |lease: &&Lease| self.jobs[lease.job].spec.stream == Some(stream);
        let held = self.leases.iter().filter(|lease| !lease.over).filter(names).count();
        self.streams[stream].limit.is_some_and(|limit| held as u64 >= limit)
    }

    /// Step 1: whether an entry ahead withholds the job's stream in this walk.
    fn stream_is_withheld(&self, job: usize) -> bool {
        self.last_walk.iter().any(|visit| self.withholds_stream(visit, job))
    }

    /// Whether the entry of a visit withholds the stream that `job` names.
    pub(super) fn withholds_stream(&self, visit: &Visit, job: usize) -> bool {
        let stream = self.limited_stream(job);
        visit.withholds() && stream.is_some() && stream == self.limited_stream(visit.job)
    }

    /// Step 2: the units that the job could have if they were free.
    pub(super) fn candidates(&self, job: usize) -> Vec<usize> {
        let spec = &self.jobs[job].spec;
        let falls_back = self.falls_back(job);
        let is_candidate = |unit: &usize| {
            let matches = match falls_back {
                true => self.units[*unit].spec.place == Place::Cpu,
                false => spec.matches(&self.units[*unit].spec),
            };
            let threads = self.leases_on(*unit).into_iter();
            let threads = threads.filter(|&lease| self.leases[lease].job == job).count() as u64;
            matches && self.is_up(*unit) && self.could_hold(job, *unit) && threads < spec.threads
        };
        (0..self.units.len()).filter(is_candidate).collect()
    }

    /// Step 2: whether the job matches CPU places instead of what it needs.
    fn falls_back(&self, job: usize) -> bool {
        let spec = &self.jobs[job].spec;
        let needs_a_gpu = match spec.needs {
            Needs::Gpu | Needs::Cuda | Needs::Vulkan => true,
            Needs::Cpu | Needs::Any => false,
        };
        if spec.fallback == Fallback::Forbid || !needs_a_gpu || spec.profile.is_some() {
            return false;
        }
        let usable = |unit: &usize| {
            let matches = spec.matches(&self.units[*unit].spec);
            matches && self.is_up(*unit) && self.could_hold(job, *unit)
        };
        ((0..self.units.len()).filter(usable).count() as u64) < spec.gpus
    }

    fn is_up(&self, unit: usize) -> bool {
        self.units[unit].state == UnitState::Up
    }

    /// Whether the unit's budget could hold the job alone, with its model.
    fn could_hold(&self, job: usize, unit: usize) -> bool {
        let spec = &self.jobs[job].spec;
        let weights = spec.model.map_or(0, |model| self.models[model].weights);
        u128::from(spec.memory) + u128::from(weights) <= u128::from(self.budget(unit))
    }

    fn budget(&self, unit: usize) -> u64 {
        self.units[unit].spec.budget(&self.policy)
    }

    /// Step 3: not withheld, a free slot, and enough memory now.
    fn is_feasible(&self, job: usize, unit: usize) -> bool {
        let withheld = self.last_walk.iter().any(|visit| visit.withheld_units().contains(&unit));
        let has_slot = (self.leases_on(unit).len() as u64) < self.units[unit].spec.slots;
        !withheld && has_slot && self.memory_with(job, unit) <= u128::from(self.budget(unit))
    }

    /// The sum of step 3: what would be in use on the unit if the job were there too.
    fn memory_with(&self, job: usize, unit: usize) -> u128 {
        let spec = &self.jobs[job].spec;
        let pinned = |model: usize| self.is_pinned(model, unit);
        let models = (0..self.models.len()).filter(|&model| pinned(model));
        let pinned_weights: u128 = models.map(|model| u128::from(self.models[model].weights)).sum();
        let own = spec.model.filter(|&model| !pinned(model));
        let own_weights = own.map_or(0, |model| self.models[model].weights);
        self.leased_memory(unit)
            + pinned_weights
            + u128::from(spec.memory)
            + u128::from(own_weights)
    }

    /// Σ memory of the leases on a unit.
    pub(super) fn leased_memory(&self, unit: usize) -> u128 {
        let jobs = self.leases_on(unit).into_iter().map(|lease| self.leases[lease].job);
        jobs.map(|job| u128::from(self.jobs[job].spec.memory)).sum()
    }

    /// Whether a lease on the unit uses the model.
    pub(super) fn is_pinned(&self, model: usize, unit: usize) -> bool {
        let mut jobs = self.leases_on(unit).into_iter().map(|lease| self.leases[lease].job);
        jobs.any(|job| self.jobs[job].spec.model == Some(model))
    }

    /// What units are sorted by for a job: lower comes first.
    fn placement_key(&self, job: usize, unit: usize) -> (bool, [u128; 3]) {
        let model = self.jobs[job].spec.model;
        let not_resident = model.is_some_and(|model| !self.units[unit].resident.contains(&model));

        let left_over = u128::from(self.budget(unit)) - self.memory_with(job, unit);
        let busy = u128::from(self.units[unit].busy);
        let released = self.units[unit].last_release;
        let never_first = released.map_or(0, |released| u128::from(released) + 1);
        let most_leases_first = u128::from(u64::MAX) - self.leases_on(unit).len() as u128;
        let index = unit as u128;
        let keys = match self.policy.placement {
            Placement::Fit => [left_over, busy, index],
            Placement::Balance => [busy, index, 0],
            Placement::Rotate => [never_first, index, 0],
            Placement::Pack => [most_leases_first, left_over, index],
        };
        (not_resident, keys)
    }

    /// As a walk begins, the counts of shapes that have no entry in the queue return to 0.
    fn forget_absent_shapes(&mut self) {
        let queued: Vec<_> = self.queue().into_iter().map(|job| self.jobs[job].shape()).collect();
        self.overtaken.retain(|(shape, _)| queued.contains(shape));
    }

    /// How often the shape of the job's entry was overtaken.
    fn overtaken(&self, job: usize) -> u64 {
        let shape = self.jobs[job].shape();
        let found = self.overtaken.iter().find(|(other, _)| *other == shape);
        found.map_or(0, |&(_, count)| count)
    }

    /// On a grant to `job`: counts it against the first blocked entry ahead that minds, then
    /// clears the count of the job's own shape.
    fn count_overtaking(&mut self, job: usize, granted: &[usize]) {
        let stream = self.limited_stream(job);
        let minds = |visit: &&Visit| {
            let is_blocked = visit.outcome != Outcome::Passed;
            let has_candidates = visit.candidates.len() as u64 >= self.jobs[visit.job].spec.gpus;
            let shares_unit = granted.iter().any(|unit| visit.candidates.contains(unit));
            let shares_stream = stream.is_some() && self.limited_stream(visit.job) == stream;
            is_blocked && has_candidates && (shares_unit || shares_stream)
        };
        if let Some(overtaken) = self.last_walk.iter().find(minds).map(|visit| visit.job) {
            let shape = self.jobs[overtaken].shape();
            match self.overtaken.iter_mut().find(|(other, _)| *other == shape) {
                Some((_, count)) => *count += 1,
                None => self.overtaken.push((shape, 1)),
            }
        }
        let own = self.jobs[job].shape();
        self.overtaken.retain(|(shape, _)| *shape != own);
    }

    /// Grants the units, in this order, to the job at whose entry the walk is.
    fn grant(&mut self, job: usize, units: Vec<usize>) {
        let entry = self.jobs[job].entry.take().expect("the walk is at the job's entry");
        let fallback = self.falls_back(job);
        let model = self.jobs[job].spec.model;
        let lease = self.leases.len();
        self.leases.push(Lease {
            job,
            units: units.clone(),
            ticket: entry.ticket,
            granted: self.now,
            in_flight: None,
            deadline: None,
            revoked: None,
            over: false,
        });
        let mut cold = false;
        for &unit in &units {
            if let Some(model) = model
                && !self.units[unit].resident.contains(&model)
            {
                self.units[unit].resident.push(model);
                cold = true;
            }
        }
        for &unit in &units {
            self.evict(unit);
        }
        self.emit(What::Grant { job, lease, units, ticket: entry.ticket, cold, fallback });
        self.start(lease);
    }

    /// Residency: evicts unpinned models from a unit until the rest fits beside the leases.
    fn evict(&mut self, unit: usize) {
        loop {
            let resident = &self.units[unit].resident;
            let weights: u128 =
                resident.iter().map(|&model| u128::from(self.models[model].weights)).sum();
            if self.leased_memory(unit) + weights <= u128::from(self.budget(unit)) {
                return;
            }
            let unpinned = resident.iter().copied().filter(|&model| !self.is_pinned(model, unit));
            let oldest =
                unpinned.min_by_key(|&model| (self.units[unit].model_released[model], model));
            let Some(model) = oldest else { return };
            self.units[unit].resident.retain(|&other| other != model);
            self.emit(What::Evict { unit, model });
        }
    }

    /// `pool = "free"`: a model leaves with the last lease that used it on the unit.
    pub(super) fn free_model(&mut self, model: usize, unit: usize) {
        if self.policy.pool == Pool::Free && !self.is_pinned(model, unit) {
            self.units[unit].resident.retain(|&other| other != model);
        }
    }
}

impl JobSpec {
    /// Whether a unit is of the place that the job needs, and of its profile.
    pub(super) fn matches(&self, unit: &UnitSpec) -> bool {
        let place = match self.needs {
            Needs::Gpu => unit.place == Place::Cuda || unit.place == Place::Vulkan,
            Needs::Cuda => unit.place == Place::Cuda,
            Needs::Vulkan => unit.place == Place::Vulkan,
            Needs::Cpu => unit.place == Place::Cpu,
            Needs::Any => true,
        };
        place && (self.profile.is_none() || self.profile == unit.profile)
    }
}

impl UnitSpec {
    /// Section 1: memory − floor(memory × headroom / 100); all of it on a CPU place.
    pub(super) fn budget(&self, policy: &Policy) -> u64 {
        let headroom = u128::from(self.memory) * u128::from(policy.headroom) / 100;
        match self.place {
            Place::Cpu => self.memory,
            Place::Cuda | Place::Vulkan => self.memory - headroom as u64,
        }
    }
}
