//! The search for the next grant: one walk over the queue (semantics, section 4).

use crate::event::UnitState;
use crate::id::NONE;
use crate::queue::Home;
use crate::scheduler::Scheduler;
use crate::slot::{ShapeSlot, UnitSlot};
use crate::spec::Placement;

/// What a search has to know of an entry.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Entry {
    pub(crate) job: u32,
    pub(crate) shape: u32,
    /// Units that are up and match, and where its job has not as many leases as it may.
    pub(crate) candidates: u32,
}

impl Scheduler<'_> {
    /// Walks the queue until an entry can be granted. Says which leader it is, and the first of the
    /// chosen units.
    #[inline]
    pub(crate) fn search(&mut self) -> Option<(u32, u32)> {
        self.search = self.new_stamp();
        for position in 0..self.leaders {
            let job = self.tables.order[position as usize];
            let slot = self.job(job);
            let alone = slot.home == Home::Alone;
            let at = slot.shape;
            let shape = self.shape(at);
            if shape.blocked == self.search || shape.stream != NONE && self.stream_is_shut(at) {
                continue;
            }
            if self.open >= shape.gpus {
                if shape.gpus > 1 || alone {
                    if let Some(unit) = self.select(job, at) {
                        return Some((position, unit));
                    }
                } else if let Some(unit) = self.select_one(shape) {
                    return Some((position, unit));
                }
            }
            self.block(&self.entry(job));
        }
        None
    }

    /// Is the stream of this shape at its limit, or withheld?
    pub(crate) fn stream_is_shut(&self, shape: u32) -> bool {
        let stream = self.shape(shape).stream;
        stream != NONE && {
            let stream = &self.tables.streams[stream as usize];
            stream.is_full() || stream.withheld == self.search
        }
    }

    pub(crate) fn entry(&self, job: u32) -> Entry {
        let shape = self.shape_of(job);
        let mut candidates = self.shape(shape).candidates();
        if self.job(job).home == Home::Alone {
            candidates -= self.units_kept_from(job, shape);
        }
        Entry { job, shape, candidates }
    }

    /// Units that are up and match, but where the job has as many leases as it may.
    fn units_kept_from(&self, job: u32, shape: u32) -> u32 {
        let mut kept = 0;
        let mut lease = self.job(job).first_lease;
        while lease != NONE {
            for unit in self.held_by(lease) {
                let slot = self.unit(unit);
                let up = slot.state == UnitState::Up && self.shape(shape).matches(slot);
                let (count, first) = self.leases_on(job, unit);
                // A unit of several leases counts with the first of them.
                kept += u32::from(up && first == lease && count >= self.job(job).threads.into());
            }
            lease = self.lease(lease).next;
        }
        kept
    }

    /// How many leases the job has on this unit, and the first of them. O(leases of the job).
    pub(crate) fn leases_on(&self, job: u32, unit: u32) -> (u32, u32) {
        let (mut count, mut first) = (0, NONE);
        let mut lease = self.job(job).first_lease;
        while lease != NONE {
            if self.held_by(lease).any(|held| held == unit) {
                count += 1;
                first = if first == NONE { lease } else { first };
            }
            lease = self.lease(lease).next;
        }
        (count, first)
    }

    /// The units of a lease.
    pub(crate) fn held_by(&self, lease: u32) -> impl Iterator<Item = u32> {
        self.units_at(lease).map(|unit| unit.0)
    }

    /// Could the entry of this job be granted this unit, if nothing else were on it?
    pub(crate) fn is_candidate(&self, job: u32, shape: u32, unit: u32) -> bool {
        let slot = self.unit(unit);
        slot.state == UnitState::Up
            && self.shape(shape).matches(slot)
            && (self.job(job).home != Home::Alone
                || self.leases_on(job, unit).0 < self.job(job).threads.into())
    }

    /// Can the entry of this job be granted this open unit now? `instead`: its shape falls back.
    pub(crate) fn is_feasible(
        &self,
        job: u32,
        shape: &ShapeSlot,
        instead: bool,
        unit: u32,
    ) -> bool {
        self.is_usable(shape, instead, unit)
            && (self.job(job).home != Home::Alone
                || self.leases_on(job, unit).0 < self.job(job).threads.into())
    }

    /// Could an entry of this shape be granted this open unit now, but for its own leases?
    #[inline]
    fn is_usable(&self, shape: &ShapeSlot, instead: bool, unit: u32) -> bool {
        let slot = self.unit(unit);
        // What there is room for fits alone, if it has no weights.
        slot.withheld != self.search
            && shape.memory <= slot.budget - slot.taken
            && shape.suits(slot, instead)
            && (shape.weights == 0 || shape.fits_alone(slot) && self.has_room(shape, unit))
    }

    /// Is there enough memory on this unit now?
    pub(crate) fn has_room(&self, shape: &ShapeSlot, unit: u32) -> bool {
        let slot = self.unit(unit);
        // What is taken fits, so the difference can't be negative; what is needed fits alone.
        self.need(shape, unit) <= slot.budget - slot.taken
    }

    /// Bytes that a grant would add on this unit.
    fn need(&self, shape: &ShapeSlot, unit: u32) -> u64 {
        let pinned = shape.model != NONE
            && self.tables.residency[self.residency_at(unit, shape.model)].pins > 0;
        shape.memory + if pinned { 0 } else { shape.weights }
    }

    /// Chooses the first units in placement order, linked through `chosen` where it wants several;
    /// none if too few are feasible. O(open units × gpus).
    fn select(&mut self, job: u32, shape: u32) -> Option<u32> {
        let gpus = self.shape(shape).gpus;
        let instead = self.shape(shape).falls_back();
        let (mut first, mut count) = (NONE, 0);
        for at in 0..self.open as usize {
            let unit = self.tables.open[at];
            if self.is_feasible(job, self.shape(shape), instead, unit) {
                first = self.insert_chosen(shape, first, unit, gpus.min(count + 1));
                count += 1;
            }
        }
        (count >= gpus).then_some(first)
    }

    /// The first unit in placement order for an entry of this shape, which wants one and is not
    /// alone. O(open units); the first that has room ends it, unless the shape has a model.
    #[inline]
    fn select_one(&self, shape: &ShapeSlot) -> Option<u32> {
        if shape.model != NONE {
            return self.select_with_model(shape);
        }
        let instead = shape.falls_back();
        let open = &self.tables.open[..self.open as usize];
        open.iter().rev().copied().find(|&unit| self.is_usable(shape, instead, unit))
    }

    /// Where the model is, and what is taken up with it, is another question for each shape.
    fn select_with_model(&self, shape: &ShapeSlot) -> Option<u32> {
        let instead = shape.falls_back();
        let open = self.tables.open[..self.open as usize].iter().copied();
        let usable = open.filter(|&unit| self.is_usable(shape, instead, unit));
        usable.min_by_key(|&unit| self.placement_rank(shape, unit))
    }

    fn comes_first(&self, shape: u32, unit: u32, other: u32) -> bool {
        let shape = self.shape(shape);
        self.placement_rank(shape, unit) < self.placement_rank(shape, other)
    }

    /// Puts a unit into the list of chosen ones and keeps the first `most`.
    fn insert_chosen(&mut self, shape: u32, first: u32, unit: u32, most: u32) -> u32 {
        let (mut before, mut after, mut position) = (NONE, first, 0);
        while after != NONE && self.comes_first(shape, after, unit) {
            (before, after) = (after, self.unit(after).chosen);
            position += 1;
            if position == most {
                return first;
            }
        }
        self.unit_mut(unit).chosen = after;
        if before != NONE {
            self.unit_mut(before).chosen = unit;
        }
        let first = if before == NONE { unit } else { first };
        // One more than wanted: the last falls off.
        let mut last = unit;
        for _ in position + 1..most {
            last = match self.unit(last).chosen {
                NONE => break,
                next => next,
            };
        }
        self.unit_mut(last).chosen = NONE;
        first
    }

    /// What units are sorted by for this shape: lower is better.
    pub(crate) fn placement_rank(&self, shape: &ShapeSlot, unit: u32) -> (bool, u64, u64, u32) {
        let absent = shape.model != NONE
            && !self.tables.residency[self.residency_at(unit, shape.model)].resident;
        let (first, second) = self.policy.placement.rank(self.unit(unit), self.need(shape, unit));
        (absent, first, second, unit)
    }

    /// What open units are sorted by: as for a shape without a model and without memory, since
    /// equal needs change no order.
    pub(crate) fn standing(&self, unit: u32) -> (u64, u64, u32) {
        let (first, second) = self.policy.placement.rank(self.unit(unit), 0);
        (first, second, unit)
    }

    /// Notes that an entry is blocked, and withholds what it could use if it has been overtaken
    /// too often.
    fn block(&mut self, entry: &Entry) {
        let search = self.search;
        if self.job(entry.job).home == Home::Alone {
            self.job_mut(entry.job).stamp = search;
        } else {
            self.tables.shapes[entry.shape as usize].blocked = search;
        }
        if !self.withholds(entry) {
            return;
        }
        for at in 0..self.open as usize {
            let unit = self.tables.open[at];
            if self.is_candidate(entry.job, entry.shape, unit) {
                self.unit_mut(unit).withheld = search;
            }
        }
        if let Some(stream) = self.limited_stream(entry.shape) {
            self.tables.streams[stream as usize].withheld = search;
        }
    }

    /// A blocked entry like this withholds its candidates and its stream from those behind it.
    pub(crate) fn withholds(&self, entry: &Entry) -> bool {
        let shape = self.shape(entry.shape);
        shape.overtaken >= self.policy.overtake && entry.candidates >= shape.gpus
    }

    pub(crate) fn limited_stream(&self, shape: u32) -> Option<u32> {
        let stream = self.shape(shape).stream;
        let limited = stream != NONE && self.tables.streams[stream as usize].limit != NONE;
        limited.then_some(stream)
    }

    /// Was this leader blocked in the last search?
    pub(crate) fn was_blocked(&self, job: u32) -> bool {
        if self.job(job).home == Home::Alone {
            self.job(job).stamp == self.search
        } else {
            self.shape(self.shape_of(job)).blocked == self.search
        }
    }
}

impl Placement {
    /// What comes before the index in placement order, where a grant needs so many bytes.
    fn rank(self, unit: &UnitSlot, need: u64) -> (u64, u64) {
        let left_over = (unit.budget - unit.taken).saturating_sub(need);
        match self {
            Placement::Fit => (left_over, unit.busy),
            Placement::Balance => (unit.busy, 0),
            Placement::Rotate => (unit.released, 0),
            Placement::Pack => (u64::from(u32::MAX - unit.used), left_over),
        }
    }
}
