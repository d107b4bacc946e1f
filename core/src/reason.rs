//! Why: the reason for a grant, and for a wait.

use heapless::Vec;

use crate::error::InputError;
use crate::event::UnitState;
use crate::id::{JobId, NONE, StreamId, UnitId};
use crate::queue::Home;
use crate::scheduler::Scheduler;
use crate::slot::{LeaseSlot, Stage};
use crate::spec::{Nanos, Order, Placement};

/// Why a job was granted units before others, and why these units.
///
/// ```
/// use lineside_core::*;
/// let mut memory = Memory::<2, 1, 1, 1, 1, 1, 1>::new();
/// let mut scheduler = Scheduler::new(Policy::default(), memory.storage());
/// let unit = UnitSpec { place: Place::Cuda, budget: 1, slots: 1, profile: None };
/// scheduler.add_unit(&unit)?;
/// let mut out = |_: &Scheduler, _: Event| {};
/// for _ in 0..2 {
///     let job = scheduler.submit(0, &JobSpec::default(), &[], &mut out)?;
///     scheduler.arrive(0, job, 1, &mut out)?;
/// }
/// let reason = scheduler.choose(0).expect("the unit is free").reason();
/// assert_eq!(reason.order, OrderRule::Ticket);
/// assert_eq!(reason.placement, PlacementRule::Only);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason {
    /// Who is granted.
    pub job: JobId,
    /// What put it before the next in the queue.
    pub order: OrderRule,
    /// The next in the queue.
    pub next: Option<JobId>,
    /// The first of those ahead of it that could not be granted.
    pub passed: Vec<Passed, 4>,
    /// How many more there were.
    pub passed_more: u32,
    /// Its first unit.
    pub unit: UnitId,
    /// What put that unit before the next best.
    pub placement: PlacementRule,
    /// The next best unit.
    pub next_unit: Option<UnitId>,
}

/// Someone ahead in the queue that could not be granted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Passed {
    /// Who.
    pub job: JobId,
    /// Why not.
    pub wait: Wait,
}

/// The rule by which an entry comes before the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OrderRule {
    /// There is no other.
    Only,
    /// It has waited for `patience`.
    Patience,
    /// Its priority is higher.
    Priority,
    /// Standard comes before legacy.
    StandardFirst,
    /// Its head image is lower.
    OldestImage,
    /// Its path is longer.
    CriticalPath,
    /// Its ticket is lower.
    Ticket,
}

/// The rule by which a unit comes before the next best.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlacementRule {
    /// There is no other.
    Only,
    /// The model is resident there.
    Resident,
    /// Least memory left over.
    LeastLeft,
    /// Least busy time.
    LeastBusy,
    /// Longest since its last release.
    LongestReleased,
    /// Most leases now.
    MostLeases,
    /// It stands first.
    Index,
}

/// What a job waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wait {
    /// For nothing: it has ended.
    Ended,
    /// For nothing: it runs, on as many leases as it may have.
    Running,
    /// To arrive.
    Arrival,
    /// For its next image to be fed.
    Feed,
    /// For this upstream.
    Upstream(JobId),
    /// For this downstream to take images.
    BackPressure(JobId),
    /// For a lease that was asked back.
    GivingBack,
    /// For a lease of its stream, which is at its limit.
    Stream(StreamId),
    /// For a lease of its stream, which is withheld for this job.
    StreamWithheld(StreamId, JobId),
    /// For units.
    Units(Shortage),
    /// For nothing: it is the next to be granted.
    Next,
}

/// What an entry finds when it looks for units.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shortage {
    /// Units it wants at once.
    pub wanted: u32,
    /// Units that are up and match, and where it has not as many leases as it may.
    pub candidates: u32,
    /// Units that are up and match, but where it has as many leases as its `threads` allow.
    pub own: u32,
    /// Of the candidates: without a free slot.
    pub full: u32,
    /// Of the rest: without enough memory now.
    pub short: u32,
    /// Of the rest: withheld for another.
    pub withheld: u32,
    /// For whom the first of them is withheld.
    pub withheld_for: Option<JobId>,
    /// Units that would match if they were up.
    pub not_up: u32,
}

