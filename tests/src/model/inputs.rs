//! Section 5: what an input does.

use super::{Cause, EndCause, Image, LeaseIndex, Model, Refused, State, Time, UnitState, What};

impl Model {
    /// A job arrives, with `fed` of its images.
    pub fn arrive(&mut self, now: Time, job: usize, fed: u64) -> Result<(), Refused> {
        self.check_not_ended(job)?;
        if self.jobs[job].arrived {
            return Err(Refused::AlreadyArrived);
        }
        if fed > self.jobs[job].spec.images {
            return Err(Refused::FedInFull);
        }
        self.tick(now);
        self.jobs[job].arrived = true;
        self.jobs[job].fed = fed;
        self.settle(None);
        Ok(())
    }

    /// A job is fed its next image.
    pub fn feed(&mut self, now: Time, job: usize) -> Result<(), Refused> {
        self.check_not_ended(job)?;
        if !self.jobs[job].arrived {
            return Err(Refused::NotArrived);
        }
        if self.jobs[job].fed == self.jobs[job].spec.images {
            return Err(Refused::FedInFull);
        }
        self.tick(now);
        self.jobs[job].fed += 1;
        self.settle(None);
        Ok(())
    }

    /// The images that a lease has in flight are done.
    pub fn finish(&mut self, now: Time, lease: LeaseIndex) -> Result<(), Refused> {
        let (first, count) = self.check_in_flight(lease)?;
        self.tick(now);
        let job = self.leases[lease].job;
        self.leases[lease].in_flight = None;
        self.mark(job, (first, count), Image::Done);
        self.jobs[job].attempts = 0;
        self.jobs[job].faults = 0;
        self.emit(What::Done { job, lease, first, count });

        let all_done = self.jobs[job].images.iter().all(|&image| image == Image::Done);
        if !self.jobs[job].is_image_grain() && !all_done {
            if self.can_start(job) {
                self.start(lease);
            }
        } else {
            self.release(lease);
            if all_done {
                self.end(job, State::Done, EndCause::None);
            }
        }
        self.settle(Some(job));
        Ok(())
    }

    /// What a lease has in flight has failed.
    pub fn fail(&mut self, now: Time, lease: LeaseIndex) -> Result<(), Refused> {
        let (first, count) = self.check_in_flight(lease)?;
        self.tick(now);
        let job = self.leases[lease].job;
        self.emit(What::Fail { job, lease, first, count });
        self.release(lease);
        self.count_attempt(job, EndCause::Error);
        self.settle(Some(job));
        Ok(())
    }

    /// The deadline of a lease has come.
    pub fn expire(&mut self, now: Time, lease: LeaseIndex) -> Result<(), Refused> {
        self.check_in_flight(lease)?;
        if !self.is_due(lease, now) {
            return Err(Refused::NotDue);
        }
        self.tick(now);
        self.revoke(lease, Cause::Timeout);
        Ok(())
    }

    /// A job is to end. One that is ending already ends as it would have.
    pub fn cancel(&mut self, now: Time, job: usize) -> Result<(), Refused> {
        self.check_not_ended(job)?;
        self.tick(now);
        if self.jobs[job].is_live() {
            self.wind_up(job, State::Cancelled, EndCause::Cancel);
            self.settle(None);
        }
        Ok(())
    }

    /// A unit is lost, with all that is on it.
    pub fn down(&mut self, now: Time, unit: usize) -> Result<(), Refused> {
        self.check_unit(unit)?;
        self.tick(now);
        if self.units[unit].state == UnitState::Down {
            return Ok(());
        }
        self.set_state(unit, UnitState::Down);
        self.units[unit].resident = Vec::new();
        let mut lost = self.leases_on(unit);
        lost.retain(|&lease| self.leases[lease].revoked.is_none());
        let mut jobs: Vec<usize> = lost.iter().map(|&lease| self.leases[lease].job).collect();
        jobs.sort();
        jobs.dedup();
        for job in jobs {
            self.jobs[job].faults += 1;
        }
        for lease in lost {
            self.revoke(lease, Cause::Device);
        }
        Ok(())
    }

