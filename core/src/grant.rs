//! Granting: the chosen units become a lease (semantics, section 4).

use crate::event::Event;
use crate::id::{LeaseId, ModelId, NONE, UnitId};
use crate::reason::Reason;
use crate::scheduler::Scheduler;
use crate::slot::{HoldSlot, LeaseSlot, UnitSlot};
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
    pub fn choose(&mut self, now: Nanos) -> Option<Choice<'_, 'a>> {
        self.set_clock(now);
        self.walks += 1;
        self.promote_overdue();
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
        scheduler.count_overtaking(position, first_unit);
        scheduler.leave_queue_at(job, position);
        let at = scheduler.lease_units(job, first_unit);
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
            fallback: scheduler.shape(scheduler.shape_of(job)).falls_back(),
        };
        out(scheduler, event);
        scheduler.last = job;
        scheduler.last_is_pending = true;
        let images = scheduler.startable(scheduler.job(job));
        scheduler.start(at, images.expect("a queued job can start an image"), out);
        scheduler.settle(out);
        lease
    }
}

impl Scheduler<'_> {
    /// The first blocked entry ahead that could have used a granted unit, or the same limited
    /// stream, has been overtaken once more.
    fn count_overtaking(&mut self, position: u32, first_unit: u32) {
        let shape = self.shape_of(self.tables.order[position as usize]);
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
        self.tables.shapes[shape as usize].overtaken = 0;
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

    /// Takes the chosen units for the job. There is room for the lease and its holds, since
    /// `check_demand` has said so.
    fn lease_units(&mut self, job: u32, first_unit: u32) -> u32 {
        let lease = self.new_lease(job);
        let mut last_hold = NONE;
        let mut unit = first_unit;
        while unit != NONE {
            let next = self.unit(unit).chosen;
            last_hold = self.take_unit(job, lease, unit, last_hold);
            unit = next;
        }
        let stream = self.shape(self.shape_of(job)).stream;
        if stream != NONE {
            self.tables.streams[stream as usize].leases += 1;
        }
        lease
    }

    fn new_lease(&mut self, job: u32) -> u32 {
        let index = match self.free.leases {
            NONE => {
                self.used.leases += 1;
                self.used.leases - 1
            }
            free => {
                self.free.leases = self.lease(free).next;
                free
            }
        };
        let slot = self.job_mut(job);
        let (ticket, prev) = (slot.ticket, slot.last_lease);
        slot.last_lease = index;
        slot.leases += 1;
        match prev {
            NONE => slot.first_lease = index,
            prev => self.lease_mut(prev).next = index,
        }
        let generation = self.lease(index).generation;
        *self.lease_mut(index) = LeaseSlot {
            live: true,
            generation,
            job,
            prev,
            number: self.next_lease,
            ticket,
            granted: self.now,
            ..LeaseSlot::EMPTY
        };
        self.next_lease += 1;
        self.live_leases += 1;
        index
    }

    /// Takes one unit for a lease; says which hold it is.
    fn take_unit(&mut self, job: u32, lease: u32, unit: u32, last_hold: u32) -> u32 {
        let hold = match self.free.holds {
            NONE => {
                self.used.holds += 1;
                self.used.holds - 1
            }
            free => {
                self.free.holds = self.tables.holds[free as usize].next;
                free
            }
        };
        match last_hold {
            NONE => self.lease_mut(lease).first_hold = hold,
            last => self.tables.holds[last as usize].next = hold,
        }
        let shape = &self.tables.shapes[self.tables.jobs[job as usize].shape as usize];
        let (memory, model, weights) = (shape.memory, shape.model, shape.weights);
        let slot = &mut self.tables.units[unit as usize];
        let older = slot.last_hold;
        self.tables.holds[hold as usize] = HoldSlot { lease, unit, older, ..HoldSlot::EMPTY };
        match older {
            NONE => slot.first_hold = hold,
            older => self.tables.holds[older as usize].newer = hold,
        }
        slot.last_hold = hold;
        slot.used += 1;
        slot.leased += memory;
        slot.taken += memory;
        if slot.used == slot.slots {
            self.close(unit);
        }
        if model != NONE {
            self.pin(lease, unit, model, weights);
        }
        hold
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
        let mut hold = self.lease(lease).first_hold;
        while hold != NONE {
            let HoldSlot { unit, next, .. } = self.tables.holds[hold as usize];
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
