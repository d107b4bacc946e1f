//! The loop that brings core and backend together (semantics, section 6).

use alloc::collections::{BinaryHeap, VecDeque};
use alloc::vec::Vec;
use core::cmp::Reverse;

use lineside_core::{
    AddError, Edge, Event, InputError, JobId, LeaseId, Mode, Nanos, On, Reason, Scheduler, UnitId,
};

use crate::backend::{Backend, News, Start, Stop};
use crate::tables::most_leases;
use crate::workload::{Happening, WorkEdge, WorkJob, Workload};

/// Looks on.
pub trait Observer {
    /// Something happened. The scheduler is as it is at that moment.
    fn event(&mut self, scheduler: &Scheduler<'_>, event: Event);

    /// Does it want to know why, before each grant? That costs some time.
    fn wants_reasons(&self) -> bool {
        false
    }

    /// Why the grant that follows is made.
    fn reason(&mut self, reason: Reason) {
        let _ = reason;
    }
}

/// Looks on through a closure.
impl<F: FnMut(&Scheduler<'_>, Event)> Observer for F {
    fn event(&mut self, scheduler: &Scheduler<'_>, event: Event) {
        self(scheduler, event);
    }
}

/// Runs a workload on a backend.
///
/// Rounds: wait for the next instant; hand the core what is pending then (news of the backend,
/// deadlines, faults, arrivals, images, in that order); grant until nothing more can be granted and
/// no circle is left.
///
/// ```
/// use lineside_backends::{Class, Driver, Sim, Tables, WorkJob, Workload};
/// use lineside_core::{Event, Place, Scheduler, UnitSpec};
///
/// let workload = Workload {
///     units: vec![UnitSpec { place: Place::Cuda, budget: 1, slots: 1, profile: None }],
///     classes: vec![Class { time: vec![10], ..Class::default() }],
///     jobs: vec![WorkJob::default(); 3],
///     ..Workload::default()
/// };
/// let mut tables = Tables::for_workload(&workload);
/// let mut grants = 0;
/// let mut count = |_: &Scheduler, event: Event| {
///     grants += u32::from(matches!(event, Event::Grant { .. }));
/// };
/// let mut driver = Driver::new(&workload, tables.storage(), Sim::new(&workload), &mut count)?;
/// driver.run(&mut count);
/// assert_eq!(driver.scheduler().now(), 30);
/// assert_eq!(grants, 3);
/// # Ok::<(), lineside_core::AddError>(())
/// ```
#[derive(Debug)]
pub struct Driver<'a, B> {
    workload: &'a Workload,
    scheduler: Scheduler<'a>,
    backend: B,
    outbox: Outbox,
    /// Jobs by arrival, then index; how many have arrived.
    arrivals: Vec<u32>,
    arrived: usize,
    /// The next image of each job that is fed image by image.
    feeds: BinaryHeap<Reverse<Feed>>,
    /// Faults by time, then file order; how many have happened.
    faults: Vec<u32>,
    happened: usize,
    /// Nothing more is granted.
    stopped: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Feed {
    at: Nanos,
    job: u32,
    image: u32,
}

/// What the core said that is still to be done.
#[derive(Debug)]
struct Outbox {
    /// Revoked leases, not yet stopped.
    revoked: VecDeque<LeaseId>,
    /// The lease that was granted last, if it has not started yet.
    granted: Option<LeaseId>,
}

impl Outbox {
    /// All leases can be revoked at once, and no lease twice.
    fn with_room(leases: usize) -> Self {
        Outbox { revoked: VecDeque::with_capacity(leases), granted: None }
    }

    fn handle<B: Backend>(
        &mut self,
        backend: &mut B,
        observer: &mut impl Observer,
        scheduler: &Scheduler<'_>,
        event: Event,
    ) {
        observer.event(scheduler, event);
        backend.note(scheduler, event);
        match event {
            Event::Grant { lease, .. } => self.granted = Some(lease),
            Event::Start { job, lease, first, count } => {
                let opens = self.granted.take() == Some(lease);
                let cold = scheduler.is_cold(lease).unwrap_or(false);
                let number = scheduler.number_of(lease).unwrap_or(u64::MAX);
                let job = job.index;
                let start = Start { lease, job, number, first, count, opens, cold };
                backend.start(scheduler, start);
            }
            Event::Revoke { lease, .. } => self.revoked.push_back(lease),
            Event::Evict { unit, model } => backend.evict(unit, model),
            Event::Ready { .. }
            | Event::Done { .. }
            | Event::Fail { .. }
            | Event::Release { .. }
            | Event::End { .. }
            | Event::Unit { .. } => {}
        }
    }
}

impl<'a, B: Backend> Driver<'a, B> {
    /// Hands the core all units and jobs of the workload.
    ///
    /// # Errors
    ///
    /// [`AddError`] if the workload is not one that a checked line gives, or a table is too small.
    pub fn new(
        workload: &'a Workload,
        tables: lineside_core::Storage<'a>,
        backend: B,
        observer: &mut impl Observer,
    ) -> Result<Self, AddError> {
        let mut arrivals: Vec<u32> = (0..workload.jobs.len() as u32).collect();
        arrivals.sort_by_key(|&job| workload.jobs[job as usize].arrive);
        let mut faults: Vec<u32> = (0..workload.faults.len() as u32).collect();
        faults.sort_by_key(|&fault| workload.faults[fault as usize].at);
        let fed = |job: &&WorkJob| workload.classes[job.class as usize].every.is_some();
        let feeds = BinaryHeap::with_capacity(workload.jobs.iter().filter(fed).count());
        let outbox = Outbox::with_room(most_leases(workload));
        let mut driver = Driver {
            workload,
            scheduler: Scheduler::new(workload.policy, tables),
            backend,
            outbox,
            arrivals,
            arrived: 0,
            feeds,
            faults,
            happened: 0,
            stopped: false,
        };
        driver.set_up(observer)?;
        Ok(driver)
    }

