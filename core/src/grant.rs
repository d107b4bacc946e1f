//! Granting: the chosen units become a lease (semantics, section 4).

use crate::event::Event;
use crate::id::{LeaseId, ModelId, NONE, UnitId};
use crate::reason::Reason;
use crate::scheduler::Scheduler;
use crate::slot::{LeaseSlot, ShapeSlot, UnitSlot};
use crate::spec::{Nanos, Pool};

/// The next grant: found, not yet made. Nothing can come between, since it borrows the scheduler.
///
/// ```
/// # use lineside_core::*;
/// # let mut memory = Memory::<1, 1, 1, 1, 1, 1, 1>::new();
/// # let mut scheduler = Scheduler::new(Policy::default(), memory.storage());
/// # let unit = UnitSpec { place: Place::Cuda, budget: 1, slots: 1, profile: None };
/// # scheduler.add_unit(&unit)?;
/// # let mut out = |_: &Scheduler, _: Event| {};
/// # let job = scheduler.submit(0, &JobSpec::default(), &[], &mut out)?;
/// # scheduler.arrive(0, job, 1, &mut out)?;
/// let mut choice = scheduler.choose(0).expect("the unit is free");
/// let reason = choice.reason();
/// assert_eq!(reason.order, OrderRule::Only);
/// choice.grant(&mut out);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
#[must_use = "nothing is granted yet"]
pub struct Choice<'s, 'a> {
    scheduler: &'s mut Scheduler<'a>,
    /// Among the leaders.
    position: u32,
    /// The first chosen unit.
    first_unit: u32,
}

impl<'a> Scheduler<'a> {
    /// Walks the queue once and finds the next grant, if anything can be granted.
    ///
    /// What it costs grows with open units and distinct shapes, not with the queue.
    #[inline]
    pub fn choose(&mut self, now: Nanos) -> Option<Choice<'_, 'a>> {
        self.set_clock(now);
        self.walks += 1;
        if self.policy.patience.is_some() {
            self.promote_overdue();
        }
        if self.open == 0 {
            return None;
        }
        let (position, first_unit) = self.search()?;
        Some(Choice { scheduler: self, position, first_unit })
    }
}

impl Choice<'_, '_> {
    /// Why this job, and why these units. O(leaders + open units).
    pub fn reason(&mut self) -> Reason {
        self.scheduler.reason(self.position, self.first_unit)
    }

    /// Makes the grant: `evict`*, `grant`, `start`, then what that makes ready.
    pub fn grant(self, out: &mut impl FnMut(&Scheduler<'_>, Event)) -> LeaseId {
        let Choice { scheduler, position, first_unit } = self;
        let job = scheduler.tables.order[position as usize];
        let shape = scheduler.shape_of(job);
        scheduler.count_overtaking(position, shape, first_unit);
        scheduler.leave_queue_at(job, position);
        let at = scheduler.lease_units(job, shape, first_unit);
        if scheduler.used.models > 0 {
            scheduler.make_room(at, out);
        }
        let slot = scheduler.lease(at);
        let lease = LeaseId { index: at, generation: slot.generation };
        let event = Event::Grant {
            job: scheduler.job_id(job),
            lease,
            number: slot.number,
            ticket: slot.ticket,
            cold: slot.cold,
            fallback: scheduler.shape(shape).falls_back(),
        };
        out(scheduler, event);
        scheduler.last = job;
        scheduler.last_is_pending = true;
        let images = scheduler.next_images(scheduler.job(job));
        scheduler.start(at, images, out);
        scheduler.settle(out);
        lease
    }
}

impl Scheduler<'_> {
    /// The first blocked entry ahead that could have used a granted unit, or the same limited
    /// stream, has been overtaken once more.
    #[inline]
    fn count_overtaking(&mut self, position: u32, shape: u32, first_unit: u32) {
        if position > 0 {
            self.count_ahead(position, shape, first_unit);
        }
        self.tables.shapes[shape as usize].overtaken = 0;
    }

    fn count_ahead(&mut self, position: u32, shape: u32, first_unit: u32) {
        for ahead in 0..position {
            let job = self.tables.order[ahead as usize];
            if !self.was_blocked(job) {
                continue;
            }
            let entry = self.entry(job);
            if entry.candidates >= self.shape(entry.shape).gpus
                && (self.share_stream(entry.shape, shape)
                    || self
                        .any_chosen(first_unit, |unit| self.is_candidate(job, entry.shape, unit)))
            {
                let overtaken = &mut self.tables.shapes[entry.shape as usize].overtaken;
                *overtaken = overtaken.saturating_add(1);
                break;
            }
        }
    }

    /// Do both name the same limited stream?
    pub(crate) fn share_stream(&self, one: u32, other: u32) -> bool {
        let stream = self.limited_stream(one);
        stream.is_some() && stream == self.limited_stream(other)
    }

    fn any_chosen(&self, first: u32, mut test: impl FnMut(u32) -> bool) -> bool {
        let mut unit = first;
        while unit != NONE {
            if test(unit) {
                return true;
            }
            unit = self.unit(unit).chosen;
        }
        false
    }

