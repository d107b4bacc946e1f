//! A board that only pretends, in virtual time, without an allocator: `Driver` and `Sim` for one
//! line of known size.

use core::fmt::Write;

use lineside_core::{AddError, Edge, Event, JobId, LeaseId, Mode, Nanos, On, Scheduler, UnitId};
use lineside_golden::write_event;

use crate::line::{self, EDGES, JOBS, Way};

/// Leases at once: as many as the units have slots.
pub const LEASES: usize = 4;

/// What runs, what is asked back, and what is still to come.
pub struct Board<'o> {
    out: &'o mut dyn Write,
    running: [Option<Running>; LEASES],
    /// Asked back, in the order in which they were.
    revoked: [Option<LeaseId>; LEASES],
    /// Is the lease cold that was granted last, if it has not started yet?
    granted: Option<bool>,
    jobs: [Option<JobId>; JOBS],
    /// Images of the camera so far.
    fed: u32,
    lost: bool,
    back: bool,
}

/// A start. Those that end at one time are told by unit, then in grant order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Running {
    end: Nanos,
    unit: u32,
    number: u64,
    lease: LeaseId,
}

impl<'o> Board<'o> {
    /// Nothing runs. Events are written as a trace.
    pub fn new(out: &'o mut dyn Write) -> Self {
        Board {
            out,
            running: [None; LEASES],
            revoked: [None; LEASES],
            granted: None,
            jobs: [None; JOBS],
            fed: 0,
            lost: false,
            back: false,
        }
    }

    /// Hands the core all models, streams, units and jobs of the line.
    ///
    /// # Errors
    ///
    /// [`AddError`] if the memory is too small.
    pub fn set_up(&mut self, scheduler: &mut Scheduler<'_>) -> Result<(), AddError> {
        for (model, _) in line::MODEL_SPECS {
            scheduler.add_model(model)?;
        }
        scheduler.add_stream(line::LIGHT)?;
        for unit in &line::UNIT_SPECS {
            scheduler.add_unit(unit)?;
        }
        for job in 0..JOBS {
            let mut edges = [Edge::barrier(JobId { index: 0, generation: 0 }); EDGES];
            let mut count = 0;
            for (_, from, way) in line::WAYS.into_iter().filter(|way| way.0 == job) {
                // Ways lead from a job to a later one.
                let Some(upstream) = self.jobs[from] else { continue };
                edges[count] = edge(upstream, way);
                count += 1;
            }
            let id = scheduler.submit(0, &line::spec(job), &edges[..count], &mut self.listen())?;
            self.jobs[job] = Some(id);
        }
        Ok(())
    }

    /// Runs until nothing is pending.
    pub fn run(&mut self, scheduler: &mut Scheduler<'_>) {
        while let Some(now) = self.next_instant(scheduler) {
            self.finish(scheduler, now);
            self.expire(scheduler, now);
            self.lose(scheduler, now);
            self.feed(scheduler, now);
            self.decide(scheduler, now);
        }
    }

    fn next_instant(&self, scheduler: &Scheduler<'_>) -> Option<Nanos> {
        let end = self.running.iter().flatten().map(|running| running.end).min();
        let (_, down, up) = line::LOST;
        let feed = (self.fed < line::spec(0).images).then(|| line::EVERY * u64::from(self.fed));
        let down = (!self.lost).then_some(down);
        let up = (!self.back).then_some(up);
        [end, feed, down, up, scheduler.poll_timeout()].into_iter().flatten().min()
    }

    fn finish(&mut self, scheduler: &mut Scheduler<'_>, now: Nanos) {
        while let Some(next) = self.running.iter().flatten().min().copied() {
            if next.end > now {
                break;
            }
            self.running[next.lease.index as usize] = None;
            let finished = scheduler.finish(now, next.lease, &mut self.listen());
            assert!(finished.is_ok(), "what runs was not revoked");
            self.give_back(scheduler, now);
        }
    }

    fn expire(&mut self, scheduler: &mut Scheduler<'_>, now: Nanos) {
        loop {
            if scheduler.handle_timeout(now, &mut self.listen()).is_none() {
                break;
            }
            self.give_back(scheduler, now);
        }
    }

