//! The queue: lanes of entries, and the leading entries in order (semantics, section 3).
//!
//! Entries of one shape, priority and kind are a lane; only a lane's first can be granted next, so
//! a search walks over these leaders and never over a lane. An entry whose job's own leases keep it
//! from a unit may be passed by others of its shape, so it leads by itself.

use crate::id::NONE;
use crate::queue::{Home, effective_rank};
use crate::scheduler::Scheduler;
use crate::slot::{JobSlot, LaneSlot};
use crate::spec::Nanos;
use crate::storage::Storage;

/// What the queue is sorted by: group, rank, ticket.
pub(crate) type Key = (u16, u64, u64);

impl Scheduler<'_> {
    pub(crate) fn key(&self, job: u32) -> Key {
        let slot = self.job(job);
        (if slot.overdue { 0 } else { slot.group }, effective_rank(slot), slot.ticket)
    }

    /// Puts a job into the queue under the ticket it bears; `is_last`: behind all of its lane.
    #[inline(always)]
    pub(crate) fn enter_queue(&mut self, job: u32, is_last: bool) {
        self.queued += 1;
        if self.policy.patience.is_some() {
            self.remember_age(job);
        }
        let Storage { jobs, lanes, shapes, .. } = &mut self.tables;
        let slot = &jobs[job as usize];
        let may_follow = is_last && slot.leases == 0;
        let lane = &mut lanes[slot.lane as usize];
        let shape = &mut shapes[slot.shape as usize];
        if shape.entries == 0 && shape.emptied < self.walks {
            // A walk has begun since it had none.
            shape.overtaken = 0;
        }
        shape.entries += 1;
        if may_follow && lane.front != NONE {
            // The short way of `place_entry`: nothing changes but the end of the list.
            lane.waiting.append(jobs, job);
        } else {
            self.place_entry(job);
        }
    }

    /// Takes a job out of the queue, if it is there.
    pub(crate) fn leave_queue(&mut self, job: u32) {
        if self.job(job).home != Home::None {
            self.take_entry(job);
            self.forget_entry(job);
        }
    }

    /// Takes the leader at this position out of the queue; the lane's next leads in its stead.
    #[inline(always)]
    pub(crate) fn leave_queue_at(&mut self, job: u32, position: u32) {
        self.take_leader(job, position as usize);
        self.forget_entry(job);
    }

    #[inline(always)]
    fn forget_entry(&mut self, job: u32) {
        if self.policy.patience.is_some() {
            self.forget_patience(job);
        }
        self.queued -= 1;
        let Storage { jobs, shapes, .. } = &mut self.tables;
        let shape = &mut shapes[jobs[job as usize].shape as usize];
        shape.entries -= 1;
        if shape.entries == 0 {
            shape.emptied = self.walks;
        }
    }

    fn forget_patience(&mut self, job: u32) {
        if !core::mem::replace(&mut self.job_mut(job).overdue, false) {
            self.forget_age(job);
        }
    }

    /// A queued entry takes an older ticket.
    pub(crate) fn change_ticket(&mut self, job: u32, ticket: u64) {
        self.take_entry(job);
        self.job_mut(job).ticket = ticket;
        self.place_entry(job);
    }

    /// Some leases of a job are over: its entry may no longer have to lead by itself.
    pub(crate) fn replace_entry(&mut self, job: u32) {
        if self.job(job).home == Home::Alone && !self.is_kept_away(job) {
            self.take_entry(job);
            self.place_entry(job);
        }
    }

    /// Entries that have waited for `patience` come before all others. O(1) each.
    pub(crate) fn promote_overdue(&mut self) {
        let Some(patience) = self.policy.patience else { return };
        while let Some(due) = self.next_overdue(patience) {
            if due > self.now {
                break;
            }
            let job = self.oldest;
            self.take_entry(job);
            self.forget_age(job);
            self.job_mut(job).overdue = true;
            self.place_entry(job);
        }
    }

    /// When the oldest entry's time in the queue reaches `patience`.
    pub(crate) fn next_overdue(&self, patience: Nanos) -> Option<Nanos> {
        let entered = (self.oldest != NONE).then(|| self.job(self.oldest).entered);
        entered.map(|entered| entered.saturating_add(patience))
    }

    /// Puts an entry where it belongs among leaders and lanes.
    fn place_entry(&mut self, job: u32) {
        if self.is_kept_away(job) {
            self.job_mut(job).home = Home::Alone;
            self.insert_leader(job);
            return;
        }
        let overdue = self.job(job).overdue;
        let lane = &mut self.tables.lanes[self.tables.jobs[job as usize].lane as usize];
        let queue = if overdue { &mut lane.overdue } else { &mut lane.waiting };
        let may_lead = queue.insert(self.tables.jobs, job);
        if !may_lead || lane.first_entry(self.tables.jobs) != job {
            return;
        }
        let old = core::mem::replace(&mut lane.front, job);
        if old != NONE {
            let position = self.leader_position(old);
            self.remove_leader(position);
        }
        self.insert_leader(job);
    }

    fn take_entry(&mut self, job: u32) {
        let slot = self.job(job);
        if slot.home == Home::Alone || self.tables.lanes[slot.lane as usize].front == job {
            let position = self.leader_position(job);
            assert!(self.tables.order[position] == job, "a leader stands where its key says");
            self.take_leader(job, position);
        } else {
            self.take_from_lane(job);
        }
    }

    /// Takes out the leader at this position.
    #[inline(always)]
    fn take_leader(&mut self, job: u32, position: usize) {
        let Storage { jobs, lanes, order, .. } = &mut self.tables;
        let slot = &mut jobs[job as usize];
        if slot.home == Home::Alone {
            slot.home = Home::None;
            return self.remove_leader(position);
        }
        let lane = &mut lanes[slot.lane as usize];
        let queue = if slot.overdue { &mut lane.overdue } else { &mut lane.waiting };
        queue.remove(jobs, job);
        let front = lane.first_entry(jobs);
        lane.front = front;
        if front == NONE {
            self.remove_leader(position);
        } else if position as u32 + 1 == self.leaders {
            order[position] = front;
        } else {
            self.replace_leader(position, front);
        }
    }

    fn take_from_lane(&mut self, job: u32) {
        let JobSlot { lane, overdue, .. } = self.tables.jobs[job as usize];
        let lane = &mut self.tables.lanes[lane as usize];
        let queue = if overdue { &mut lane.overdue } else { &mut lane.waiting };
        queue.remove(self.tables.jobs, job);
    }

    /// Puts a leader in the place of one that came before it, or rather behind all it comes behind.
    fn replace_leader(&mut self, position: usize, job: u32) {
        let key = self.key(job);
        let mut at = position;
        while at + 1 < self.leaders as usize {
            let next = self.tables.order[at + 1];
            if key < self.key(next) {
                break;
            }
            self.tables.order[at] = next;
            at += 1;
        }
        self.tables.order[at] = job;
    }

    fn insert_leader(&mut self, job: u32) {
        let at = self.leader_position(job);
        let len = self.leaders as usize;
        if at < len {
            self.tables.order.copy_within(at..len, at + 1);
        }
        self.tables.order[at] = job;
        self.leaders += 1;
    }

    fn remove_leader(&mut self, position: usize) {
        let len = self.leaders as usize;
        if position + 1 < len {
            self.tables.order.copy_within(position + 1..len, position);
        }
        self.leaders -= 1;
    }

    /// Where a leader stands, or would stand. Tickets differ, so no two keys are equal.
    fn leader_position(&self, job: u32) -> usize {
        let key = self.key(job);
        let leaders = &self.tables.order[..self.leaders as usize];
        leaders.partition_point(|&other| self.key(other) < key)
    }

    /// Do the job's own leases keep it from a unit that others of its shape may use?
    pub(crate) fn is_kept_away(&self, job: u32) -> bool {
        let slot = self.job(job);
        if slot.leases == 0 || slot.threads >= slot.inflight {
            return false;
        }
        let mut lease = slot.first_lease;
        while lease != NONE {
            let full = |unit| self.leases_on(job, unit).0 >= slot.threads.into();
            if slot.threads == 1 || self.held_by(lease).any(full) {
                return true;
            }
            lease = self.lease(lease).next;
        }
        false
    }

    fn remember_age(&mut self, job: u32) {
        let (now, older) = (self.now, self.newest);
        let slot = self.job_mut(job);
        (slot.entered, slot.older, slot.newer) = (now, older, NONE);
        match older {
            NONE => self.oldest = job,
            older => self.job_mut(older).newer = job,
        }
        self.newest = job;
    }

    fn forget_age(&mut self, job: u32) {
        let (older, newer) = (self.job(job).older, self.job(job).newer);
        match older {
            NONE => self.oldest = newer,
            older => self.job_mut(older).newer = newer,
        }
        match newer {
            NONE => self.newest = older,
            newer => self.job_mut(newer).older = older,
        }
    }
}

impl LaneSlot {
    #[inline(always)]
    fn first_entry(&self, jobs: &[JobSlot]) -> u32 {
        match self.overdue.least(jobs) {
            NONE => self.waiting.least(jobs),
            overdue => overdue,
        }
    }
}