    /// A unit takes no new leases. Without effect on one that is down.
    pub fn drain(&mut self, now: Time, unit: usize) -> Result<(), Refused> {
        self.check_unit(unit)?;
        self.tick(now);
        if self.units[unit].state == UnitState::Up {
            self.set_state(unit, UnitState::Draining);
            self.settle(None);
        }
        Ok(())
    }

    /// A unit takes leases again.
    pub fn up(&mut self, now: Time, unit: usize) -> Result<(), Refused> {
        self.check_unit(unit)?;
        self.tick(now);
        if self.units[unit].state != UnitState::Up {
            self.set_state(unit, UnitState::Up);
            self.settle(None);
        }
        Ok(())
    }

    /// A revoked lease is given back.
    pub fn given_back(&mut self, now: Time, lease: LeaseIndex) -> Result<(), Refused> {
        self.check_not_over(lease)?;
        let Some(cause) = self.leases[lease].revoked else {
            return Err(Refused::LeaseNotRevoked);
        };
        self.tick(now);
        let job = self.leases[lease].job;
        self.release(lease);
        if self.jobs[job].ending.is_some() {
            // That comes first, whatever the cause.
            self.end_if_left(job);
        } else {
            match cause {
                Cause::Timeout => self.count_attempt(job, EndCause::Timeout),
                Cause::Device => self.count_loss(job, self.leases[lease].ticket),
                Cause::Circle => {}
                Cause::Cancel | Cause::Skipped | Cause::Failed => {
                    unreachable!("a job whose leases are revoked so is ending");
                }
            }
        }
        self.settle(Some(job));
        Ok(())
    }

    /// As fail: one more attempt has gone wrong; the job ends when that is one too many.
    fn count_attempt(&mut self, job: usize, cause: EndCause) {
        self.jobs[job].attempts += 1;
        if self.jobs[job].attempts > self.jobs[job].spec.retries {
            self.wind_up(job, State::Failed, cause);
        }
    }

    /// A lease granted under `ticket` was lost with its unit: the job gets that ticket back, or
    /// ends when that was one loss too many.
    fn count_loss(&mut self, job: usize, ticket: u64) {
        if self.jobs[job].faults > 2 {
            self.wind_up(job, State::Failed, EndCause::Device);
            return;
        }
        match &mut self.jobs[job].entry {
            Some(entry) if ticket < entry.ticket => {
                entry.ticket = ticket;
                self.emit(What::Ready { job, ticket });
            }
            Some(_) => {}
            None => {
                let old = self.jobs[job].old_ticket;
                self.jobs[job].old_ticket = Some(old.map_or(ticket, |old| old.min(ticket)));
            }
        }
    }

    fn set_state(&mut self, unit: usize, state: UnitState) {
        self.units[unit].state = state;
        self.emit(What::Unit { unit, state });
    }

    fn check_unit(&self, unit: usize) -> Result<(), Refused> {
        if unit < self.units.len() { Ok(()) } else { Err(Refused::NoSuchUnit) }
    }

    fn check_not_ended(&self, job: usize) -> Result<(), Refused> {
        let job = self.jobs.get(job).filter(|job| !job.removed).ok_or(Refused::NoSuchJob)?;
        if job.ended.is_none() { Ok(()) } else { Err(Refused::JobEnded) }
    }

    fn check_not_over(&self, lease: LeaseIndex) -> Result<(), Refused> {
        let lease = self.leases.get(lease).ok_or(Refused::NoSuchLease)?;
        if lease.over { Err(Refused::LeaseOver) } else { Ok(()) }
    }

    /// The images of a lease's start that runs, and may finish, fail, or expire.
    fn check_in_flight(&self, lease: LeaseIndex) -> Result<(u64, u64), Refused> {
        self.check_not_over(lease)?;
        if self.leases[lease].revoked.is_some() {
            return Err(Refused::LeaseRevoked);
        }
        self.leases[lease].in_flight.ok_or(Refused::NothingInFlight)
    }
}
