//! The scheduler: what it is, how it is set up, what can be read off it.

use crate::error::{AddError, InputError, Table};
use crate::event::{Outcome, UnitState};
use crate::id::{JobId, LeaseId, ModelId, NONE, StreamId, UnitId};
use crate::slot::{LeaseSlot, ModelSlot, ResidencySlot, Stage, StreamSlot, UnitSlot};
use crate::spec::{ModelSpec, Nanos, Policy, StreamSpec, UnitSpec};
use crate::storage::Storage;

/// Decides which job gets which units, and when, by the rules of Lineside.
///
/// A value without a clock, thread, or allocation: time is passed in, and what a call causes comes
/// out at once, in order, through the closure that the call is given. Three parties talk to it:
///
/// - the application: [`submit`](Self::submit), [`arrive`](Self::arrive), [`feed`](Self::feed),
///   [`cancel`](Self::cancel), [`remove`](Self::remove);
/// - the devices: [`finish`](Self::finish), [`fail`](Self::fail),
///   [`given_back`](Self::given_back), [`down`](Self::down), [`drain`](Self::drain),
///   [`up`](Self::up);
/// - the clock: [`poll_timeout`](Self::poll_timeout), [`handle_timeout`](Self::handle_timeout).
///
/// The driver's law: after any inputs, [`choose`](Self::choose) and grant until nothing can be
/// granted, then [`break_circle`](Self::break_circle), and choose again if that revoked a lease.
/// Every [`Event::Start`](crate::Event::Start) is answered by `finish` or `fail`, every
/// [`Event::Revoke`](crate::Event::Revoke) by `given_back`. A late call loses nothing; a call for
/// something that is over is an error and changes nothing.
///
/// ```
/// use lineside_core::*;
///
/// let mut memory = Memory::<8, 2, 16, 4, 4, 2, 1>::new();
/// let mut scheduler = Scheduler::new(Policy::default(), memory.storage());
/// let gpu = UnitSpec { place: Place::Cuda, budget: 8 << 30, slots: 1, profile: None };
/// scheduler.add_unit(&gpu)?;
///
/// let mut ignore = |_: &Scheduler, _: Event| {};
/// let job = scheduler.submit(0, &JobSpec::default(), &[], &mut ignore)?;
/// scheduler.arrive(0, job, 1, &mut ignore)?;
/// let lease = scheduler.choose(0).expect("the unit is free").grant(&mut ignore);
/// scheduler.finish(10, lease, &mut ignore)?;
/// assert_eq!(scheduler.outcome(job)?, Some(Outcome::Done));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Scheduler<'a> {
    pub(crate) policy: Policy,
    pub(crate) tables: Storage<'a>,
    pub(crate) used: Used,
    pub(crate) free: Free,
    pub(crate) now: Nanos,
    pub(crate) late_clocks: u64,
    pub(crate) next_ticket: u64,
    pub(crate) next_lease: u64,
    pub(crate) next_sequence: u64,
    /// Counts searches, and whatever else needs a stamp of its own.
    pub(crate) stamp: u64,
    /// The stamp of the last search of the queue.
    pub(crate) search: u64,
    /// Walks that have begun.
    pub(crate) walks: u64,
    /// Entries that lead: each lane's front, and those by themselves, in queue order.
    pub(crate) leaders: u32,
    /// Units that are up and have a free slot.
    pub(crate) open: u32,
    /// Jobs to settle, besides `last`.
    pub(crate) pending: u32,
    /// The job that is settled when no other is left.
    pub(crate) last: u32,
    pub(crate) last_is_pending: bool,
    pub(crate) queued: u32,
    /// Entries that are not overdue, by the time they entered (only with `patience`).
    pub(crate) oldest: u32,
    pub(crate) newest: u32,
    pub(crate) first_starved: u32,
    /// No deadline comes before this.
    pub(crate) next_deadline: Nanos,
    pub(crate) root_shape: u32,
    pub(crate) live_leases: u32,
    /// What the live jobs and units could hold at once.
    pub(crate) demand: Demand,
}

/// How far each table has ever been used.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Used {
    pub(crate) jobs: u32,
    pub(crate) units: u32,
    pub(crate) edges: u32,
    pub(crate) leases: u32,
    pub(crate) shapes: u32,
    pub(crate) lanes: u32,
    pub(crate) models: u32,
    pub(crate) streams: u32,
}

/// The first free slot of each table whose slots are used again.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Free {
    pub(crate) jobs: u32,
    pub(crate) edges: u32,
    pub(crate) leases: u32,
    pub(crate) edges_left: u32,
}

/// Bounds that keep the table of leases from ever being full.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Demand {
    pub(crate) slots: u64,
    pub(crate) holds: u64,
}

