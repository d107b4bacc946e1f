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

    /// Lists a unit among the open ones if it is up and has a free slot. O(log open) to find its
    /// place, and a move of at most so many `u32`.
    #[inline(always)]
    pub(crate) fn open_if_free(&mut self, unit: u32) {
        let len = self.open as usize;
        let slot = self.unit_mut(unit);
        if slot.is_open || slot.state != UnitState::Up || slot.used >= slot.slots {
            return;
        }
        slot.is_open = true;
        self.open += 1;
        let at = if len == 0 { 0 } else { self.open_position(unit, len) };
        if at < len {
            self.tables.open.copy_within(at..len, at + 1);
        }
        self.tables.open[at] = unit;
    }

    /// Takes a unit off the list of open ones, before anything changes that they are sorted by.
    #[inline(always)]
    pub(crate) fn close(&mut self, unit: u32) {
        if !core::mem::replace(&mut self.unit_mut(unit).is_open, false) {
            return;
        }
        self.open -= 1;
        let last = self.open as usize;
        if self.tables.open[last] != unit {
            self.forget_open(unit, last);
        }
    }

    /// Takes a unit that is not the last out of the list of open ones.
    fn forget_open(&mut self, unit: u32, last: usize) {
        let at = self.open_position(unit, last + 1);
        assert!(self.tables.open[at] == unit, "an open unit stands where its standing says");
        self.tables.open.copy_within(at + 1..last + 1, at);
    }

    /// Where a unit stands, or would stand, among the open ones: the best is the last.
    fn open_position(&self, unit: u32, len: usize) -> usize {
        let standing = self.standing(unit);
        self.tables.open[..len].partition_point(|&other| self.standing(other) > standing)
    }
}
