//! Breaking circles: a starved lease that holds what it waits for is asked back (semantics,
//! section 5).
//!
//! The rules mark every job that something moving will move. To be marked is to reach a moving job
//! over waits, so each job that matters is asked for itself, and the search ends at the first
//! moving job it meets. Only starved leases and what could free them are ever looked at.

use crate::event::{Event, RevokeCause};
use crate::id::{LeaseId, NONE};
use crate::queue::Home;
use crate::scheduler::Scheduler;
use crate::slot::{JobSlot, LeaseSlot, Stage};
use crate::spec::Nanos;

/// One search for circles.
#[derive(Debug, Clone, Copy)]
struct Marks {
    /// Known to be moved by something.
    moving: u64,
    /// Known to be moved by nothing.
    stuck: u64,
    /// Met by the question that is being asked.
    seen: u64,
    /// The last job that the question has still to look at.
    tail: u32,
}

impl Scheduler<'_> {
    /// Revokes a starved lease that nothing else will free, if there is one, and says which.
    ///
    /// To be called when [`choose`](Self::choose) finds nothing; then choose again. While something
    /// can be granted there is nothing to break. O(1) while no lease is starved.
    pub fn break_circle(
        &mut self,
        now: Nanos,
        out: &mut impl FnMut(&Scheduler<'_>, Event),
    ) -> Option<LeaseId> {
        self.set_clock(now);
        if self.first_starved == NONE {
            return None;
        }
        let lease = self.find_circle()?;
        self.revoke(lease, RevokeCause::Circle, out);
        self.settle(out);
        Some(self.lease_id(lease))
    }

    fn find_circle(&mut self) -> Option<u32> {
        let mut marks =
            Marks { moving: self.new_stamp(), stuck: self.new_stamp(), seen: 0, tail: NONE };
        self.promote_overdue();
        if self.search().is_some() {
            return None;
        }
        let mut any_stuck = false;
        let mut lease = self.first_starved;
        while lease != NONE {
            let LeaseSlot { job, next_starved, .. } = *self.lease(lease);
            any_stuck |= !self.moves(job, &mut marks);
            lease = next_starved;
        }
        if !any_stuck {
            return None;
        }
        let mut found: Option<u32> = None;
        for position in 0..self.leaders {
            let leader = self.tables.order[position as usize];
            let Some(lease) = self.latest_in_the_way(leader, &marks) else { continue };
            let later = |found| self.lease(lease).number > self.lease(found).number;
            if found.is_none_or(later) && self.leads_a_stuck_entry(leader, &mut marks) {
                found = Some(lease);
            }
        }
        found
    }

    /// Of the starved leases of stuck jobs that are on its candidates or in its limited stream, the
    /// one granted last.
    fn latest_in_the_way(&self, leader: u32, marks: &Marks) -> Option<u32> {
        let shape = self.shape_of(leader);
        let mut latest: Option<u32> = None;
        let mut lease = self.first_starved;
        while lease != NONE {
            let LeaseSlot { job, next_starved, number, .. } = *self.lease(lease);
            let later = latest.is_none_or(|latest| number > self.lease(latest).number);
            if later
                && self.job(job).mark == marks.stuck
                && (self.share_stream(shape, self.shape_of(job))
                    || self.held_by(lease).any(|unit| self.is_candidate(leader, shape, unit)))
            {
                latest = Some(lease);
            }
            lease = next_starved;
        }
        latest
    }

    /// Is this entry stuck, or one behind it in its lane?
    fn leads_a_stuck_entry(&mut self, leader: u32, marks: &mut Marks) -> bool {
        if self.job(leader).home == Home::Alone {
            return !self.moves(leader, marks);
        }
        if self.units_move(leader, marks) {
            // What is on the units of one entry of a lane is on those of all.
            return false;
        }
        let lane = self.tables.lanes[self.job(leader).lane as usize];
        [lane.overdue, lane.waiting].into_iter().any(|queue| {
            let mut entry = queue.first();
            while entry != NONE {
                if !self.moves(entry, marks) {
                    return true;
                }
                entry = queue.after(self.tables.jobs, entry);
            }
            false
        })
    }

    fn units_move(&mut self, leader: u32, marks: &mut Marks) -> bool {
        let shape = self.shape_of(leader);
        let stream = self.limited_stream(shape);
        (0..self.used.leases).any(|lease| {
            let slot = self.lease(lease);
            let job = slot.job;
            slot.is_live()
                && (stream.is_some() && stream == self.limited_stream(self.shape_of(job))
                    || self.held_by(lease).any(|unit| self.is_candidate(leader, shape, unit)))
                && self.moves(job, marks)
        })
    }

    /// Is the job moving, or does it wait, over any number of steps, for one that is?
    fn moves(&mut self, job: u32, marks: &mut Marks) -> bool {
        if self.moves_itself(job) || self.job(job).mark == marks.moving {
            return true;
        }
        if self.job(job).mark == marks.stuck {
            return false;
        }
        marks.seen = self.new_stamp();
        marks.tail = job;
        let slot = self.job_mut(job);
        (slot.mark, slot.trail) = (marks.seen, NONE);
        let mut next = job;
        while next != NONE {
            if self.waits_for_moving(next, marks) {
                self.job_mut(job).mark = marks.moving;
                return true;
            }
            next = self.job(next).trail;
        }
        // All that was met reaches nothing beyond what was met.
        let mut next = job;
        while next != NONE {
            self.job_mut(next).mark = marks.stuck;
            next = self.job(next).trail;
        }
        false
    }

    /// Puts a job at the end of the trail.
    fn follow(&mut self, job: u32, marks: &mut Marks) {
        let slot = self.job_mut(job);
        (slot.mark, slot.trail) = (marks.seen, NONE);
        self.job_mut(marks.tail).trail = job;
        marks.tail = job;
    }

    /// Has it images in flight, a lease to be given back, or something to come from outside?
    fn moves_itself(&self, job: u32) -> bool {
        let slot = self.job(job);
        if slot.stage == Stage::Held || slot.fed < slot.images {
            return true;
        }
        let mut lease = slot.first_lease;
        while lease != NONE {
            let LeaseSlot { count, revoked, next, .. } = *self.lease(lease);
            if count > 0 || revoked.is_some() {
                return true;
            }
            lease = next;
        }
        false
    }

    /// A job waits for another: is that one moving? If it is not known, it is to be looked at.
    fn meets(&mut self, job: u32, marks: &mut Marks) -> bool {
        let JobSlot { stage, mark, .. } = *self.job(job);
        if stage == Stage::Ended || mark == marks.stuck || mark == marks.seen {
            return false;
        }
        if mark == marks.moving || self.moves_itself(job) {
            return true;
        }
        self.follow(job, marks);
        false
    }

    /// Looks at all that this job waits for.
    fn waits_for_moving(&mut self, job: u32, marks: &mut Marks) -> bool {
        if self.job(job).home == Home::None {
            self.image_waits(job, marks)
        } else {
            self.unit_waits(job, marks) || self.withheld_waits(job, marks)
        }
    }

    /// The upstreams that give it no image, and the downstreams that hold it back.
    fn image_waits(&mut self, job: u32, marks: &mut Marks) -> bool {
        let head = self.job(job).head();
        let mut next = self.job(job).edges_in;
        while let Some(&edge) = self.edge(next) {
            let waits = match self.stream_upstream(&edge) {
                Some(upstream) => self.job(upstream).prefix <= head,
                None => !edge.stream && !edge.satisfied,
            };
            if waits && self.meets(edge.from, marks) {
                return true;
            }
            next = edge.next_in;
        }
        let mut next = self.job(job).streams_out;
        while let Some(&edge) = self.edge(next) {
            let held = self.bound(&edge).is_some_and(|bound| head >= bound);
            if held && self.meets(edge.to, marks) {
                return true;
            }
            next = edge.next_out;
        }
        false
    }

    /// The jobs with leases on its candidates, or in its limited stream.
    fn unit_waits(&mut self, job: u32, marks: &mut Marks) -> bool {
        let shape = self.shape_of(job);
        (0..self.used.leases).any(|lease| {
            let slot = self.lease(lease);
            let other = slot.job;
            slot.is_live()
                && (self.share_stream(shape, self.shape_of(other))
                    || self.held_by(lease).any(|unit| self.is_candidate(job, shape, unit)))
                && self.meets(other, marks)
        })
    }

    /// The entries ahead that withheld a candidate or the stream from it in the last walk.
    fn withheld_waits(&mut self, job: u32, marks: &mut Marks) -> bool {
        let key = self.key(job);
        (0..self.leaders).any(|position| {
            let leader = self.tables.order[position as usize];
            if self.key(leader) >= key
                || !self.withheld_in_walk(leader)
                || !self.withholds_from(leader, job)
            {
                return false;
            }
            self.meets(leader, marks) || self.followers_withhold(leader, job, marks)
        })
    }

    /// Was this leader blocked, and has it withheld what it could use?
    fn withheld_in_walk(&self, leader: u32) -> bool {
        let shape = self.shape_of(leader);
        let shape_is_blocked = self.shape(shape).blocked == self.search;
        let itself = if self.job(leader).home == Home::Alone {
            self.job(leader).stamp == self.search
        } else {
            shape_is_blocked && self.is_first_of_shape(leader, shape)
        };
        // Once its stream is withheld, those behind it in the same stream are passed over.
        let like_the_first = shape_is_blocked && self.limited_stream(shape).is_none();
        (itself || like_the_first) && self.withholds(&self.entry(leader))
    }

    fn is_first_of_shape(&self, leader: u32, shape: u32) -> bool {
        let leaders = &self.tables.order[..self.leaders as usize];
        let in_lane =
            |&&other: &&u32| self.shape_of(other) == shape && self.job(other).home != Home::Alone;
        leaders.iter().find(in_lane) == Some(&leader)
    }

    /// Do they share a candidate, or a limited stream?
    fn withholds_from(&self, leader: u32, job: u32) -> bool {
        let (one, other) = (self.shape_of(leader), self.shape_of(job));
        self.share_stream(one, other)
            || (0..self.used.units).any(|unit| {
                self.is_candidate(leader, one, unit) && self.is_candidate(job, other, unit)
            })
    }

    /// Entries behind a leader in its lane, and ahead of `job`, withhold the same.
    fn followers_withhold(&mut self, leader: u32, job: u32, marks: &mut Marks) -> bool {
        let shape = self.shape_of(leader);
        if self.job(leader).home == Home::Alone || self.limited_stream(shape).is_some() {
            return false;
        }
        let key = self.key(job);
        let lane = self.tables.lanes[self.job(leader).lane as usize];
        [lane.overdue, lane.waiting].into_iter().any(|queue| {
            let mut entry = queue.first();
            while entry != NONE {
                if self.key(entry) < key && self.meets(entry, marks) {
                    return true;
                }
                entry = queue.after(self.tables.jobs, entry);
            }
            false
        })
    }
}