impl<'a> Scheduler<'a> {
    /// A scheduler without units or jobs. What the tables held before is forgotten.
    ///
    /// # Panics
    ///
    /// If `order` or `pending` is shorter than `jobs`, or `open` than `units`.
    pub fn new(policy: Policy, tables: Storage<'a>) -> Self {
        assert!(tables.order.len() >= tables.jobs.len());
        assert!(tables.pending.len() >= tables.jobs.len());
        assert!(tables.open.len() >= tables.units.len());
        let edges_left = tables.edges.len() as u32;
        Scheduler {
            policy,
            tables,
            used: Used::default(),
            free: Free { jobs: NONE, edges: NONE, leases: NONE, edges_left },
            now: 0,
            late_clocks: 0,
            next_ticket: 0,
            next_lease: 0,
            next_sequence: 0,
            stamp: 0,
            search: 0,
            walks: 0,
            leaders: 0,
            open: 0,
            pending: 0,
            last: NONE,
            last_is_pending: false,
            queued: 0,
            oldest: NONE,
            newest: NONE,
            first_starved: NONE,
            next_deadline: Nanos::MAX,
            root_shape: NONE,
            live_leases: 0,
            demand: Demand::default(),
        }
    }

    /// Adds a model.
    ///
    /// # Errors
    ///
    /// [`AddError::Full`] if there is no room.
    pub fn add_model(&mut self, spec: ModelSpec) -> Result<ModelId, AddError> {
        let index = self.used.models;
        let slot = self.tables.models.get_mut(index as usize);
        *slot.ok_or(AddError::Full(Table::Models))? = ModelSlot { weights: spec.weights };
        self.used.models += 1;
        Ok(ModelId(index))
    }

    /// Adds a stream.
    ///
    /// # Errors
    ///
    /// [`AddError::Full`] if there is no room, [`AddError::Zero`] if the limit is 0.
    pub fn add_stream(&mut self, spec: StreamSpec) -> Result<StreamId, AddError> {
        if spec.limit == Some(0) {
            return Err(AddError::Zero("limit"));
        }
        let index = self.used.streams;
        let slot = self.tables.streams.get_mut(index as usize);
        let limit = spec.limit.map_or(NONE, |limit| limit.min(NONE - 1));
        *slot.ok_or(AddError::Full(Table::Streams))? = StreamSlot { limit, ..StreamSlot::EMPTY };
        self.used.streams += 1;
        Ok(StreamId(index))
    }

    /// Adds a unit, up and empty. O(shapes).
    ///
    /// # Errors
    ///
    /// [`AddError::Full`] if there is no room for it or for the leases it makes possible,
    /// [`AddError::Zero`] if it has no slots.
    pub fn add_unit(&mut self, spec: &UnitSpec) -> Result<UnitId, AddError> {
        if spec.slots == 0 {
            return Err(AddError::Zero("slots"));
        }
        let index = self.used.units;
        let models = self.tables.models.len();
        let row = index as usize * models..(index as usize + 1) * models;
        if index as usize >= self.tables.units.len() || row.end > self.tables.residency.len() {
            return Err(AddError::Full(Table::Units));
        }
        let slots = self.demand.slots + u64::from(spec.slots);
        self.check_demand(Demand { slots, ..self.demand })?;
        // Nothing below can fail.
        self.demand.slots = slots;
        self.tables.residency[row].fill(ResidencySlot::EMPTY);
        self.tables.units[index as usize] = UnitSlot {
            budget: spec.budget,
            slots: spec.slots,
            profile: spec.profile.map_or(NONE, |profile| profile.0),
            place: spec.place,
            ..UnitSlot::EMPTY
        };
        self.used.units += 1;
        self.set_state(index, UnitState::Up);
        Ok(UnitId(index))
    }

    /// Could all leases that these units and jobs allow be held at once?
    pub(crate) fn check_demand(&self, demand: Demand) -> Result<(), AddError> {
        if demand.slots.min(demand.holds) > self.tables.leases.len() as u64 {
            return Err(AddError::Full(Table::Leases));
        }
        Ok(())
    }

    /// A `now` from the past is read as the latest one seen, and counted.
    #[inline]
    pub(crate) fn set_clock(&mut self, now: Nanos) {
        if now < self.now {
            self.late_clocks += 1;
        } else {
            self.now = now;
        }
    }
}

