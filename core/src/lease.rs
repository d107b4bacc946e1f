//! What happens to a lease: starts, ends, and the way back (semantics, section 5).

use crate::error::InputError;
use crate::event::{Event, Failure, Outcome, RevokeCause};
use crate::id::{LeaseId, NONE};
use crate::scheduler::Scheduler;
use crate::slot::{HoldSlot, LeaseSlot};
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
        let LeaseSlot { job, first, count, .. } = *self.lease(at);
        self.last = job;
        self.last_is_pending = true;
        out(self, Event::Done { job: self.job_id(job), lease, first, count });
        self.lease_mut(at).count = 0;
        self.mark_done(job, first, count);
        self.touch_downstreams(job);
        let slot = self.job_mut(job);
        slot.attempts = 0;
        slot.faults = 0;
        let is_done = slot.prefix == slot.images;
        if slot.image_grain || is_done {
            self.release(at, out);
            if is_done {
                self.end(job, Outcome::Done, out);
            }
        } else if self.startable(job).is_some() {
            self.start(at, out);
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
        out(self, Event::Fail { job: self.job_id(job), lease, first, count });
        self.release(at, out);
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
        self.release(at, out);
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
    fn find_running(&self, lease: LeaseId) -> Result<u32, InputError> {
        let at = self.find_lease(lease)?;
        match self.lease(at) {
            LeaseSlot { revoked: Some(_), .. } => Err(InputError::Revoked),
            LeaseSlot { count: 0, .. } => Err(InputError::Idle),
            _ => Ok(at),
        }
    }

    /// Starts what the job can start on this lease.
    pub(crate) fn start(&mut self, lease: u32, out: &mut impl FnMut(&Scheduler<'_>, Event)) {
        let job = self.lease(lease).job;
        let (first, count) = self.startable(job).expect("the job was found to be startable");
        self.remove_starved(lease);
        let now = self.now;
        let slot = &mut self.tables.jobs[job as usize];
        if slot.image_grain {
            slot.busy |= bits(first - slot.prefix, count);
        }
        slot.taken = slot.taken.max(first + count);
        let deadline = now.saturating_add(slot.timeout);
        self.next_deadline = self.next_deadline.min(deadline);
        let slot = &mut self.tables.leases[lease as usize];
        (slot.first, slot.count, slot.deadline) = (first, count, deadline);
        out(
            self,
            Event::Start { job: self.job_id(job), lease: self.lease_id(lease), first, count },
        );
        self.touch_upstreams(job);
    }

    fn mark_done(&mut self, job: u32, first: u32, count: u32) {
        let slot = self.job_mut(job);
        if !slot.image_grain {
            slot.prefix = first + count;
            return;
        }
        let images = bits(first - slot.prefix, count);
        slot.busy &= !images;
        slot.done |= images;
        let leading = slot.done.trailing_ones();
        slot.prefix += leading;
        // All 64 may be done at once.
        slot.done = slot.done.checked_shr(leading).unwrap_or(0);
        slot.busy = slot.busy.checked_shr(leading).unwrap_or(0);
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
        } else if slot.home == crate::queue::Home::None {
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
        self.remove_starved(lease);
        self.lease_mut(lease).revoked = Some(cause);
        let job = self.job_id(self.lease(lease).job);
        out(self, Event::Revoke { job, lease: self.lease_id(lease), cause });
    }

    /// A lease is over: its images in flight are not done, its units are free.
    fn release(&mut self, lease: u32, out: &mut impl FnMut(&Scheduler<'_>, Event)) {
        let job = self.lease(lease).job;
        out(self, Event::Release { job: self.job_id(job), lease: self.lease_id(lease) });
        self.remove_starved(lease);
        let LeaseSlot { first, count, prev, next, first_hold, .. } = *self.lease(lease);
        let slot = self.job_mut(job);
        if slot.image_grain {
            slot.busy &= !bits(first.saturating_sub(slot.prefix), count);
        }
        slot.leases -= 1;
        match prev {
            NONE => self.job_mut(job).first_lease = next,
            prev => self.lease_mut(prev).next = next,
        }
        match next {
            NONE => self.job_mut(job).last_lease = prev,
            next => self.lease_mut(next).prev = prev,
        }
        let shape = self.shape(self.shape_of(job));
        let (stream, model, memory) = (shape.stream, shape.model, shape.memory);
        if stream != NONE {
            self.tables.streams[stream as usize].leases -= 1;
        }
        let mut hold = first_hold;
        while hold != NONE {
            hold = self.free_unit(lease, hold, model, memory);
        }
        let free = self.free.leases;
        let slot = self.lease_mut(lease);
        slot.live = false;
        slot.generation = slot.generation.wrapping_add(1);
        slot.next = free;
        self.free.leases = lease;
        self.live_leases -= 1;
        self.replace_entry(job);
    }

    /// Frees one unit of a lease; says which hold comes next.
    fn free_unit(&mut self, lease: u32, hold: u32, model: u32, memory: u64) -> u32 {
        let HoldSlot { unit, next, newer, older, .. } = self.tables.holds[hold as usize];
        let leased = self.now - self.lease(lease).granted;
        let released = self.now.saturating_add(1);
        match older {
            NONE => self.unit_mut(unit).first_hold = newer,
            older => self.tables.holds[older as usize].newer = newer,
        }
        match newer {
            NONE => self.unit_mut(unit).last_hold = older,
            newer => self.tables.holds[newer as usize].older = older,
        }
        self.tables.holds[hold as usize].next = self.free.holds;
        self.free.holds = hold;
        let slot = self.unit_mut(unit);
        slot.used -= 1;
        slot.leased -= memory;
        slot.taken -= memory;
        slot.busy = slot.busy.saturating_add(leased);
        slot.released = released;
        if model != NONE {
            self.unpin(unit, model);
        }
        self.open_if_free(unit);
        next
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
        let LeaseSlot { starved, prev_starved, next_starved, .. } = *self.lease(lease);
        if !starved {
            return;
        }
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

/// `count` ones from bit `from`; at most 64 in all.
fn bits(from: u32, count: u32) -> u64 {
    let ones = if count >= 64 { u64::MAX } else { (1 << count) - 1 };
    ones.checked_shl(from).unwrap_or(0)
}
