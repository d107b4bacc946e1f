//! What happens to a lease: starts, ends, and the way back (semantics, section 5).

use crate::error::InputError;
use crate::event::{Event, Failure, Outcome, RevokeCause, UnitState};
use crate::id::{JobId, LeaseId, NONE};
use crate::queue::Home;
use crate::ready::bits;
use crate::scheduler::Scheduler;
use crate::slot::{JobSlot, LeaseSlot, ShapeSlot};
use crate::spec::Nanos;

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
        let slot = self.lease_mut(at);
        let LeaseSlot { job, first, count, .. } = *slot;
        slot.count = 0;
        let slot = self.job_mut(job);
        slot.mark_done(first, count);
        slot.attempts = 0;
        slot.faults = 0;
        let JobSlot { generation, image_grain, streams_out, prefix, images, .. } = *slot;
        self.last = job;
        self.last_is_pending = true;
        let id = JobId { index: job, generation };
        out(self, Event::Done { job: id, lease, first, count });
        if streams_out != NONE {
            self.touch_downstreams(job);
        }
        let is_done = prefix == images;
        if image_grain || is_done {
            self.release(at, id, out);
            if is_done {
                self.end(job, Outcome::Done, out);
            }
        } else if let Some(images) = self.startable(self.job(job)) {
            self.start(at, images, out);
        } else {
            self.add_starved(at);
        }
        self.settle(out);
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
            if !slot.live || slot.revoked.is_some() || slot.count == 0 {
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

    /// Starts these images, the first and how many, on a lease of their job.
    pub(crate) fn start(
        &mut self,
        at: u32,
        (first, count): (u32, u32),
        out: &mut impl FnMut(&Scheduler<'_>, Event),
    ) {
        if self.lease(at).starved {
            self.remove_starved(at);
        }
        let lease = &mut self.tables.leases[at as usize];
        let slot = &mut self.tables.jobs[lease.job as usize];
        if slot.image_grain {
            slot.busy |= bits(first - slot.prefix, count);
        }
        slot.taken = slot.taken.max(first + count);
        let deadline = self.now.saturating_add(slot.timeout);
        self.next_deadline = self.next_deadline.min(deadline);
        (lease.first, lease.count, lease.deadline) = (first, count, deadline);
        let (job, streams_in) = (lease.job, slot.streams_in);
        let id = JobId { index: job, generation: slot.generation };
        let lease = LeaseId { index: at, generation: lease.generation };
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
    #[inline]
    fn release(&mut self, at: u32, job: JobId, out: &mut impl FnMut(&Scheduler<'_>, Event)) {
        let slot = self.lease(at);
        let lease = LeaseId { index: at, generation: slot.generation };
        let LeaseSlot { starved, granted, .. } = *slot;
        out(self, Event::Release { job, lease });
        if starved {
            self.remove_starved(at);
        }
        let slot = self.job_mut(job.index);
        slot.leases -= 1;
        let JobSlot { shape, home, leases, .. } = *slot;
        if leases == 0 {
            (slot.first_lease, slot.last_lease) = (NONE, NONE);
        } else {
            self.unlink_lease(at);
        }
        let ShapeSlot { stream, model, memory, .. } = self.tables.shapes[shape as usize];
        if stream != NONE {
            self.tables.streams[stream as usize].leases -= 1;
        }
        let slot = self.lease_mut(at);
        slot.live = false;
        slot.generation = lease.generation.wrapping_add(1);
        self.live_leases -= 1;
        let mut hold = at;
        while hold != NONE {
            hold = self.free_unit(granted, hold, model, memory);
        }
        if home == Home::Alone {
            self.replace_entry(job.index);
        }
    }

    /// Takes a lease out of the list of its job, which has others.
    fn unlink_lease(&mut self, at: u32) {
        let LeaseSlot { job, prev, next, .. } = *self.lease(at);
        match prev {
            NONE => self.job_mut(job).first_lease = next,
            prev => self.lease_mut(prev).next = next,
        }
        match next {
            NONE => self.job_mut(job).last_lease = prev,
            next => self.lease_mut(next).prev = prev,
        }
    }

    /// Frees one unit of a lease, and the slot of the hold; says which hold comes next.
    #[inline]
    fn free_unit(&mut self, granted: Nanos, at: u32, model: u32, memory: u64) -> u32 {
        let hold = &mut self.tables.leases[at as usize];
        let LeaseSlot { unit, next_hold, newer, older, .. } = *hold;
        hold.next = self.free.leases;
        self.free.leases = at;
        let slot = &mut self.tables.units[unit as usize];
        if older == NONE {
            slot.first_hold = newer;
        }
        if newer == NONE {
            slot.last_hold = older;
        }
        slot.used -= 1;
        slot.leased -= memory;
        slot.taken -= memory;
        slot.busy = slot.busy.saturating_add(self.now - granted);
        slot.released = self.now.saturating_add(1);
        if slot.open_at == NONE && slot.state == UnitState::Up {
            slot.open_at = self.open;
            self.tables.open[self.open as usize] = unit;
            self.open += 1;
        }
        if older != NONE {
            self.tables.leases[older as usize].newer = newer;
        }
        if newer != NONE {
            self.tables.leases[newer as usize].older = older;
        }
        if model != NONE {
            self.unpin(unit, model);
        }
        next_hold
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

    fn remove_starved(&mut self, lease: u32) {
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
