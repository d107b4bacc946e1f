//! What happens to a lease: starts, ends, and the way back (semantics, section 5).

use crate::error::InputError;
use crate::event::{Event, Failure, Outcome, RevokeCause};
use crate::id::{JobId, LeaseId, NONE};
use crate::queue::Home;
use crate::ready::bits;
use crate::scheduler::Scheduler;
use crate::slot::{Hold, JobSlot, LeaseSlot, UnitSlot};
use crate::spec::Nanos;
use crate::storage::Storage;

/// More losses of a device in a row than this end a job.
const FAULTS: u8 = 2;

impl Scheduler<'_> {
    /// The images in flight on a lease are done.
    ///
    /// # Errors
    ///
    /// [`InputError::Stale`] if the lease is over, [`InputError::Revoked`] if it is revoked,
    /// [`InputError::Idle`] if it has nothing in flight.
    pub fn finish(
        &mut self,
        now: Nanos,
        lease: LeaseId,
        out: &mut impl FnMut(&Scheduler<'_>, Event),
    ) -> Result<(), InputError> {
        let at = self.find_running(lease)?;
        // Nothing below can fail.
        self.set_clock(now);
        let LeaseSlot { job, first, count, .. } = *self.lease(at);
        let JobSlot { generation, image_grain, images, .. } = *self.job(job);
        let id = JobId { index: job, generation };
        out(self, Event::Done { job: id, lease, first, count });
        let is_over = image_grain || first + count == images;
        if is_over {
            out(self, Event::Release { job: id, lease });
        }
        let slot = self.job_mut(job);
        slot.mark_done(first, count);
        slot.attempts = 0;
        slot.faults = 0;
        let (streams_out, is_done) = (slot.streams_out, slot.prefix == images);
        self.last = job;
        self.last_is_pending = true;
        if is_over {
            self.close_lease(at);
        }
        if streams_out != NONE {
            self.touch_downstreams(job);
        }
        if is_done {
            self.end(job, Outcome::Done, out);
        } else if !is_over {
            self.go_on(at, job, out);
        }
        self.settle_last(out);
        Ok(())
    }

    /// The images in flight on a lease have failed.
    ///
    /// # Errors
    ///
    /// As [`finish`](Self::finish).
    pub fn fail(
        &mut self,
        now: Nanos,
        lease: LeaseId,
        out: &mut impl FnMut(&Scheduler<'_>, Event),
    ) -> Result<(), InputError> {
        let at = self.find_running(lease)?;
        // Nothing below can fail.
        self.set_clock(now);
        let LeaseSlot { job, first, count, .. } = *self.lease(at);
        self.last = job;
        self.last_is_pending = true;
        let id = self.job_id(job);
        out(self, Event::Fail { job: id, lease, first, count });
        self.take_back(at);
        self.release(at, id, out);
        self.count_attempt(job, Failure::Error, out);
        self.settle(out);
        Ok(())
    }

    /// The units of a revoked lease are known to be free: the answer to a revoke.
    ///
    /// # Errors
    ///
    /// [`InputError::Stale`] if the lease is over, [`InputError::NotRevoked`] if nobody asked.
    pub fn given_back(
        &mut self,
        now: Nanos,
        lease: LeaseId,
        out: &mut impl FnMut(&Scheduler<'_>, Event),
    ) -> Result<(), InputError> {
        let at = self.find_lease(lease)?;
        let LeaseSlot { job, ticket, revoked, .. } = *self.lease(at);
        let cause = revoked.ok_or(InputError::NotRevoked)?;
        // Nothing below can fail.
        self.set_clock(now);
        self.last = job;
        self.last_is_pending = true;
        self.take_back(at);
        self.release(at, self.job_id(job), out);
        if self.job(job).is_over() {
            self.end_if_free(job, out);
        } else {
            match cause {
                RevokeCause::Timeout => self.count_attempt(job, Failure::Timeout, out),
                RevokeCause::Device => self.count_fault(job, ticket, out),
                // The first two end the job, which is dealt with above.
                RevokeCause::Cancel
                | RevokeCause::Skipped
                | RevokeCause::Failed
                | RevokeCause::Circle => {}
            }
        }
        self.settle(out);
        Ok(())
    }

    /// The earliest time at which [`handle_timeout`](Self::handle_timeout) or
    /// [`choose`](Self::choose) may have something to do: a deadline, or patience running out.
    /// To call too early or for nothing is harmless; to call too late makes things late.
    pub fn poll_timeout(&self) -> Option<Nanos> {
        let overdue = self.policy.patience.and_then(|patience| self.next_overdue(patience));
        let next = self.next_deadline.min(overdue.unwrap_or(Nanos::MAX));
        (next != Nanos::MAX).then_some(next)
    }

    /// Revokes the first lease in grant order whose deadline has come, and says which. Call again
    /// until none is left. O(1) unless a deadline may have come, else O(leases).
    pub fn handle_timeout(
        &mut self,
        now: Nanos,
        out: &mut impl FnMut(&Scheduler<'_>, Event),
    ) -> Option<LeaseId> {
        self.set_clock(now);
        if self.next_deadline > self.now {
            return None;
        }
        let mut due = None;
        self.next_deadline = Nanos::MAX;
        for (at, slot) in self.tables.leases[..self.used.leases as usize].iter().enumerate() {
            if !slot.is_live() || slot.revoked.is_some() || slot.count == 0 {
                continue;
            }
            if self.tables.jobs[slot.job as usize].timeout == Nanos::MAX {
                continue;
            }
            self.next_deadline = self.next_deadline.min(slot.deadline);
            if slot.deadline <= self.now && due.is_none_or(|(number, _)| slot.number < number) {
                due = Some((slot.number, at as u32));
            }
        }
        let (_, at) = due?;
        self.revoke(at, RevokeCause::Timeout, out);
        Some(self.lease_id(at))
    }

    /// A lease that runs and may still be heard.
    #[inline]
    fn find_running(&self, lease: LeaseId) -> Result<u32, InputError> {
        let at = self.find_lease(lease)?;
        match self.lease(at) {
            LeaseSlot { revoked: Some(_), .. } => Err(InputError::Revoked),
            LeaseSlot { count: 0, .. } => Err(InputError::Idle),
            _ => Ok(at),
        }
    }

    /// The images of a whole-grain lease are done: it starts the next ones, or is starved.
    fn go_on(&mut self, at: u32, job: u32, out: &mut impl FnMut(&Scheduler<'_>, Event)) {
        self.lease_mut(at).count = 0;
        match self.startable(self.job(job)) {
            Some(images) => self.start(at, images, out),
            None => self.add_starved(at),
        }
    }

    /// Starts these images, the first and how many, on a lease of their job.
    pub(crate) fn start(
        &mut self,
        at: u32,
        (first, count): (u32, u32),
        out: &mut impl FnMut(&Scheduler<'_>, Event),
    ) {
        let Storage { jobs, leases, .. } = &mut self.tables;
        let lease = &mut leases[at as usize];
        let job = lease.job;
        let slot = &mut jobs[job as usize];
        slot.begin(first, count);
        (lease.first, lease.count) = (first, count);
        if slot.is_timed {
            lease.deadline = self.now.saturating_add(slot.timeout);
            self.next_deadline = self.next_deadline.min(lease.deadline);
        }
        let id = JobId { index: job, generation: slot.generation };
        let lease = LeaseId { index: at, generation: lease.generation };
        let streams_in = slot.streams_in;
        out(self, Event::Start { job: id, lease, first, count });
        if streams_in {
            self.touch_upstreams(job);
        }
    }

    /// A start failed, or took too long.
    fn count_attempt(
        &mut self,
        job: u32,
        failure: Failure,
        out: &mut impl FnMut(&Scheduler<'_>, Event),
    ) {
        let slot = self.job_mut(job);
        slot.attempts = slot.attempts.saturating_add(1);
        if slot.attempts > slot.retries {
            self.end_badly(job, Outcome::Failed(failure), RevokeCause::Failed, out);
        }
    }

    /// A lease was lost with its unit: the job may go on where it stood in the queue.
    fn count_fault(&mut self, job: u32, ticket: u64, out: &mut impl FnMut(&Scheduler<'_>, Event)) {
        let slot = self.job_mut(job);
        if slot.faults > FAULTS {
            let outcome = Outcome::Failed(Failure::Device);
            self.end_badly(job, outcome, RevokeCause::Failed, out);
        } else if slot.home == Home::None {
            slot.ticket = if slot.carries_ticket { slot.ticket.min(ticket) } else { ticket };
            slot.carries_ticket = true;
        } else if ticket < slot.ticket {
            self.change_ticket(job, ticket);
            out(self, Event::Ready { job: self.job_id(job), ticket });
        }
    }

    /// Asks for a lease back, unless that has been done.
    pub(crate) fn revoke(
        &mut self,
        lease: u32,
        cause: RevokeCause,
        out: &mut impl FnMut(&Scheduler<'_>, Event),
    ) {
        if self.lease(lease).revoked.is_some() {
            return;
        }
        if self.lease(lease).starved {
            self.remove_starved(lease);
        }
        self.lease_mut(lease).revoked = Some(cause);
        let job = self.job_id(self.lease(lease).job);
        out(self, Event::Revoke { job, lease: self.lease_id(lease), cause });
    }

    /// The images in flight on a lease that is about to be released are not done.
    fn take_back(&mut self, at: u32) {
        let LeaseSlot { job, first, count, .. } = *self.lease(at);
        let slot = self.job_mut(job);
        if slot.image_grain && count > 0 {
            slot.busy &= !bits(first - slot.prefix, count);
        }
    }

    /// A lease is over: its units are free.
    fn release(&mut self, at: u32, job: JobId, out: &mut impl FnMut(&Scheduler<'_>, Event)) {
        out(self, Event::Release { job, lease: self.lease_id(at) });
        if self.lease(at).starved {
            self.remove_starved(at);
        }
        self.close_lease(at);
    }

    /// Takes a lease that is over off its job and its units.
    #[inline(always)]
    fn close_lease(&mut self, at: u32) {
        self.live_leases -= 1;
        let Storage { jobs, leases, shapes, streams, .. } = &mut self.tables;
        let lease = &mut leases[at as usize];
        lease.generation = lease.generation.wrapping_add(1);
        let LeaseSlot { job, granted, prev, next, .. } = *lease;
        let slot = &mut jobs[job as usize];
        let home = slot.home;
        let shape = &shapes[slot.shape as usize];
        let (memory, model) = (shape.memory, shape.model);
        if shape.stream != NONE {
            streams[shape.stream as usize].leases -= 1;
        }
        slot.unlink_lease(leases, prev, next);
        let held = self.now - granted;
        let hold = self.free_unit(at, held, model, memory);
        if hold != NONE {
            self.free_more_units(hold, held, model, memory);
        }
        if home == Home::Alone {
            self.replace_entry(job);
        }
    }

    /// Frees the unit of a hold, and the hold; says which hold comes next.
    #[inline(always)]
    fn free_unit(&mut self, hold: u32, held: Nanos, model: u32, memory: u64) -> u32 {
        let row = self.lease_mut(hold);
        let (unit, behind) = (row.unit, row.hold_behind());
        row.hold = Hold::Free;
        self.close(unit);
        let Storage { leases, units, .. } = &mut self.tables;
        let row = &mut leases[hold as usize];
        row.next = core::mem::replace(&mut self.free.leases, hold);
        let LeaseSlot { newer, older, .. } = *row;
        let slot = &mut units[unit as usize];
        slot.unlink_hold(leases, older, newer);
        slot.used -= 1;
        slot.taken -= memory;
        slot.busy = slot.busy.saturating_add(held);
        slot.released = self.now.saturating_add(1);
        if model != NONE {
            self.unpin(unit, model);
        }
        self.open_if_free(unit);
        behind
    }

    /// Frees the units of a lease behind the first.
    fn free_more_units(&mut self, mut hold: u32, held: Nanos, model: u32, memory: u64) {
        while hold != NONE {
            hold = self.free_unit(hold, held, model, memory);
        }
    }

    fn add_starved(&mut self, lease: u32) {
        let next = self.first_starved;
        if next != NONE {
            self.lease_mut(next).prev_starved = lease;
        }
        let slot = self.lease_mut(lease);
        (slot.prev_starved, slot.next_starved, slot.starved) = (NONE, next, true);
        self.first_starved = lease;
    }

    pub(crate) fn remove_starved(&mut self, lease: u32) {
        let LeaseSlot { prev_starved, next_starved, .. } = *self.lease(lease);
        self.lease_mut(lease).starved = false;
        match prev_starved {
            NONE => self.first_starved = next_starved,
            prev => self.lease_mut(prev).next_starved = next_starved,
        }
        if next_starved != NONE {
            self.lease_mut(next_starved).prev_starved = prev_starved;
        }
    }
}

impl JobSlot {
    /// Takes a lease out of the list of its job.
    #[inline]
    fn unlink_lease(&mut self, leases: &mut [LeaseSlot], prev: u32, next: u32) {
        self.leases -= 1;
        match prev {
            NONE => self.first_lease = next,
            prev => leases[prev as usize].next = next,
        }
        match next {
            NONE => self.last_lease = prev,
            next => leases[next as usize].prev = prev,
        }
    }
}

impl UnitSlot {
    /// Takes a hold out of the list of its unit.
    #[inline]
    fn unlink_hold(&mut self, leases: &mut [LeaseSlot], older: u32, newer: u32) {
        match older {
            NONE => self.first_hold = newer,
            older => leases[older as usize].newer = newer,
        }
        match newer {
            NONE => self.last_hold = older,
            newer => leases[newer as usize].older = older,
        }
    }
}
