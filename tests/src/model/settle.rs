//! Section 5: settling, starting, releasing, and ending.

use super::{Cause, EdgeKind, EndCause, Image, LeaseIndex, Model, On, State, What};

/// What settling does with a job.
#[derive(Debug, Clone, Copy)]
enum Step {
    /// An upstream, this one, has ended otherwise than done.
    Skip(usize),
    /// N = 0, and nothing to wait for.
    EndAsDone,
    /// A starved lease can go on.
    Start(LeaseIndex),
    Enqueue,
}

impl Model {
    /// Handles every job whose readiness may have changed, lowest index first until none is
    /// left; `own`, the job whose own lease the input concerned, last of all.
    pub(super) fn settle(&mut self, own: Option<usize>) {
        let others = |job: &usize| Some(*job) != own;
        loop {
            let mut jobs = (0..self.jobs.len()).filter(others).chain(own);
            let next = jobs.find_map(|job| Some((job, self.settling_step(job)?)));
            let Some((job, step)) = next else { return };
            match step {
                Step::Skip(upstream) => {
                    self.wind_up(job, State::Skipped, EndCause::Upstream(upstream));
                }
                Step::EndAsDone => self.end(job, State::Done, EndCause::None),
                Step::Start(lease) => self.start(lease),
                Step::Enqueue => self.enqueue(job),
            }
        }
    }

    /// What there is to be done with a job, in the order of the rule.
    fn settling_step(&self, job: usize) -> Option<Step> {
        if !self.jobs[job].is_live() {
            return None;
        }
        if let Some(upstream) = self.upstream_that_skips(job) {
            return Some(Step::Skip(upstream));
        }
        let is_empty = self.jobs[job].spec.images == 0;
        if is_empty && self.jobs[job].arrived && self.is_satisfied(job) {
            return Some(Step::EndAsDone);
        }
        if let Some(lease) = self.starved_lease(job)
            && self.can_start(job)
        {
            return Some(Step::Start(lease));
        }
        if self.is_ready(job) && self.jobs[job].entry.is_none() {
            return Some(Step::Enqueue);
        }
        None
    }

    /// Skip: the upstream of an `on = "success"` edge that ended otherwise than done; the lowest
    /// in index if there are several.
    fn upstream_that_skips(&self, job: usize) -> Option<usize> {
        let on_success = self.jobs[job].edges.iter().filter(|edge| edge.is_on_success());
        let ended_badly =
            |upstream: &usize| self.jobs[*upstream].ended.is_some_and(|state| state != State::Done);
        on_success.map(|edge| edge.upstream).filter(ended_badly).min()
    }

    /// Whether every edge of the job is satisfied.
    fn is_satisfied(&self, job: usize) -> bool {
        self.jobs[job].edges.iter().all(|edge| {
            let ended = self.jobs[edge.upstream].ended;
            match edge.kind {
                EdgeKind::Barrier(On::End) => ended.is_some(),
                EdgeKind::Barrier(On::Success) | EdgeKind::Stream { .. } => {
                    ended == Some(State::Done)
                }
            }
        })
    }

    /// The starved lease of a whole-grain job. (An image-grain lease ends with its start.)
    pub(super) fn starved_lease(&self, job: usize) -> Option<LeaseIndex> {
        self.leases_of(job).into_iter().find(|&lease| self.leases[lease].is_starved())
    }

    /// Takes a job out of the queue and revokes its leases, in grant order; it ends at once if
    /// it holds none, else with the last one that is given back.
    pub(super) fn wind_up(&mut self, job: usize, state: State, cause: EndCause) {
        let revoke_cause = match state {
            State::Failed => Cause::Failed,
            State::Cancelled => Cause::Cancel,
            State::Skipped => Cause::Skipped,
            State::Done => unreachable!("a job that is done has nothing to wind up"),
        };
        self.jobs[job].entry = None;
        self.jobs[job].ending = Some((state, cause));
        for lease in self.leases_of(job) {
            self.revoke(lease, revoke_cause);
        }
        self.end_if_left(job);
    }

    /// Ends a job that is to end, once it holds no lease any more.
    pub(super) fn end_if_left(&mut self, job: usize) {
        if let Some((state, cause)) = self.jobs[job].ending
            && self.leases_of(job).is_empty()
        {
            self.end(job, state, cause);
        }
    }

    /// Ends a job that holds no lease.
    pub(super) fn end(&mut self, job: usize, state: State, cause: EndCause) {
        assert!(self.leases_of(job).is_empty(), "the last lease is released before the end");
        assert!(self.jobs[job].entry.is_none(), "a job whose images are all done isn't queued");
        self.jobs[job].ended = Some(state);
        self.emit(What::End { job, state, cause });
    }

    /// Revokes a lease. One that is revoked already keeps its first cause.
    pub(super) fn revoke(&mut self, lease: LeaseIndex, cause: Cause) {
        if self.leases[lease].revoked.is_none() {
            self.leases[lease].revoked = Some(cause);
            self.emit(What::Revoke { job: self.leases[lease].job, lease, cause });
        }
    }

    /// Releases a lease; images that are still in flight become not done.
    pub(super) fn release(&mut self, lease: LeaseIndex) {
        let job = self.leases[lease].job;
        if let Some(images) = self.leases[lease].in_flight.take() {
            self.mark(job, images, Image::Waiting);
        }
        self.leases[lease].over = true;
        let held = self.now - self.leases[lease].granted;
        let units = self.leases[lease].units.clone();
        for &unit in &units {
            let state = &mut self.units[unit];
            state.busy = state.busy.saturating_add(held);
            state.last_release = Some(self.now);
            if let Some(model) = self.jobs[job].spec.model {
                state.model_released[model] = Some(self.now);
                self.free_model(model, unit);
            }
        }
        self.emit(What::Release { job, lease, units });
    }
}
