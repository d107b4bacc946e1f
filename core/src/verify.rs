//! Every invariant, checked.

use crate::event::UnitState;
use crate::id::NONE;
use crate::queue::{EntryQueue, Home};
use crate::scheduler::Scheduler;
use crate::slot::{JobSlot, Stage};

type Check = Result<(), &'static str>;

fn check(holds: bool, invariant: &'static str) -> Check {
    if holds { Ok(()) } else { Err(invariant) }
}

impl Scheduler<'_> {
    /// Checks every invariant, between two calls; for tests and fuzzers. O(everything, squared in
    /// places).
    ///
    /// # Errors
    ///
    /// The invariant that does not hold, in words. That is a bug in this crate.
    pub fn verify(&self) -> Result<(), &'static str> {
        check(self.pending == 0 && !self.last_is_pending, "nothing is left to settle")?;
        for job in 0..self.used.jobs {
            self.verify_job(job)?;
            self.verify_leases_of(job)?;
            self.verify_edges_of(job)?;
        }
        self.verify_leaders()?;
        self.verify_lanes()?;
        self.verify_shapes()?;
        self.verify_ages()?;
        for unit in 0..self.used.units {
            self.verify_unit(unit)?;
        }
        self.verify_streams()?;
        self.verify_starved()?;
        self.verify_tables()
    }

    fn verify_job(&self, job: u32) -> Check {
        let slot = self.job(job);
        check(!slot.pending, "no job is noted for settling")?;
        let queued = slot.home != Home::None;
        check(queued == self.is_ready(job), "a job is queued just when it is ready")?;
        check(slot.prefix <= slot.images, "no more images are done than there are")?;
        check(slot.taken <= slot.images, "no more images are started than there are")?;
        check(slot.prefix <= slot.taken, "what is done was started")?;
        check(slot.fed <= slot.images, "no more images are fed than there are")?;
        check(slot.done & slot.busy == 0, "no image is done and in flight")?;
        check(slot.done & 1 == 0, "the image behind the done ones is not done")?;
        check(slot.stage != Stage::Ended || slot.leases == 0, "an ended job holds nothing")?;
        check(slot.stage != Stage::Ending || slot.leases > 0, "an ending job holds something")?;
        check(slot.is_over() == slot.outcome.is_some(), "a job has an outcome once it is over")?;
        check(
            slot.stage == Stage::Free || slot.is_over() || slot.skipped_by == NONE,
            "a job to be skipped is skipped",
        )
    }

    fn verify_leases_of(&self, job: u32) -> Check {
        let slot = self.job(job);
        let (mut count, mut busy, mut number) = (0, 0u64, None);
        let (mut lease, mut before) = (slot.first_lease, NONE);
        while lease != NONE {
            let held = self.lease(lease);
            check(held.is_live() && held.job == job, "a job's leases are its own")?;
            check(held.prev == before, "a job's leases are linked both ways")?;
            check(number < Some(held.number), "a job's leases stand in grant order")?;
            number = Some(held.number);
            count += 1;
            if slot.image_grain {
                for image in held.first..held.first + held.count {
                    let bit = 1u64.checked_shl(image.wrapping_sub(slot.prefix)).unwrap_or(0);
                    check(bit != 0 && busy & bit == 0, "images in flight are in the window, once")?;
                    busy |= bit;
                }
            } else {
                check(
                    held.count == 0 || held.first == slot.prefix,
                    "whole grain goes on where it stopped",
                )?;
            }
            before = lease;
            lease = held.next;
        }
        check(before == slot.last_lease, "the last lease is the last")?;
        check(count == slot.leases, "leases are counted")?;
        check(count <= slot.inflight, "no lease too many")?;
        check(busy == slot.busy, "what is in flight is marked")
    }

    fn verify_edges_of(&self, job: u32) -> Check {
        let slot = self.job(job);
        let mut barriers = 0;
        let mut next = slot.edges_in;
        while let Some(edge) = self.edge(next) {
            check(edge.to == job, "edges in lead in")?;
            barriers += u32::from(!edge.stream && !edge.satisfied);
            next = edge.next_in;
        }
        check(barriers == slot.barriers, "barriers are counted")?;
        for first in [slot.barriers_out, slot.streams_out] {
            let (mut next, mut before) = (first, NONE);
            while let Some(edge) = self.edge(next) {
                check(edge.from == job && edge.prev_out == before, "edges out lead out")?;
                check(edge.stream == (first == slot.streams_out), "edges are sorted by mode")?;
                before = next;
                next = edge.next_out;
            }
        }
        Ok(())
    }

    fn verify_leaders(&self) -> Check {
        let leaders = &self.tables.order[..self.leaders as usize];
        let in_order = leaders.is_sorted_by(|&a, &b| self.key(a) < self.key(b));
        check(in_order, "leaders stand in queue order")?;
        let alone = (0..self.used.jobs).filter(|&job| self.job(job).home == Home::Alone);
        let fronts = self.tables.lanes[..self.used.lanes as usize].iter();
        let count = alone.count() + fronts.filter(|lane| lane.front != NONE).count();
        check(count == leaders.len(), "leaders are lanes' fronts, and those by themselves")?;
        for &job in leaders {
            let slot = self.job(job);
            let front = self.tables.lanes[slot.lane as usize].front;
            check(slot.home == Home::Alone || front == job, "a leader leads")?;
            check(
                (slot.home == Home::Alone) == self.is_kept_away(job),
                "an entry leads by itself just when its own leases are in its way",
            )?;
        }
        Ok(())
    }

    fn verify_lanes(&self) -> Check {
        let mut listed = 0;
        for (at, lane) in self.tables.lanes[..self.used.lanes as usize].iter().enumerate() {
            for (queue, overdue) in [(&lane.overdue, true), (&lane.waiting, false)] {
                listed += self.verify_queue(queue, at as u32, overdue)?;
            }
            let (overdue, waiting) =
                (lane.overdue.least(self.tables.jobs), lane.waiting.least(self.tables.jobs));
            let front = if overdue == NONE { waiting } else { overdue };
            check(front == lane.front, "a lane's front is its least entry")?;
        }
        let queued = |slot: &&JobSlot| slot.home != Home::None;
        let alone = |slot: &&JobSlot| slot.home == Home::Alone;
        let jobs = &self.tables.jobs[..self.used.jobs as usize];
        check(jobs.iter().filter(queued).count() == self.queued as usize, "entries are counted")?;
        let all = listed + jobs.iter().filter(alone).count();
        check(all == self.queued as usize, "every entry is in one place")
    }

    /// Counts the entries of one queue of a lane.
    fn verify_queue(
        &self,
        queue: &EntryQueue,
        lane: u32,
        overdue: bool,
    ) -> Result<usize, &'static str> {
        let jobs = &self.tables.jobs;
        let least = queue.least(jobs);
        let (mut count, mut entry, mut before) = (0, queue.first(), NONE);
        while entry != NONE {
            let slot = self.job(entry);
            check(slot.lane == lane && slot.overdue == overdue, "an entry is in its own queue")?;
            check(slot.home != Home::None && slot.home != Home::Alone, "a listed entry says so")?;
            check(self.key(least) <= self.key(entry), "the least entry is the least")?;
            let in_order =
                slot.home != Home::List || before == NONE || self.key(before) < self.key(entry);
            check(in_order, "a lane's list is in order")?;
            before = entry;
            count += 1;
            entry = queue.after(jobs, entry);
        }
        Ok(count)
    }

    fn verify_shapes(&self) -> Check {
        for (at, shape) in self.tables.shapes[..self.used.shapes as usize].iter().enumerate() {
            let jobs = 0..self.used.jobs;
            let entries = jobs
                .filter(|&job| self.job(job).home != Home::None && self.shape_of(job) == at as u32);
            check(entries.count() == shape.entries as usize, "a shape's entries are counted")?;
            let units = &self.tables.units[..self.used.units as usize];
            let up = || units.iter().filter(|unit| unit.state == UnitState::Up);
            let matching = up().filter(|unit| shape.matches_needs(unit)).count();
            let instead = up().filter(|unit| shape.matches_instead(unit)).count();
            check(
                matching == shape.up as usize && instead == shape.cpus as usize,
                "a shape's units are counted",
            )?;
        }
        Ok(())
    }

    fn verify_ages(&self) -> Check {
        let (mut entry, mut before, mut count) = (self.oldest, NONE, 0);
        while entry != NONE {
            let slot = self.job(entry);
            check(slot.home != Home::None && !slot.overdue, "only waiting entries age")?;
            check(slot.older == before, "ages are linked both ways")?;
            check(before == NONE || self.job(before).entered <= slot.entered, "ages are in order")?;
            count += 1;
            before = entry;
            entry = slot.newer;
        }
        let waiting = |slot: &&JobSlot| slot.home != Home::None && !slot.overdue;
        let jobs = &self.tables.jobs[..self.used.jobs as usize];
        let all = jobs.iter().filter(waiting).count();
        let expected = if self.policy.patience.is_some() { all } else { 0 };
        check(before == self.newest && count == expected, "every waiting entry ages")
    }

    fn verify_unit(&self, unit: u32) -> Check {
        let slot = self.unit(unit);
        let (mut used, mut leased) = (0, 0u64);
        let (mut hold, mut before, mut number) = (slot.first_hold, NONE, None);
        while hold != NONE {
            let held = *self.lease(hold);
            let lease = self.lease(held.lease_of(hold));
            check(held.unit == unit && held.older == before, "holds are on their unit")?;
            check(lease.is_live() && number < Some(lease.number), "holds stand in grant order")?;
            number = Some(lease.number);
            used += 1;
            leased += self.shape(self.shape_of(lease.job)).memory;
            before = hold;
            hold = held.newer;
        }
        check(before == slot.last_hold, "the last hold is the last")?;
        check(used == slot.used && used <= slot.slots, "slots in use are counted")?;
        check(leased == slot.taken - slot.pinned, "leased memory is counted")?;
        let (mut pinned, mut resident) = (0, 0);
        for model in 0..self.used.models {
            let residency = &self.tables.residency[self.residency_at(unit, model)];
            let weights = self.tables.models[model as usize].weights;
            let pins = self.leases_using(unit, model);
            check(pins == residency.pins, "pins are counted")?;
            pinned += if pins > 0 { weights } else { 0 };
            resident += if residency.resident { weights } else { 0 };
        }
        check(leased + pinned == slot.taken, "taken memory is counted")?;
        check(resident == slot.resident, "resident weights are counted")?;
        check(pinned == slot.pinned, "pinned weights are counted")?;
        check(resident == 0 || slot.has_models, "a unit with models says so")?;
        check(slot.taken <= slot.budget, "no more is taken than the budget")?;
        check(leased + resident <= slot.budget, "what is resident fits")?;
        let open = slot.state == UnitState::Up && slot.used < slot.slots;
        check(open == slot.is_open, "a unit is open just when it can be leased")?;
        let listed = &self.tables.open[..self.open as usize];
        check(open == listed.contains(&unit), "open units are listed")?;
        let in_order = listed.is_sorted_by(|&a, &b| self.standing(a) > self.standing(b));
        check(in_order, "open units stand in placement order, the best last")
    }

    fn leases_using(&self, unit: u32, model: u32) -> u32 {
        (0..self.used.leases)
            .filter(|&lease| {
                let slot = self.lease(lease);
                slot.is_live()
                    && self.shape(self.shape_of(slot.job)).model == model
                    && self.held_by(lease).any(|held| held == unit)
            })
            .count() as u32
    }

    fn verify_streams(&self) -> Check {
        for (at, stream) in self.tables.streams[..self.used.streams as usize].iter().enumerate() {
            let leases = self.tables.leases[..self.used.leases as usize].iter();
            let mine = leases.filter(|lease| {
                lease.is_live() && self.shape(self.shape_of(lease.job)).stream == at as u32
            });
            check(mine.count() == stream.leases as usize, "a stream's leases are counted")?;
            check(stream.leases <= stream.limit, "a stream keeps its limit")?;
        }
        Ok(())
    }

    fn verify_starved(&self) -> Check {
        let (mut lease, mut before, mut listed) = (self.first_starved, NONE, 0);
        while lease != NONE {
            let slot = self.lease(lease);
            check(slot.starved && slot.prev_starved == before, "the starved are linked")?;
            listed += 1;
            before = lease;
            lease = slot.next_starved;
        }
        let mut starved = 0;
        for slot in &self.tables.leases[..self.used.leases as usize] {
            let is_starved = slot.is_live() && slot.count == 0 && slot.revoked.is_none();
            check(slot.starved == is_starved, "a lease with nothing in flight is starved")?;
            starved += u32::from(is_starved);
            let late = slot.is_live() && slot.count > 0 && slot.revoked.is_none();
            let bounded = late && self.job(slot.job).timeout != u64::MAX;
            check(!bounded || self.next_deadline <= slot.deadline, "no deadline is forgotten")?;
        }
        check(listed == starved, "the starved are listed")
    }

    /// Nothing is lost from the tables: what is free and what is used is all there is.
    fn verify_tables(&self) -> Check {
        let live = self.tables.leases[..self.used.leases as usize].iter();
        let live = live.filter(|lease| lease.is_live()).count() as u32;
        check(live == self.live_leases, "leases are counted")?;
        let mut free = 0;
        let mut lease = self.free.leases;
        while lease != NONE {
            free += 1;
            lease = self.lease(lease).next;
        }
        let held: u32 = (0..self.used.units).map(|unit| self.unit(unit).used).sum();
        check(held + free == self.used.leases, "no hold is lost")?;
        let mut free = 0;
        let mut job = self.free.jobs;
        while job != NONE {
            free += 1;
            check(self.job(job).stage == Stage::Free, "a free slot is free")?;
            job = self.job(job).next;
        }
        let jobs = &self.tables.jobs[..self.used.jobs as usize];
        let live = jobs.iter().filter(|slot| slot.stage != Stage::Free).count();
        check(live + free == jobs.len(), "no job is lost")?;
        let most = jobs.iter().filter(|slot| !matches!(slot.stage, Stage::Free | Stage::Ended));
        let holds = |slot: &JobSlot| slot.most_leases() * u64::from(self.shape(slot.shape).gpus);
        check(most.map(holds).sum::<u64>() == self.demand.holds, "the demand is counted")
    }
}
