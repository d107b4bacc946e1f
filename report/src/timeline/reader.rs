//! One pass over the entries.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use lineside_line::Line;
use lineside_line::trace::{RevokeCause, UnitState};

use super::{
    Eviction, How, JobTrack, Lease, Outage, Place, Start, Timeline, UnitTrack, Wait, WaitOutcome,
};
use crate::record::{Record, What};

pub(super) fn read<'a>(line: &'a Line, record: &'a Record) -> Timeline<'a> {
    let mut reader = Reader::new(line, record);
    for entry in &record.entries {
        // A clock that was set back must not make a wait negative.
        reader.now = reader.now.max(entry.t);
        reader.apply(&entry.what);
    }
    reader.finish()
}

struct Reader<'a> {
    now: u64,
    timeline: Timeline<'a>,
    /// Leases whose number isn't their place in the order of grants.
    renumbered: HashMap<u64, u32>,
    /// The start in flight of each lease.
    in_flight: Vec<Option<u32>>,
    /// The wait of each job that is in the queue.
    queued: Vec<Option<u32>>,
    queue_length: u32,
    units: Vec<UnitNow>,
}

/// A unit as the reading goes on.
#[derive(Default)]
struct UnitNow {
    held: Span,
    busy: Span,
    free_lanes: BinaryHeap<Reverse<u32>>,
    outage: Option<(UnitState, u64)>,
}

/// How many there are of something, since when, and for how long there has been any.
#[derive(Default)]
struct Span {
    now: u32,
    since: u64,
    total: u64,
}

impl Span {
    fn enter(&mut self, t: u64) {
        if self.now == 0 {
            self.since = t;
        }
        self.now += 1;
    }

    fn leave(&mut self, t: u64) {
        self.now = self.now.saturating_sub(1);
        if self.now == 0 {
            self.total += t - self.since;
        }
    }
}

