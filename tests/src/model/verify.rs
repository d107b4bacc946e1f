//! What must hold between any two calls.

use super::{Model, UnitState};

impl Model {
    /// Checks what the rules promise at every moment; the cost is that of a walk and more.
    ///
    /// # Panics
    ///
    /// If the model has broken a rule: a bug in it, or in the rules.
    pub fn verify(&self) {
        for job in 0..self.jobs.len() {
            self.verify_job(job);
        }
        for unit in 0..self.units.len() {
            self.verify_unit(unit);
        }
        for (stream, spec) in self.streams.iter().enumerate() {
            let held = self.leases.iter().filter(|lease| !lease.over);
            let held = held.filter(|lease| self.jobs[lease.job].spec.stream == Some(stream));
            let held = held.count() as u64;
            assert!(spec.limit.is_none_or(|limit| held <= limit), "stream {stream} has a limit");
        }
    }

    fn verify_job(&self, job: usize) {
        let state = &self.jobs[job];
        let leases = self.leases_of(job);
        // Section 3: a ready job has exactly one entry; nothing else has one.
        assert_eq!(state.entry.is_some(), self.is_ready_or_queued(job), "entry of job {job}");
        if state.ended.is_some() {
            assert!(leases.is_empty(), "job {job} has ended with a lease");
        }
        if state.ended.is_none() && state.ending.is_some() {
            let all_revoked = leases.iter().all(|&lease| self.leases[lease].revoked.is_some());
            assert!(all_revoked && !leases.is_empty(), "job {job} waits for its leases to end");
        }
        // Sections 1 and 5: a starved lease goes on as soon as it can.
        if self.starved_lease(job).is_some() {
            assert!(!state.is_image_grain(), "an image-grain lease of job {job} starves");
            assert!(!self.can_start(job), "job {job} starves, but could start");
        }
    }

    /// Section 2: a job that is ready stays ready until it is granted or ends.
    fn is_ready_or_queued(&self, job: usize) -> bool {
        let is_ready = self.is_ready(job);
        assert!(is_ready || self.jobs[job].entry.is_none(), "job {job} is queued, but not ready");
        is_ready
    }

    fn verify_unit(&self, unit: usize) {
        let leases = self.leases_on(unit);
        let spec = &self.units[unit].spec;
        assert!(leases.len() as u64 <= spec.slots, "unit {unit} has so many slots");
        for &lease in &leases {
            let job = self.leases[lease].job;
            let own = leases.iter().filter(|&&other| self.leases[other].job == job).count();
            assert!(own as u64 <= self.jobs[job].spec.threads, "job {job} has so many threads");
            if self.units[unit].state == UnitState::Down {
                assert!(self.leases[lease].revoked.is_some(), "lease {lease} is on a lost unit");
            }
        }
        let resident = self.units[unit].resident.iter().map(|&model| self.models[model].weights);
        let weights: u128 = resident.map(u128::from).sum();
        let used = self.leased_memory(unit) + weights;
        assert!(used <= u128::from(spec.budget(&self.policy)), "unit {unit} has so much memory");
    }
}