    fn lose(&mut self, scheduler: &mut Scheduler<'_>, now: Nanos) {
        let (unit, down, up) = line::LOST;
        if !self.lost && down <= now {
            self.lost = true;
            let known = scheduler.down(now, UnitId(unit), &mut self.listen());
            assert!(known.is_ok(), "the unit was added");
            self.give_back(scheduler, now);
        }
        if !self.back && up <= now {
            self.back = true;
            let known = scheduler.up(now, UnitId(unit), &mut self.listen());
            assert!(known.is_ok(), "the unit was added");
        }
    }

    /// The jobs arrive, the first of them with one image; later the camera brings it the others.
    fn feed(&mut self, scheduler: &mut Scheduler<'_>, now: Nanos) {
        if self.fed >= line::spec(0).images || line::EVERY * u64::from(self.fed) > now {
            return;
        }
        let first = self.fed == 0;
        self.fed += 1;
        let jobs = self.jobs;
        if first {
            for (at, id) in jobs.into_iter().enumerate() {
                let images = if at == 0 { 1 } else { line::spec(at).images };
                let arrived = id.map(|id| scheduler.arrive(now, id, images, &mut self.listen()));
                assert!(matches!(arrived, Some(Ok(_))), "the job was submitted");
            }
        } else {
            let fed = jobs[0].map(|id| scheduler.feed(now, id, &mut self.listen()));
            assert!(matches!(fed, Some(Ok(_))), "the job has not ended");
        }
    }

    /// Grants until nothing more can be granted, breaks a circle, and again.
    fn decide(&mut self, scheduler: &mut Scheduler<'_>, now: Nanos) {
        loop {
            while let Some(choice) = scheduler.choose(now) {
                choice.grant(&mut self.listen());
            }
            if scheduler.break_circle(now, &mut self.listen()).is_none() {
                break;
            }
            self.give_back(scheduler, now);
        }
    }

    /// Stops what is asked back: here that takes no time.
    fn give_back(&mut self, scheduler: &mut Scheduler<'_>, now: Nanos) {
        while let Some(lease) = self.revoked[0] {
            self.revoked.rotate_left(1);
            self.revoked[LEASES - 1] = None;
            self.running[lease.index as usize] = None;
            let given = scheduler.given_back(now, lease, &mut self.listen());
            assert!(given.is_ok(), "it was revoked a moment ago");
        }
    }

    /// The closure that every call of the core is given: if it is one, the core is compiled once.
    fn listen(&mut self) -> impl FnMut(&Scheduler<'_>, Event) {
        |core: &Scheduler<'_>, event| self.handle(core, event)
    }

    /// Writes an event, and takes down what is to be done.
    fn handle(&mut self, scheduler: &Scheduler<'_>, event: Event) {
        let written = write_event(self.out, &line::NAMES, scheduler, event);
        assert!(written.is_ok(), "the host takes what is written");
        match event {
            Event::Grant { cold, .. } => self.granted = Some(cold),
            Event::Start { job, lease, count, .. } => {
                let time = duration(job.index as usize, count, self.granted.take());
                let units = scheduler.units_of(lease).into_iter().flatten();
                let unit = units.map(|unit| unit.0).min().unwrap_or(u32::MAX);
                let number = scheduler.number_of(lease).unwrap_or(u64::MAX);
                let end = scheduler.now() + time;
                self.running[lease.index as usize] = Some(Running { end, unit, number, lease });
            }
            Event::Revoke { lease, .. } => {
                let free = self.revoked.iter_mut().find(|place| place.is_none());
                *free.expect("no lease is revoked twice") = Some(lease);
            }
            Event::Ready { .. }
            | Event::Evict { .. }
            | Event::Done { .. }
            | Event::Fail { .. }
            | Event::Release { .. }
            | Event::End { .. }
            | Event::Unit { .. } => {}
        }
    }
}

fn edge(upstream: JobId, way: Way) -> Edge {
    match way {
        Way::Stream(depth) => Edge::stream(upstream, depth),
        Way::Done => Edge::barrier(upstream),
        Way::Ended => Edge { upstream, mode: Mode::Barrier { on: On::End } },
    }
}

/// How long a start takes; `opens` is there for the first of a lease, and says whether it is cold.
fn duration(job: usize, count: u32, opens: Option<bool>) -> Nanos {
    let (startup, time) = line::TIMES[job];
    let mut total = time * u64::from(count);
    if let Some(cold) = opens {
        total += startup;
        if let (true, Some(model)) = (cold, line::spec(job).model) {
            total += line::MODEL_SPECS[model.0 as usize].1;
        }
    }
    total
}