impl<'a> Reader<'a> {
    fn new(line: &'a Line, record: &'a Record) -> Reader<'a> {
        Reader {
            now: 0,
            timeline: Timeline {
                line,
                end: 0,
                leases: Vec::new(),
                places: Vec::new(),
                starts: Vec::new(),
                waits: Vec::new(),
                jobs: vec![JobTrack::default(); line.jobs.len()],
                units: vec![UnitTrack::default(); line.units.len()],
                outages: Vec::new(),
                evictions: Vec::new(),
                queue: Vec::new(),
                stuck: &record.stuck,
                cpu: record.cpu,
            },
            renumbered: HashMap::new(),
            in_flight: Vec::new(),
            queued: vec![None; line.jobs.len()],
            queue_length: 0,
            units: line.units.iter().map(|_| UnitNow::default()).collect(),
        }
    }

    fn apply(&mut self, what: &'a What) {
        match what {
            What::Ready { job, ticket } => self.ready(*job, *ticket),
            What::Evict { unit, model } => self.evict(*unit, *model),
            What::Grant { .. } => self.grant(what),
            What::Start { lease, first, count, .. } => self.start(*lease, *first, *count),
            What::Done { lease, .. } => self.land(*lease, How::Done),
            What::Fail { lease, .. } => self.land(*lease, How::Failed),
            What::Revoke { job, lease, cause } => self.revoke(*job, *lease, *cause),
            What::Release { lease, .. } => self.release(*lease),
            What::End { job, end } => {
                self.leave_queue(*job, WaitOutcome::Left);
                if let Some(track) = self.timeline.jobs.get_mut(*job as usize) {
                    track.end = Some((self.now, *end));
                }
            }
            What::Unit { unit, state } => self.unit(*unit, *state),
        }
    }

    fn ready(&mut self, job: u32, ticket: u64) {
        let Some(queued) = self.queued.get_mut(job as usize) else { return };
        if let Some(wait) = *queued {
            self.timeline.waits[wait as usize].ticket = ticket;
            return;
        }
        *queued = Some(self.timeline.waits.len() as u32);
        let (from, to) = (self.now, self.now);
        self.timeline.waits.push(Wait { job, ticket, from, to, outcome: WaitOutcome::Open });
        self.timeline.jobs[job as usize].first_ready.get_or_insert(self.now);
        self.set_queue_length(self.queue_length + 1);
    }

    fn leave_queue(&mut self, job: u32, outcome: WaitOutcome) -> Option<u32> {
        let wait = self.queued.get_mut(job as usize)?.take()?;
        let entry = &mut self.timeline.waits[wait as usize];
        entry.to = self.now;
        entry.outcome = outcome;
        self.set_queue_length(self.queue_length - 1);
        Some(wait)
    }

    fn set_queue_length(&mut self, length: u32) {
        self.queue_length = length;
        match self.timeline.queue.last_mut() {
            Some(last) if last.0 == self.now => last.1 = length,
            _ => self.timeline.queue.push((self.now, length)),
        }
    }

    fn grant(&mut self, what: &'a What) {
        let What::Grant { job, lease: number, units, ticket, cold, fallback, why } = what else {
            return;
        };
        let Some(track) = self.timeline.jobs.get_mut(*job as usize) else { return };
        track.grants += 1;
        track.cold += u64::from(*cold);
        track.fallbacks += u64::from(*fallback);
        let lease = self.timeline.leases.len() as u32;
        if *number != u64::from(lease) {
            self.renumbered.insert(*number, lease);
        }
        let first_place = self.timeline.places.len() as u32;
        for &unit in units {
            self.take_lane(unit);
        }
        let wait = self.leave_queue(*job, WaitOutcome::Granted(lease));
        self.in_flight.push(None);
        self.timeline.leases.push(Lease {
            number: *number,
            job: *job,
            places: first_place..self.timeline.places.len() as u32,
            starts: 0..0,
            from: self.now,
            to: self.now,
            released: false,
            ticket: *ticket,
            cold: *cold,
            fallback: *fallback,
            why: why.as_deref(),
            revoked: None,
            wait,
        });
    }

    fn take_lane(&mut self, unit: u32) {
        let Some(now) = self.units.get_mut(unit as usize) else { return };
        now.held.enter(self.now);
        let track = &mut self.timeline.units[unit as usize];
        let lane = now.free_lanes.pop().map_or(track.lanes, |Reverse(lane)| lane);
        track.lanes = track.lanes.max(lane + 1);
        self.timeline.places.push(Place { unit, lane });
    }

    /// The lease of this number, if it was granted and is not yet over.
    fn lease(&self, number: u64) -> Option<u32> {
        let same = |lease: &Lease<'_>| lease.number == number && !lease.released;
        let lease = match self.timeline.leases.get(usize::try_from(number).ok()?) {
            Some(lease) if lease.number == number => number as u32,
            _ => *self.renumbered.get(&number)?,
        };
        same(&self.timeline.leases[lease as usize]).then_some(lease)
    }

    fn start(&mut self, number: u64, first: u32, count: u32) {
        let Some(lease) = self.lease(number) else { return };
        self.land(number, How::Cut);
        self.in_flight[lease as usize] = Some(self.timeline.starts.len() as u32);
        let (from, to) = (self.now, self.now);
        let how = How::Open;
        self.timeline.starts.push(Start { lease, from, to, first, count, how });
        let job = self.timeline.leases[lease as usize].job;
        self.timeline.jobs[job as usize].first_start.get_or_insert(self.now);
        for place in self.timeline.leases[lease as usize].places.clone() {
            let unit = self.timeline.places[place as usize].unit;
            self.units[unit as usize].busy.enter(self.now);
        }
    }

    /// Ends what a lease has in flight, if it has anything.
    fn land(&mut self, number: u64, how: How) {
        let Some(lease) = self.lease(number) else { return };
        let Some(at) = self.in_flight[lease as usize].take() else { return };
        let start = &mut self.timeline.starts[at as usize];
        start.to = self.now;
        start.how = how;
        let count = start.count;
        let lease = &self.timeline.leases[lease as usize];
        let track = &mut self.timeline.jobs[lease.job as usize];
        match how {
            How::Done => track.images += u64::from(count),
            How::Failed => track.failures += 1,
            How::Cut | How::Open => {}
        }
        for place in lease.places.clone() {
            let unit = self.timeline.places[place as usize].unit;
            self.units[unit as usize].busy.leave(self.now);
        }
    }

    fn revoke(&mut self, job: u32, number: u64, cause: RevokeCause) {
        if let Some(lease) = self.lease(number) {
            let revoked = &mut self.timeline.leases[lease as usize].revoked;
            *revoked = revoked.or(Some((self.now, cause)));
        }
        match cause {
            // The job is ending: its entry has left the queue, though `end` may come later.
            RevokeCause::Cancel | RevokeCause::Skipped | RevokeCause::Failed => {
                self.leave_queue(job, WaitOutcome::Left);
            }
            RevokeCause::Timeout | RevokeCause::Device | RevokeCause::Circle => {}
        }
    }

    fn release(&mut self, number: u64) {
        let Some(at) = self.lease(number) else { return };
        self.land(number, How::Cut);
        let lease = &mut self.timeline.leases[at as usize];
        lease.to = self.now;
        lease.released = true;
        for place in lease.places.clone() {
            let Place { unit, lane } = self.timeline.places[place as usize];
            let now = &mut self.units[unit as usize];
            now.held.leave(self.now);
            now.free_lanes.push(Reverse(lane));
        }
    }

    fn evict(&mut self, unit: u32, model: u32) {
        let line = self.timeline.line;
        if (unit as usize) < line.units.len() && (model as usize) < line.models.len() {
            self.timeline.evictions.push(Eviction { t: self.now, unit, model });
        }
    }

    fn unit(&mut self, unit: u32, state: UnitState) {
        let Some(now) = self.units.get_mut(unit as usize) else { return };
        if let Some((state, from)) = now.outage.take() {
            self.timeline.outages.push(Outage { unit, state, from, to: self.now });
        }
        if state != UnitState::Up {
            now.outage = Some((state, self.now));
        }
    }

    fn finish(mut self) -> Timeline<'a> {
        let end = self.now;
        self.timeline.end = end;
        self.close_what_is_open(end);
        self.group_starts();
        for wait in self.queued.into_iter().flatten() {
            self.timeline.waits[wait as usize].to = end;
        }
        for (unit, now) in self.units.into_iter().enumerate() {
            let track = &mut self.timeline.units[unit];
            track.held = now.held.total;
            track.busy = now.busy.total;
            if let Some((state, from)) = now.outage {
                self.timeline.outages.push(Outage { unit: unit as u32, state, from, to: end });
            }
        }
        self.timeline.outages.sort_by_key(|outage| outage.from);
        self.timeline
    }

    fn close_what_is_open(&mut self, end: u64) {
        for at in self.in_flight.iter().flatten() {
            self.timeline.starts[*at as usize].to = end;
        }
        for lease in self.timeline.leases.iter_mut().filter(|lease| !lease.released) {
            lease.to = end;
        }
        for now in &mut self.units {
            for span in [&mut now.held, &mut now.busy] {
                if span.now > 0 {
                    span.total += end - span.since;
                }
            }
        }
    }

    /// Puts the starts of each lease together. The sort is stable, so their order stays.
    fn group_starts(&mut self) {
        let starts = &mut self.timeline.starts;
        starts.sort_by_key(|start| start.lease);
        let mut at = 0;
        for lease in starts.chunk_by(|a, b| a.lease == b.lease) {
            let next = at + lease.len() as u32;
            self.timeline.leases[lease[0].lease as usize].starts = at..next;
            at = next;
        }
    }
}