    /// Takes the chosen units for the job. There is room for the lease, since `check_demand` has
    /// said so.
    #[inline]
    fn lease_units(&mut self, job: u32, shape: u32, first_unit: u32) -> u32 {
        let lease = self.new_hold();
        let prev = self.add_to_job(job, lease);
        let ticket = self.job(job).ticket;
        let number = self.next_lease;
        let granted = self.now;
        let slot = self.lease_mut(lease);
        let generation = slot.generation;
        *slot = LeaseSlot {
            number,
            ticket,
            granted,
            job,
            generation,
            live: true,
            prev,
            ..LeaseSlot::EMPTY
        };
        self.next_lease += 1;
        self.live_leases += 1;
        let ShapeSlot { memory, model, weights, stream, .. } = self.tables.shapes[shape as usize];
        let mut unit = self.take_unit(lease, lease, first_unit, memory);
        if model != NONE {
            self.pin(lease, first_unit, model, weights);
        }
        let mut last = lease;
        while unit != NONE {
            let hold = self.new_hold();
            let generation = self.lease(hold).generation;
            *self.lease_mut(hold) = LeaseSlot { generation, ..LeaseSlot::EMPTY };
            self.lease_mut(last).next_hold = hold;
            last = hold;
            let next = self.take_unit(lease, hold, unit, memory);
            if model != NONE {
                self.pin(lease, unit, model, weights);
            }
            unit = next;
        }
        if stream != NONE {
            self.tables.streams[stream as usize].leases += 1;
        }
        lease
    }

    /// A free slot of the table of leases.
    #[inline]
    fn new_hold(&mut self) -> u32 {
        match self.free.leases {
            NONE => {
                self.used.leases += 1;
                self.used.leases - 1
            }
            free => {
                self.free.leases = self.lease(free).next;
                free
            }
        }
    }

    /// Puts a lease at the end of its job's list; says which one comes before it.
    #[inline]
    fn add_to_job(&mut self, job: u32, lease: u32) -> u32 {
        let slot = self.job_mut(job);
        slot.leases += 1;
        let prev = core::mem::replace(&mut slot.last_lease, lease);
        match prev {
            NONE => slot.first_lease = lease,
            prev => self.lease_mut(prev).next = lease,
        }
        prev
    }

    /// Takes one unit for a hold of a lease; says which unit is chosen next.
    #[inline]
    fn take_unit(&mut self, lease: u32, hold: u32, unit: u32, memory: u64) -> u32 {
        let slot = &mut self.tables.units[unit as usize];
        let next = slot.chosen;
        let older = core::mem::replace(&mut slot.last_hold, hold);
        slot.used += 1;
        slot.leased += memory;
        slot.taken += memory;
        if older == NONE {
            slot.first_hold = hold;
        }
        if slot.used == slot.slots {
            let at = core::mem::replace(&mut slot.open_at, NONE);
            self.forget_open(unit, at);
        }
        if older != NONE {
            self.tables.leases[older as usize].newer = hold;
        }
        let slot = &mut self.tables.leases[hold as usize];
        (slot.lease, slot.unit, slot.older) = (lease, unit, older);
        next
    }

    /// The lease uses the model on this unit; if it is not resident there, it is to be loaded.
    fn pin(&mut self, lease: u32, unit: u32, model: u32, weights: u64) {
        let at = self.residency_at(unit, model);
        let residency = &mut self.tables.residency[at];
        let slot = &mut self.tables.units[unit as usize];
        if residency.pins == 0 {
            slot.taken += weights;
        }
        residency.pins += 1;
        if !residency.resident {
            residency.resident = true;
            slot.resident += weights;
            self.tables.leases[lease as usize].cold = true;
        }
    }

    /// Evicts what no longer fits on the units of a new lease.
    fn make_room(&mut self, lease: u32, out: &mut impl FnMut(&Scheduler<'_>, Event)) {
        let mut hold = lease;
        while hold != NONE {
            let LeaseSlot { unit, next_hold: next, .. } = *self.lease(hold);
            loop {
                let UnitSlot { budget, leased, resident, .. } = *self.unit(unit);
                if resident <= budget - leased {
                    break;
                }
                let Some(model) = self.longest_unused(unit) else { break };
                self.evict(unit, model);
                out(self, Event::Evict { unit: UnitId(unit), model: ModelId(model) });
            }
            hold = next;
        }
    }

    /// The resident model that no lease uses and that was released first; the first if several.
    fn longest_unused(&self, unit: u32) -> Option<u32> {
        let unused = |&model: &u32| {
            let residency = &self.tables.residency[self.residency_at(unit, model)];
            residency.resident && residency.pins == 0
        };
        let released =
            |&model: &u32| self.tables.residency[self.residency_at(unit, model)].released;
        (0..self.used.models).filter(unused).min_by_key(released)
    }

    pub(crate) fn evict(&mut self, unit: u32, model: u32) {
        let at = self.residency_at(unit, model);
        if core::mem::replace(&mut self.tables.residency[at].resident, false) {
            let weights = self.tables.models[model as usize].weights;
            self.unit_mut(unit).resident -= weights;
        }
    }

    /// A lease that used the model on this unit is over.
    pub(crate) fn unpin(&mut self, unit: u32, model: u32) {
        let at = self.residency_at(unit, model);
        let now = self.now;
        let residency = &mut self.tables.residency[at];
        residency.pins -= 1;
        residency.released = now;
        if residency.pins == 0 {
            let weights = self.tables.models[model as usize].weights;
            self.unit_mut(unit).taken -= weights;
            if self.policy.pool == Pool::Free {
                self.evict(unit, model);
            }
        }
    }
}
