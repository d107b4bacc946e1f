//! What happens to a unit: lost, draining, back (semantics, section 5).

use crate::error::InputError;
use crate::event::{Event, RevokeCause, UnitState};
use crate::id::{NONE, UnitId};
use crate::scheduler::Scheduler;
use crate::spec::Nanos;

impl Scheduler<'_> {
    /// A unit is lost, with the models on it and every lease that has it.
    ///
    /// # Errors
    ///
    /// [`InputError::Stale`] if it does not exist.
    pub fn down(
        &mut self,
        now: Nanos,
        unit: UnitId,
        out: &mut impl FnMut(&Scheduler<'_>, Event),
    ) -> Result<(), InputError> {
        let at = self.find_unit(unit)?;
        // Nothing below can fail.
        self.set_clock(now);
        if self.unit(at).state == UnitState::Down {
            return Ok(());
        }
        self.set_state(at, UnitState::Down);
        out(self, Event::Unit { unit, state: UnitState::Down });
        for model in 0..self.used.models {
            self.evict(at, model);
        }
        let stamp = self.new_stamp();
        let mut hold = self.unit(at).first_hold;
        while hold != NONE {
            let slot = self.lease(hold);
            let (lease, newer) = (slot.lease_of(hold), slot.newer);
            let job = self.lease(lease).job;
            let slot = &mut self.tables.jobs[job as usize];
            if self.tables.leases[lease as usize].revoked.is_none() && slot.stamp != stamp {
                slot.stamp = stamp;
                slot.faults = slot.faults.saturating_add(1);
            }
            self.revoke(lease, RevokeCause::Device, out);
            hold = newer;
        }
        self.settle(out);
        Ok(())
    }

    /// A unit gets no new leases. One that is down can't be drained: then nothing happens.
    ///
    /// # Errors
    ///
    /// [`InputError::Stale`] if it does not exist.
    pub fn drain(
        &mut self,
        now: Nanos,
        unit: UnitId,
        out: &mut impl FnMut(&Scheduler<'_>, Event),
    ) -> Result<(), InputError> {
        let at = self.find_unit(unit)?;
        // Nothing below can fail.
        self.set_clock(now);
        if self.unit(at).state == UnitState::Up {
            self.set_state(at, UnitState::Draining);
            out(self, Event::Unit { unit, state: UnitState::Draining });
            self.settle(out);
        }
        Ok(())
    }

    /// A unit can be leased again.
    ///
    /// # Errors
    ///
    /// [`InputError::Stale`] if it does not exist.
    pub fn up(
        &mut self,
        now: Nanos,
        unit: UnitId,
        out: &mut impl FnMut(&Scheduler<'_>, Event),
    ) -> Result<(), InputError> {
        let at = self.find_unit(unit)?;
        // Nothing below can fail.
        self.set_clock(now);
        if self.unit(at).state != UnitState::Up {
            self.set_state(at, UnitState::Up);
            out(self, Event::Unit { unit, state: UnitState::Up });
            self.settle(out);
        }
        Ok(())
    }

    /// Keeps the list of open units and the shapes' counts in step with the state. O(shapes).
    pub(crate) fn set_state(&mut self, unit: u32, state: UnitState) {
        let was_up = self.unit(unit).state == UnitState::Up;
        let is_up = state == UnitState::Up;
        self.unit_mut(unit).state = state;
        if was_up == is_up {
            return;
        }
        let slot = &self.tables.units[unit as usize];
        for shape in &mut self.tables.shapes[..self.used.shapes as usize] {
            let matches = u32::from(shape.matches_needs(slot));
            let instead = u32::from(shape.matches_instead(slot));
            if is_up {
                shape.up += matches;
                shape.cpus += instead;
            } else {
                shape.up -= matches;
                shape.cpus -= instead;
            }
        }
        if is_up {
            self.open_if_free(unit);
        } else {
            self.close(unit);
        }
    }

    /// Lists a unit among the open ones if it is up and has a free slot.
    pub(crate) fn open_if_free(&mut self, unit: u32) {
        let open = self.open;
        let slot = self.unit_mut(unit);
        if slot.open_at == NONE && slot.state == UnitState::Up && slot.used < slot.slots {
            slot.open_at = open;
            self.tables.open[open as usize] = unit;
            self.open += 1;
        }
    }

    /// Takes a unit off the list of open ones.
    pub(crate) fn close(&mut self, unit: u32) {
        let at = core::mem::replace(&mut self.unit_mut(unit).open_at, NONE);
        if at != NONE {
            self.forget_open(unit, at);
        }
    }

    /// The last of the open units takes the place of this one.
    #[inline]
    pub(crate) fn forget_open(&mut self, unit: u32, at: u32) {
        self.open -= 1;
        let moved = self.tables.open[self.open as usize];
        if moved != unit {
            self.tables.open[at as usize] = moved;
            self.unit_mut(moved).open_at = at;
        }
    }
}
