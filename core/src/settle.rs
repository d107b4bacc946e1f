//! Settling: every job whose readiness may have changed is handled, the lowest index first and the
//! job whose own lease the input concerned last of all (semantics, section 5).

use crate::event::{Event, Outcome, RevokeCause};
use crate::id::{JobId, NONE};
use crate::queue::Home;
use crate::scheduler::Scheduler;
use crate::slot::{EdgeSlot, JobSlot, Stage};
use crate::spec::Order;

impl Scheduler<'_> {
    /// Notes that the readiness of a job may have changed.
    pub(crate) fn touch(&mut self, job: u32) {
        if job == self.last {
            self.last_is_pending = true;
        } else if !self.job(job).pending {
            self.job_mut(job).pending = true;
            self.push_pending(job);
        }
    }

    /// Handles what was touched, until nothing is. Every input ends here.
    pub(crate) fn settle(&mut self, out: &mut impl FnMut(&Scheduler<'_>, Event)) {
        loop {
            let job = if self.pending > 0 {
                let job = self.pop_pending();
                self.job_mut(job).pending = false;
                job
            } else if self.last_is_pending {
                self.last_is_pending = false;
                self.last
            } else {
                break;
            };
            self.handle(job, out);
        }
        self.last = NONE;
    }

    /// Handles one job, and what that touches.
    pub(crate) fn settle_one(&mut self, job: u32, out: &mut impl FnMut(&Scheduler<'_>, Event)) {
        self.last = job;
        self.last_is_pending = true;
        self.settle(out);
    }

    /// The same as `settle`, for where it is most often the last job alone that was touched.
    #[inline(always)]
    pub(crate) fn settle_last(&mut self, out: &mut impl FnMut(&Scheduler<'_>, Event)) {
        if self.pending == 0 && self.last_is_pending {
            self.last_is_pending = false;
            self.handle(self.last, out);
        }
        if self.pending > 0 || self.last_is_pending {
            self.settle(out);
        }
        self.last = NONE;
    }

    #[inline(always)]
    fn handle(&mut self, job: u32, out: &mut impl FnMut(&Scheduler<'_>, Event)) {
        let slot = self.job(job);
        if slot.stage != Stage::Arrived || slot.skipped_by != NONE {
            self.handle_skipped(job, out);
        } else if slot.is_leased_up() {
            if !slot.image_grain {
                self.start_starved(job, out);
            }
        } else if slot.home == Home::None {
            if slot.head() < self.limit(slot) {
                self.enqueue(job, out);
            } else if slot.images == 0 && self.is_satisfied(job) {
                self.end(job, Outcome::Done, out);
            }
        }
    }

    fn handle_skipped(&mut self, job: u32, out: &mut impl FnMut(&Scheduler<'_>, Event)) {
        let slot = self.job(job);
        if slot.skipped_by != NONE && matches!(slot.stage, Stage::Held | Stage::Arrived) {
            let outcome = Outcome::Skipped(self.job_id(slot.skipped_by));
            self.end_badly(job, outcome, RevokeCause::Skipped, out);
        }
    }

    /// Starts what can be started on the lease of a whole-grain job that has nothing in flight.
    fn start_starved(&mut self, job: u32, out: &mut impl FnMut(&Scheduler<'_>, Event)) {
        let slot = self.job(job);
        if !self.lease(slot.first_lease).starved {
            return;
        }
        let lease = slot.first_lease;
        if let Some(images) = self.startable(slot) {
            self.remove_starved(lease);
            self.start(lease, images, out);
        }
    }

    /// Every edge into the job is satisfied: upstreams over streams are done.
    fn is_satisfied(&self, job: u32) -> bool {
        let mut next = self.job(job).edges_in;
        while let Some(edge) = self.edge(next) {
            let upstream = self.stream_upstream(edge).map(|upstream| self.job(upstream));
            if upstream.is_some_and(|upstream| upstream.stage != Stage::Ended) {
                return false;
            }
            next = edge.next_in;
        }
        self.job(job).barriers == 0
    }

    #[inline(always)]
    fn enqueue(&mut self, job: u32, out: &mut impl FnMut(&Scheduler<'_>, Event)) {
        let slot = &mut self.tables.jobs[job as usize];
        let id = JobId { index: job, generation: slot.generation };
        let mut is_last = true;
        if slot.carries_ticket {
            (slot.carries_ticket, is_last) = (false, false);
        } else {
            slot.ticket = self.next_ticket;
            self.next_ticket += 1;
        }
        match self.policy.order {
            Order::StandardFirst | Order::Fifo => {}
            Order::CriticalPath => is_last = false,
            Order::OldestImage => {
                slot.rank = u64::from(slot.head());
                is_last = false;
            }
        }
        let ticket = slot.ticket;
        self.enter_queue(job, is_last);
        out(self, Event::Ready { job: id, ticket });
    }

    /// A job ends otherwise than done: it leaves the queue, its leases are revoked, and it is over
    /// once none is left.
    pub(crate) fn end_badly(
        &mut self,
        job: u32,
        outcome: Outcome,
        cause: RevokeCause,
        out: &mut impl FnMut(&Scheduler<'_>, Event),
    ) {
        self.leave_queue(job);
        self.job_mut(job).stage = Stage::Ending;
        self.job_mut(job).outcome = Some(outcome);
        let mut lease = self.job(job).first_lease;
        while lease != NONE {
            self.revoke(lease, cause, out);
            lease = self.lease(lease).next;
        }
        self.end_if_free(job, out);
    }

    /// An ending job is over once it holds no lease.
    pub(crate) fn end_if_free(&mut self, job: u32, out: &mut impl FnMut(&Scheduler<'_>, Event)) {
        let slot = self.job(job);
        if let (Stage::Ending, NONE, Some(outcome)) = (slot.stage, slot.first_lease, slot.outcome) {
            self.end(job, outcome, out);
        }
    }

    /// A job is over: news for those behind it, and room for those before it.
    pub(crate) fn end(
        &mut self,
        job: u32,
        outcome: Outcome,
        out: &mut impl FnMut(&Scheduler<'_>, Event),
    ) {
        let slot = self.job_mut(job);
        slot.stage = Stage::Ended;
        slot.outcome = Some(outcome);
        let leases = slot.most_leases();
        self.demand.holds -= leases * u64::from(self.shape(self.shape_of(job)).gpus);
        out(self, Event::End { job: self.job_id(job), outcome });
        self.pass_barriers(job, outcome);
        let JobSlot { streams_in, streams_out, .. } = *self.job(job);
        let mut next = streams_out;
        while let Some(&edge) = self.edge(next) {
            if outcome != Outcome::Done {
                self.skip(edge.to, job);
            }
            self.touch(edge.to);
            next = edge.next_out;
        }
        if streams_in {
            self.touch_upstreams(job);
        }
    }

    fn pass_barriers(&mut self, job: u32, outcome: Outcome) {
        let mut next = self.job(job).barriers_out;
        while next != NONE {
            let edge = &mut self.tables.edges[next as usize];
            let EdgeSlot { to, needs_success, next_out, .. } = *edge;
            if needs_success && outcome != Outcome::Done {
                self.skip(to, job);
                self.touch(to);
            } else if !edge.satisfied {
                edge.satisfied = true;
                let slot = self.job_mut(to);
                slot.barriers -= 1;
                // With others before it, it has to wait on.
                if slot.barriers == 0 {
                    self.touch(to);
                }
            }
            next = next_out;
        }
    }

    /// `job` is to be skipped because of `upstream`, the lowest in index if there are several.
    pub(crate) fn skip(&mut self, job: u32, upstream: u32) {
        let known = self.job(job).skipped_by;
        if known == NONE || self.job(upstream).sequence < self.job(known).sequence {
            self.job_mut(job).skipped_by = upstream;
        }
    }

    /// The upstreams over stream edges may have more room.
    pub(crate) fn touch_upstreams(&mut self, job: u32) {
        let mut next = self.job(job).edges_in;
        while let Some(&edge) = self.edge(next) {
            if let (Some(upstream), true) = (self.stream_upstream(&edge), edge.depth > 0) {
                self.touch(upstream);
            }
            next = edge.next_in;
        }
    }

    /// The downstreams over stream edges may have more images.
    pub(crate) fn touch_downstreams(&mut self, job: u32) {
        let mut next = self.job(job).streams_out;
        while let Some(&edge) = self.edge(next) {
            self.touch(edge.to);
            next = edge.next_out;
        }
    }

    /// A binary heap by index: a job is in it once at most, so it can't be full.
    fn push_pending(&mut self, job: u32) {
        let mut at = self.pending as usize;
        self.pending += 1;
        while at > 0 {
            let parent = self.tables.pending[(at - 1) / 2];
            if self.job(parent).sequence < self.job(job).sequence {
                break;
            }
            self.tables.pending[at] = parent;
            at = (at - 1) / 2;
        }
        self.tables.pending[at] = job;
    }

    /// To be called when there is one.
    fn pop_pending(&mut self) -> u32 {
        self.pending -= 1;
        let len = self.pending as usize;
        let first = self.tables.pending[0];
        let moved = self.tables.pending[len];
        let mut at = 0;
        loop {
            let mut child = 2 * at + 1;
            if child >= len {
                break;
            }
            let index = |at: usize| self.job(self.tables.pending[at]).sequence;
            if child + 1 < len && index(child + 1) < index(child) {
                child += 1;
            }
            if index(child) > self.job(moved).sequence {
                break;
            }
            self.tables.pending[at] = self.tables.pending[child];
            at = child;
        }
        self.tables.pending[at] = moved;
        first
    }
}