/// What can be read off it.
impl Scheduler<'_> {
    /// The latest time it has been told.
    pub fn now(&self) -> Nanos {
        self.now
    }

    /// How often it was told a time from the past.
    pub fn late_clocks(&self) -> u64 {
        self.late_clocks
    }

    /// The policy it was made with.
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// Entries in the queue.
    pub fn queued(&self) -> u32 {
        self.queued
    }

    /// Leases that are not over.
    pub fn leases(&self) -> u32 {
        self.live_leases
    }

    /// The outcome of a job; none while it has not ended.
    ///
    /// # Errors
    ///
    /// [`InputError::Stale`] if it does not exist.
    pub fn outcome(&self, job: JobId) -> Result<Option<Outcome>, InputError> {
        let job = &self.tables.jobs[self.find_job(job)? as usize];
        Ok(if job.stage == Stage::Ended { job.outcome } else { None })
    }

    /// Images of a job that are done.
    ///
    /// # Errors
    ///
    /// [`InputError::Stale`] if it does not exist.
    pub fn images_done(&self, job: JobId) -> Result<u32, InputError> {
        let job = &self.tables.jobs[self.find_job(job)? as usize];
        Ok(job.prefix + job.done.count_ones())
    }

    /// The units of a lease, in the order in which they were granted.
    ///
    /// # Errors
    ///
    /// [`InputError::Stale`] if the lease is over.
    pub fn units_of(&self, lease: LeaseId) -> Result<Units<'_>, InputError> {
        Ok(self.units_at(self.find_lease(lease)?))
    }

    /// The job of a lease.
    ///
    /// # Errors
    ///
    /// [`InputError::Stale`] if the lease is over.
    pub fn job_of(&self, lease: LeaseId) -> Result<JobId, InputError> {
        let lease = self.find_lease(lease)?;
        Ok(self.job_id(self.tables.leases[lease as usize].job))
    }

    /// The number of a lease: leases are counted from 0.
    ///
    /// # Errors
    ///
    /// [`InputError::Stale`] if the lease is over.
    pub fn number_of(&self, lease: LeaseId) -> Result<u64, InputError> {
        let lease = self.find_lease(lease)?;
        Ok(self.tables.leases[lease as usize].number)
    }

    /// The leases that have this unit, in grant order.
    ///
    /// # Errors
    ///
    /// [`InputError::Stale`] if it does not exist.
    pub fn leases_at(&self, unit: UnitId) -> Result<impl Iterator<Item = LeaseId>, InputError> {
        let mut next = self.tables.units[self.find_unit(unit)? as usize].first_hold;
        Ok(core::iter::from_fn(move || {
            let hold = self.tables.leases.get(next as usize)?;
            let lease = hold.lease_of(next);
            next = hold.newer;
            Some(self.lease_id(lease))
        }))
    }

    /// Did this lease have to load its model?
    ///
    /// # Errors
    ///
    /// [`InputError::Stale`] if the lease is over.
    pub fn is_cold(&self, lease: LeaseId) -> Result<bool, InputError> {
        let lease = self.find_lease(lease)?;
        Ok(self.tables.leases[lease as usize].cold)
    }

    /// Its leases in grant order that are not over.
    ///
    /// # Errors
    ///
    /// [`InputError::Stale`] if it does not exist.
    pub fn leases_of(&self, job: JobId) -> Result<impl Iterator<Item = LeaseId>, InputError> {
        let mut next = self.tables.jobs[self.find_job(job)? as usize].first_lease;
        Ok(core::iter::from_fn(move || {
            let lease = self.tables.leases.get(next as usize)?;
            let id = LeaseId { index: next, generation: lease.generation };
            next = lease.next;
            Some(id)
        }))
    }

    /// The state of a unit.
    ///
    /// # Errors
    ///
    /// [`InputError::Stale`] if it does not exist.
    pub fn unit_state(&self, unit: UnitId) -> Result<UnitState, InputError> {
        Ok(self.tables.units[self.find_unit(unit)? as usize].state)
    }

    /// Bytes of a unit that leases and the models they use take up.
    ///
    /// # Errors
    ///
    /// [`InputError::Stale`] if it does not exist.
    pub fn memory_taken(&self, unit: UnitId) -> Result<u64, InputError> {
        Ok(self.tables.units[self.find_unit(unit)? as usize].taken)
    }

    /// Is this model loaded on this unit?
    ///
    /// # Errors
    ///
    /// [`InputError::Stale`] if either does not exist.
    pub fn is_resident(&self, unit: UnitId, model: ModelId) -> Result<bool, InputError> {
        let unit = self.find_unit(unit)?;
        if model.0 >= self.used.models {
            return Err(InputError::Stale);
        }
        Ok(self.tables.residency[self.residency_at(unit, model.0)].resident)
    }
}

/// The units of a lease; see [`Scheduler::units_of`].
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
/// let lease = scheduler.choose(0).expect("the unit is free").grant(&mut out);
/// assert_eq!(scheduler.units_of(lease)?.collect::<Vec<_>>(), [UnitId(0)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Units<'s> {
    pub(crate) leases: &'s [LeaseSlot],
    pub(crate) next: u32,
}

impl Iterator for Units<'_> {
    type Item = UnitId;

    fn next(&mut self) -> Option<UnitId> {
        let hold = self.leases.get(self.next as usize)?;
        self.next = hold.hold_behind();
        Some(UnitId(hold.unit))
    }
}
