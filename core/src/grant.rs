//! Granting: the chosen units become a lease (semantics, section 4).

use crate::event::Event;
use crate::id::{JobId, LeaseId, ModelId, NONE, UnitId};
use crate::reason::Reason;
use crate::scheduler::Scheduler;
use crate::slot::{Hold, JobSlot, LeaseSlot};
use crate::spec::{Nanos, Pool};
use crate::storage::Storage;

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
    /// Who leads there.
    job: u32,
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
        let job = self.tables.order[position as usize];
        Some(Choice { scheduler: self, position, job, first_unit })
    }
}

impl Choice<'_, '_> {
    /// Why this job, and why these units. O(leaders + open units).
    pub fn reason(&mut self) -> Reason {
        self.scheduler.reason(self.position, self.first_unit)
    }

    /// Makes the grant: `evict`*, `grant`, `start`, then what that makes ready.
    pub fn grant(self, out: &mut impl FnMut(&Scheduler<'_>, Event)) -> LeaseId {
        let Choice { scheduler, position, job, first_unit } = self;
        if position > 0 {
            scheduler.count_overtaking(position, first_unit);
        }
        scheduler.leave_queue_at(job, position);
        let images = scheduler.next_images(scheduler.job(job));
        let lease = scheduler.open_lease(job, first_unit, images, out);
        if scheduler.last_is_pending || scheduler.pending > 0 {
            scheduler.settle(out);
        }
        scheduler.last = NONE;
        lease
    }
}

impl Scheduler<'_> {
    /// The first blocked entry ahead that could have used a granted unit, or the same limited
    /// stream, has been overtaken once more.
    fn count_overtaking(&mut self, position: u32, first_unit: u32) {
        let shape = self.shape_of(self.tables.order[position as usize]);
        let gpus = self.shape(shape).gpus;
        for ahead in 0..position {
            let job = self.tables.order[ahead as usize];
            if !self.was_blocked(job) {
                continue;
            }
            let entry = self.entry(job);
            if entry.candidates >= self.shape(entry.shape).gpus
                && (self.share_stream(entry.shape, shape)
                    || self.any_chosen(first_unit, gpus, |unit| {
                        self.is_candidate(job, entry.shape, unit)
                    }))
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

    fn any_chosen(&self, first: u32, gpus: u32, mut test: impl FnMut(u32) -> bool) -> bool {
        let mut unit = first;
        for _ in 1..gpus {
            if test(unit) {
                return true;
            }
            unit = self.unit(unit).chosen;
        }
        test(unit)
    }

    /// Takes the chosen units for the job and starts its images. There is room for the lease, since
    /// `check_demand` has said so.
    #[inline(always)]
    fn open_lease(
        &mut self,
        job: u32,
        first_unit: u32,
        (first, count): (u32, u32),
        out: &mut impl FnMut(&Scheduler<'_>, Event),
    ) -> LeaseId {
        let at = self.new_hold();
        let (now, number) = (self.now, self.next_lease);
        self.next_lease += 1;
        self.live_leases += 1;
        let Storage { jobs, leases, shapes, streams, .. } = &mut self.tables;
        let slot = &mut jobs[job as usize];
        let ticket = slot.ticket;
        let id = JobId { index: job, generation: slot.generation };
        let prev = slot.add_lease(leases, at);
        slot.begin(first, count);
        let streams_in = slot.streams_in;
        self.last = job;
        self.last_is_pending = !slot.is_leased_up();
        let shape = &mut shapes[slot.shape as usize];
        shape.overtaken = 0;
        let (memory, model, gpus) = (shape.memory, shape.model, shape.gpus);
        let fallback = shape.falls_back();
        if shape.stream != NONE {
            streams[shape.stream as usize].leases += 1;
        }
        let row = &mut leases[at as usize];
        let lease = LeaseId { index: at, generation: row.generation };
        (row.granted, row.number, row.ticket, row.job) = (now, number, ticket, job);
        (row.first, row.count, row.next, row.prev) = (first, count, NONE, prev);
        (row.hold, row.cold, row.starved, row.revoked) = (Hold::Only, false, false, None);
        if slot.is_timed {
            row.deadline = now.saturating_add(slot.timeout);
            self.next_deadline = self.next_deadline.min(row.deadline);
        }
        let is_crowded = self.take_unit(at, at, first_unit, model, memory);
        if gpus > 1 || is_crowded {
            self.take_more(at, first_unit, gpus, model, memory);
            self.make_room(at, out);
        }
        let cold = model != NONE && self.lease(at).cold;
        out(self, Event::Grant { job: id, lease, number, ticket, cold, fallback });
        out(self, Event::Start { job: id, lease, first, count });
        if streams_in {
            self.touch_upstreams(job);
        }
        lease
    }

    /// Takes the other chosen units.
    fn take_more(&mut self, lease: u32, first_unit: u32, gpus: u32, model: u32, memory: u64) {
        let (mut last, mut unit) = (lease, first_unit);
        for _ in 1..gpus {
            unit = self.unit(unit).chosen;
            let hold = self.new_hold();
            let before = self.lease_mut(last);
            before.next_hold = hold;
            if last == lease {
                before.hold = Hold::First;
            }
            let slot = self.lease_mut(hold);
            (slot.hold, slot.lease, slot.next_hold) = (Hold::Further, lease, NONE);
            self.take_unit(lease, hold, unit, model, memory);
            last = hold;
        }
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

    /// Takes one unit for a hold of a lease; says whether more models are there than there is room
    /// for.
    #[inline(always)]
    fn take_unit(&mut self, lease: u32, hold: u32, unit: u32, model: u32, memory: u64) -> bool {
        self.close(unit);
        let Storage { leases, units, .. } = &mut self.tables;
        let slot = &mut units[unit as usize];
        let older = core::mem::replace(&mut slot.last_hold, hold);
        match older {
            NONE => slot.first_hold = hold,
            older => leases[older as usize].newer = hold,
        }
        let row = &mut leases[hold as usize];
        (row.unit, row.older, row.newer) = (unit, older, NONE);
        slot.used += 1;
        slot.taken += memory;
        if model != NONE {
            self.pin(lease, unit, model);
        }
        let slot = self.unit(unit);
        let is_crowded = slot.is_crowded();
        if slot.used < slot.slots {
            self.open_if_free(unit);
        }
        is_crowded
    }

    /// A lease uses the model on this unit; if it is not resident there, it is to be loaded.
    fn pin(&mut self, lease: u32, unit: u32, model: u32) {
        let weights = self.tables.models[model as usize].weights;
        let at = self.residency_at(unit, model);
        let residency = &mut self.tables.residency[at];
        let slot = &mut self.tables.units[unit as usize];
        if residency.pins == 0 {
            slot.taken += weights;
            slot.pinned += weights;
        }
        residency.pins += 1;
        if !residency.resident {
            residency.resident = true;
            slot.resident += weights;
            slot.has_models = true;
            self.tables.leases[lease as usize].cold = true;
        }
    }

    /// Evicts what no longer fits on the units of a new lease.
    fn make_room(&mut self, lease: u32, out: &mut impl FnMut(&Scheduler<'_>, Event)) {
        let mut hold = lease;
        while hold != NONE {
            let unit = self.lease(hold).unit;
            while self.unit(unit).is_crowded() {
                let Some(model) = self.longest_unused(unit) else { break };
                self.evict(unit, model);
                out(self, Event::Evict { unit: UnitId(unit), model: ModelId(model) });
            }
            hold = self.lease(hold).hold_behind();
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
            let slot = self.unit_mut(unit);
            slot.resident -= weights;
            slot.has_models = slot.resident > 0;
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
            let slot = self.unit_mut(unit);
            slot.taken -= weights;
            slot.pinned -= weights;
            if self.policy.pool == Pool::Free {
                self.evict(unit, model);
            }
        }
    }
}

impl JobSlot {
    /// Puts a lease at the end of the job's list; says which one comes before it.
    #[inline]
    fn add_lease(&mut self, leases: &mut [LeaseSlot], lease: u32) -> u32 {
        self.leases += 1;
        let prev = core::mem::replace(&mut self.last_lease, lease);
        match prev {
            NONE => self.first_lease = lease,
            prev => leases[prev as usize].next = lease,
        }
        prev
    }
}