impl Scheduler<'_> {
    /// What a job waits for. O(units × leaders + leases).
    ///
    /// # Errors
    ///
    /// [`InputError::Stale`] if it does not exist.
    pub fn why(&mut self, now: Nanos, job: JobId) -> Result<Wait, InputError> {
        let at = self.find_job(job)?;
        self.set_clock(now);
        if self.job(at).home == Home::None {
            return Ok(self.why_not_queued(at));
        }
        self.promote_overdue();
        let found = self.search().map(|(position, _)| self.tables.order[position as usize]);
        Ok(if found == Some(at) { Wait::Next } else { self.why_queued(at) })
    }

    fn why_not_queued(&self, job: u32) -> Wait {
        let slot = self.job(job);
        match slot.stage {
            Stage::Held => return Wait::Arrival,
            Stage::Ending => return Wait::GivingBack,
            Stage::Free | Stage::Ended => return Wait::Ended,
            Stage::Arrived => {}
        }
        let mut lease = slot.first_lease;
        while lease != NONE {
            let LeaseSlot { revoked, count, next, .. } = *self.lease(lease);
            match (revoked, slot.is_leased_up() && count > 0) {
                (Some(_), _) => return Wait::GivingBack,
                (None, true) => return Wait::Running,
                (None, false) => lease = next,
            }
        }
        self.why_no_image(job)
    }

    fn why_no_image(&self, job: u32) -> Wait {
        let slot = self.job(job);
        let head = slot.head();
        if head >= slot.images && slot.images > 0 {
            return Wait::Running;
        }
        let mut next = slot.edges_in;
        while let Some(edge) = self.edge(next) {
            let waits = match self.stream_upstream(edge) {
                Some(upstream) if slot.images == 0 => self.job(upstream).stage != Stage::Ended,
                Some(upstream) => self.job(upstream).prefix <= head,
                None => !edge.stream && !edge.satisfied,
            };
            if waits {
                return Wait::Upstream(self.job_id(edge.from));
            }
            next = edge.next_in;
        }
        let mut next = slot.streams_out;
        while let Some(edge) = self.edge(next) {
            if self.bound(edge).is_some_and(|bound| head >= bound) {
                return Wait::BackPressure(self.job_id(edge.to));
            }
            next = edge.next_out;
        }
        if slot.fed <= head { Wait::Feed } else { Wait::Running }
    }

    /// Reads the stamps of the last search, so it holds for entries which that one has met.
    fn why_queued(&self, job: u32) -> Wait {
        let shape = self.shape_of(job);
        let stream = self.shape(shape).stream;
        if self.stream_is_shut(shape) {
            let stream = StreamId(stream);
            let slot = self.tables.streams[stream.0 as usize];
            let withholder = self.withholder(job, |leader| {
                self.limited_stream(self.shape_of(leader)) == Some(stream.0)
            });
            return match withholder {
                Some(by) if !slot.is_full() => Wait::StreamWithheld(stream, by),
                _ => Wait::Stream(stream),
            };
        }
        Wait::Units(self.shortage(job, shape))
    }

    fn shortage(&self, job: u32, shape: u32) -> Shortage {
        let entry = self.entry(job);
        let mut shortage = Shortage {
            wanted: self.shape(shape).gpus,
            candidates: entry.candidates,
            own: self.shape(shape).candidates() - entry.candidates,
            full: 0,
            short: 0,
            withheld: 0,
            withheld_for: None,
            not_up: 0,
        };
        for unit in 0..self.used.units {
            let slot = self.unit(unit);
            if slot.state != UnitState::Up {
                let shape = self.shape(shape);
                let would_do = shape.matches_needs(slot) || shape.matches_instead(slot);
                shortage.not_up += u32::from(would_do);
            } else if !self.is_candidate(job, shape, unit) {
            } else if slot.used >= slot.slots {
                shortage.full += 1;
            } else if !self.has_room(self.shape(shape), unit) {
                shortage.short += 1;
            } else if slot.withheld == self.search {
                // What it withholds itself is no reason of its own to wait.
                let withholder = self.withholder(job, |leader| {
                    self.is_candidate(leader, self.shape_of(leader), unit)
                });
                shortage.withheld += u32::from(withholder.is_some());
                shortage.withheld_for = shortage.withheld_for.or(withholder);
            }
        }
        shortage
    }

    /// The first blocked leader ahead that withholds what the test asks for.
    fn withholder(&self, job: u32, test: impl Fn(u32) -> bool) -> Option<JobId> {
        let key = self.key(job);
        let leaders = &self.tables.order[..self.leaders as usize];
        let ahead = leaders.iter().copied().take_while(|&leader| self.key(leader) < key);
        ahead
            .filter(|&leader| self.was_blocked(leader) && self.withholds(&self.entry(leader)))
            .find(|&leader| test(leader))
            .map(|leader| self.job_id(leader))
    }

    /// Reads the stamps of the search that found this choice.
    pub(crate) fn reason(&self, position: u32, first_unit: u32) -> Reason {
        let job = self.tables.order[position as usize];
        let next = self.next_in_queue(position);
        let mut passed = Vec::new();
        let mut passed_more = 0;
        for ahead in 0..position {
            let job = self.tables.order[ahead as usize];
            let wait = self.why_queued(job);
            if passed.push(Passed { job: self.job_id(job), wait }).is_err() {
                passed_more += 1;
            }
        }
        let (placement, next_unit) = self.placement_rule(job, first_unit);
        Reason {
            job: self.job_id(job),
            order: next.map_or(OrderRule::Only, |next| self.order_rule(job, next)),
            next: next.map(|next| self.job_id(next)),
            passed,
            passed_more,
            unit: UnitId(first_unit),
            placement,
            next_unit: next_unit.map(UnitId),
        }
    }

    /// The entry behind the leader at this position, in its lane or among the leaders.
    fn next_in_queue(&self, position: u32) -> Option<u32> {
        let job = self.tables.order[position as usize];
        let jobs = &self.tables.jobs;
        let lane = &self.tables.lanes[self.job(job).lane as usize];
        let in_lane = match self.job(job) {
            slot if slot.home == Home::Alone => NONE,
            slot if !slot.overdue => lane.waiting.second(jobs),
            _ => match lane.overdue.second(jobs) {
                NONE => lane.waiting.least(jobs),
                second => second,
            },
        };
        let leads = (position + 1 < self.leaders)
            .then(|| self.tables.order[position as usize + 1])
            .filter(|&next| in_lane == NONE || self.key(next) < self.key(in_lane));
        leads.or((in_lane != NONE).then_some(in_lane))
    }

    fn order_rule(&self, job: u32, next: u32) -> OrderRule {
        let (group, rank, _) = self.key(job);
        let (next_group, next_rank, _) = self.key(next);
        if group == 0 {
            return if next_group == 0 { OrderRule::Ticket } else { OrderRule::Patience };
        }
        if group != next_group {
            let same_priority = (group - 1) / 2 == (next_group - 1) / 2;
            return if same_priority { OrderRule::StandardFirst } else { OrderRule::Priority };
        }
        match self.policy.order {
            Order::OldestImage if rank != next_rank => OrderRule::OldestImage,
            Order::CriticalPath if rank != next_rank => OrderRule::CriticalPath,
            _ => OrderRule::Ticket,
        }
    }

    fn placement_rule(&self, job: u32, unit: u32) -> (PlacementRule, Option<u32>) {
        let shape = self.shape_of(job);
        let slot = self.shape(shape);
        let open = &self.tables.open[..self.open as usize];
        let rivals = open.iter().copied().filter(|&open| open != unit);
        let next = rivals
            .filter(|&open| self.is_feasible(job, slot, slot.falls_back(), open))
            .min_by_key(|&open| self.placement_rank(slot, open));
        let Some(next) = next else { return (PlacementRule::Only, None) };
        let (absent, first, second, _) = self.placement_rank(slot, unit);
        let (next_absent, next_first, next_second, _) = self.placement_rank(slot, next);
        let (by_first, by_second) = match self.policy.placement {
            Placement::Fit => (PlacementRule::LeastLeft, PlacementRule::LeastBusy),
            Placement::Balance => (PlacementRule::LeastBusy, PlacementRule::Index),
            Placement::Rotate => (PlacementRule::LongestReleased, PlacementRule::Index),
            Placement::Pack => (PlacementRule::MostLeases, PlacementRule::LeastLeft),
        };
        let rule = if absent != next_absent {
            PlacementRule::Resident
        } else if first != next_first {
            by_first
        } else if second != next_second {
            by_second
        } else {
            PlacementRule::Index
        };
        (rule, Some(next))
    }
}
