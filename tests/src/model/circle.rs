//! Section 5: breaking circles.

use super::{Cause, LeaseIndex, Model, Time};

impl Model {
    /// Looks for a circle, to be called when a walk has granted nothing: if nothing that moves
    /// will free what a starved lease holds, that lease is revoked. Whether one was.
    ///
    /// The lease is then to be given back, the queue walked, and a circle looked for again.
    pub fn break_circle(&mut self, now: Time) -> bool {
        self.tick(now);
        let moving = self.moving();
        let stands = |job: &usize| !moving[*job] && self.jobs[*job].is_live();
        let mut wanted: Vec<LeaseIndex> = Vec::new();
        for holder in (0..self.jobs.len()).filter(stands) {
            let Some(lease) = self.starved_lease(holder) else { continue };
            let mut waiting =
                (0..self.jobs.len()).filter(stands).filter(|&job| self.is_queued(job));
            if waiting.any(|job| self.wants(job, lease)) {
                wanted.push(lease);
            }
        }
        match wanted.into_iter().max() {
            Some(granted_last) => {
                self.revoke(granted_last, Cause::Circle);
                true
            }
            None => false,
        }
    }

    /// Whether a queued job has among its candidates a unit of the lease, or names the limited
    /// stream that the lease is in.
    fn wants(&self, job: usize, lease: LeaseIndex) -> bool {
        let candidates = self.candidates(job);
        let unit = self.leases[lease].units.iter().any(|unit| candidates.contains(unit));
        let stream = self.limited_stream(job);
        unit || stream.is_some() && stream == self.limited_stream(self.leases[lease].job)
    }

    /// Which jobs are *moving*: marked until no more can be marked.
    fn moving(&self) -> Vec<bool> {
        let jobs = 0..self.jobs.len();
        let mut moving: Vec<bool> = jobs.clone().map(|job| self.moves_itself(job)).collect();
        loop {
            let next = jobs.clone().find(|&job| {
                !moving[job] && self.jobs[job].ended.is_none() && self.waits_for(job, &moving)
            });
            match next {
                Some(job) => moving[job] = true,
                None => return moving,
            }
        }
    }

    /// Images in flight, a revoked lease not yet given back, not arrived, or not fed in full.
    fn moves_itself(&self, job: usize) -> bool {
        let leases = self.leases_of(job);
        let state = &self.jobs[job];
        state.ended.is_none()
            && (leases.iter().any(|&lease| self.leases[lease].in_flight.is_some())
                || leases.iter().any(|&lease| self.leases[lease].revoked.is_some())
                || !state.arrived
                || state.fed < state.spec.images)
    }

    /// Whether what a job waits for will come from a moving job.
    fn waits_for(&self, job: usize, moving: &[bool]) -> bool {
        match self.is_queued(job) {
            true => {
                self.waits_for_unit(job, moving)
                    || self.waits_for_stream(job, moving)
                    || self.waits_behind(job, moving)
            }
            false => self.waits_for_image(job, moving),
        }
    }

    fn is_queued(&self, job: usize) -> bool {
        self.jobs[job].entry.is_some()
    }

    /// Among its candidates is a unit with a lease of a moving job on it.
    fn waits_for_unit(&self, job: usize, moving: &[bool]) -> bool {
        let leases = self.candidates(job).into_iter().flat_map(|unit| self.leases_on(unit));
        leases.into_iter().any(|lease| moving[self.leases[lease].job])
    }

    /// It names a limited stream in which a moving job holds a lease.
    fn waits_for_stream(&self, job: usize, moving: &[bool]) -> bool {
        let Some(stream) = self.limited_stream(job) else { return false };
        let held = self.leases.iter().filter(|lease| !lease.over).map(|lease| lease.job);
        held.into_iter().any(|holder| moving[holder] && self.limited_stream(holder) == Some(stream))
    }

    /// A candidate or the stream was withheld from it in the last walk, by an entry ahead of it
    /// whose job is moving.
    fn waits_behind(&self, job: usize, moving: &[bool]) -> bool {
        let candidates = self.candidates(job);
        let ahead = self.last_walk.iter().take_while(|visit| visit.job != job);
        let is_in_walk = self.last_walk.iter().any(|visit| visit.job == job);
        is_in_walk
            && ahead.filter(|visit| moving[visit.job]).any(|visit| {
                let units = visit.withheld_units();
                units.iter().any(|unit| candidates.contains(unit))
                    || self.withholds_stream(visit, job)
            })
    }

    /// It can't start its next image because of a moving job: the upstream of an edge that gives
    /// it no image *head*, or a downstream whose back-pressure holds it.
    fn waits_for_image(&self, job: usize, moving: &[bool]) -> bool {
        let head = self.head(job);
        let edges = self.jobs[job].edges.iter();
        let upstreams =
            edges.filter(|edge| self.given_by(job, edge) <= head).map(|edge| edge.upstream);
        let downstreams = self.held_back_by(job, head);
        upstreams.chain(downstreams).any(|other| moving[other])
    }
}