    /// The core.
    pub fn scheduler(&self) -> &Scheduler<'a> {
        &self.scheduler
    }

    /// The core, to ask it why something waits.
    pub fn scheduler_mut(&mut self) -> &mut Scheduler<'a> {
        &mut self.scheduler
    }

    /// The backend.
    pub fn backend_mut(&mut self) -> &mut B {
        &mut self.backend
    }

    /// The id of a job of the workload.
    pub fn job_id(job: u32) -> JobId {
        JobId { index: job, generation: 0 }
    }

    /// Something happens from outside, now: a unit is drained, a job is cancelled.
    ///
    /// # Errors
    ///
    /// As the core: the unit or the job is not there, or it has ended.
    pub fn happen(
        &mut self,
        what: Happening,
        observer: &mut impl Observer,
    ) -> Result<(), InputError> {
        let now = self.scheduler.now();
        self.apply_happening(now, what, observer)?;
        self.decide(now, observer);
        Ok(())
    }

    /// From now on nothing is granted. What runs goes on.
    pub fn stop_granting(&mut self) {
        self.stopped = true;
    }

    /// Runs until nothing is pending.
    pub fn run(&mut self, observer: &mut impl Observer) {
        while self.round(observer) {}
    }

    /// One round; false if nothing was pending.
    pub fn round(&mut self, observer: &mut impl Observer) -> bool {
        let Some(now) = self.backend.wait(self.next_instant()) else { return false };
        while let Some(news) = self.backend.poll() {
            self.apply_news(now, news, observer);
        }
        while self.apply(observer, |core, mut out| core.handle_timeout(now, &mut out)).is_some() {}
        self.apply_faults(now, observer);
        self.apply_arrivals(now, observer);
        self.apply_feeds(now, observer);
        self.decide(now, observer);
        true
    }

    fn set_up(&mut self, observer: &mut impl Observer) -> Result<(), AddError> {
        let workload = self.workload;
        for model in &workload.models {
            self.scheduler.add_model(*model)?;
        }
        for stream in &workload.streams {
            self.scheduler.add_stream(*stream)?;
        }
        for unit in &workload.units {
            self.scheduler.add_unit(unit)?;
        }
        let mut edges = Vec::new();
        for job in 0..workload.jobs.len() as u32 {
            let mut spec = workload.class_of(job).spec;
            spec.path = workload.jobs[job as usize].path;
            edges.clear();
            edges.extend(workload.edges_of(job).iter().map(|edge| match *edge {
                WorkEdge::Barrier { upstream, on } => {
                    Edge { upstream: Self::job_id(upstream), mode: Mode::Barrier { on } }
                }
                WorkEdge::Stream { upstream, depth } => Edge::stream(Self::job_id(upstream), depth),
            }));
            self.apply(observer, |core, mut out| core.submit(0, &spec, &edges, &mut out))?;
        }
        Ok(())
    }

    /// The earliest instant at which something is pending besides news of the backend.
    fn next_instant(&self) -> Option<Nanos> {
        let arrival = self.arrivals.get(self.arrived);
        let arrival = arrival.map(|&job| self.workload.jobs[job as usize].arrive);
        let feed = self.feeds.peek().map(|Reverse(feed)| feed.at);
        let fault = self.faults.get(self.happened);
        let fault = fault.map(|&fault| self.workload.faults[fault as usize].at);
        let timeout = self.scheduler.poll_timeout();
        [arrival, feed, fault, timeout].into_iter().flatten().min()
    }

    /// One input, and the leases that it revoked and that are free at once.
    fn apply<T>(
        &mut self,
        observer: &mut impl Observer,
        input: impl FnOnce(&mut Scheduler<'a>, &mut dyn FnMut(&Scheduler<'_>, Event)) -> T,
    ) -> T {
        let Driver { scheduler, backend, outbox, .. } = self;
        let result = input(scheduler, &mut |core: &Scheduler<'_>, event| {
            outbox.handle(backend, observer, core, event);
        });
        while let Some(lease) = outbox.revoked.pop_front() {
            if backend.stop(lease) == Stop::Now {
                let mut out = |core: &Scheduler<'_>, event: Event| {
                    outbox.handle(backend, observer, core, event);
                };
                // The lease was revoked a moment ago, so it can't be over.
                let given_back = scheduler.given_back(scheduler.now(), lease, &mut out);
                debug_assert!(given_back.is_ok());
            }
        }
        result
    }

    /// News of something that is over by now is dropped: the core says so and changes nothing.
    fn apply_news(&mut self, now: Nanos, news: News, observer: &mut impl Observer) {
        let _ = self.apply(observer, |core, mut out| match news {
            News::Finished(lease) => core.finish(now, lease, &mut out),
            News::Failed(lease) => core.fail(now, lease, &mut out),
            News::GivenBack(lease) => core.given_back(now, lease, &mut out),
            News::Down(unit) => core.down(now, unit, &mut out),
            News::Drain(unit) => core.drain(now, unit, &mut out),
            News::Up(unit) => core.up(now, unit, &mut out),
        });
    }

    fn apply_faults(&mut self, now: Nanos, observer: &mut impl Observer) {
        while let Some(&fault) = self.faults.get(self.happened) {
            let fault = self.workload.faults[fault as usize];
            if fault.at > now {
                break;
            }
            self.happened += 1;
            // A fault for a job that has ended is dropped.
            let _ = self.apply_happening(now, fault.what, observer);
        }
    }

    fn apply_happening(
        &mut self,
        now: Nanos,
        what: Happening,
        observer: &mut impl Observer,
    ) -> Result<(), InputError> {
        self.apply(observer, |core, mut out| match what {
            Happening::Down(unit) => core.down(now, UnitId(unit), &mut out),
            Happening::Up(unit) => core.up(now, UnitId(unit), &mut out),
            Happening::Drain(unit) => core.drain(now, UnitId(unit), &mut out),
            Happening::Cancel(job) => core.cancel(now, Self::job_id(job), &mut out),
        })
    }

    fn apply_arrivals(&mut self, now: Nanos, observer: &mut impl Observer) {
        while let Some(&job) = self.arrivals.get(self.arrived) {
            let arrive = self.workload.jobs[job as usize].arrive;
            if arrive > now {
                break;
            }
            self.arrived += 1;
            let class = self.workload.class_of(job);
            let all = class.spec.images;
            let images = if class.every.is_some() { all.min(1) } else { all };
            let id = Self::job_id(job);
            let taken =
                self.apply(observer, |core, mut out| core.arrive(now, id, images, &mut out));
            if taken.is_ok() {
                self.plan_feed(job, 1);
            }
        }
    }

    fn apply_feeds(&mut self, now: Nanos, observer: &mut impl Observer) {
        while let Some(&Reverse(Feed { at, job, image })) = self.feeds.peek() {
            if at > now {
                break;
            }
            self.feeds.pop();
            let id = Self::job_id(job);
            let taken = self.apply(observer, |core, mut out| core.feed(now, id, &mut out));
            if taken.is_ok() {
                self.plan_feed(job, image + 1);
            }
        }
    }

    /// Notes when image k of a job is fed, if it is fed image by image and has so many.
    fn plan_feed(&mut self, job: u32, image: u32) {
        let class = self.workload.class_of(job);
        let Some(every) = class.every.filter(|_| image < class.spec.images) else { return };
        let arrive = self.workload.jobs[job as usize].arrive;
        let at = arrive.saturating_add(every.saturating_mul(u64::from(image)));
        self.feeds.push(Reverse(Feed { at, job, image }));
    }

    /// Grants until nothing more can be granted, breaks a circle, and again.
    fn decide(&mut self, now: Nanos, observer: &mut impl Observer) {
        while !self.stopped {
            while self.grant(now, observer) {}
            let broken = self.apply(observer, |core, mut out| core.break_circle(now, &mut out));
            if broken.is_none() {
                break;
            }
        }
    }

    fn grant(&mut self, now: Nanos, observer: &mut impl Observer) -> bool {
        let reasons = observer.wants_reasons();
        let Driver { scheduler, backend, outbox, .. } = self;
        let Some(mut choice) = scheduler.choose(now) else { return false };
        if reasons {
            observer.reason(choice.reason());
        }
        choice.grant(&mut |core: &Scheduler<'_>, event| {
            outbox.handle(backend, observer, core, event);
        });
        true
    }
}

/// Barriers need not say which end they want.
impl Default for WorkEdge {
    fn default() -> Self {
        WorkEdge::Barrier { upstream: 0, on: On::Success }
    }
}
