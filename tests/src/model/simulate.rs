//! Section 6: virtual time.

use std::collections::VecDeque;

use super::{
    Event, Fault, FaultEvent, LeaseIndex, Line, LineJob, Model, Place, Refused, State, Time, What,
};

/// What came of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    /// The trace.
    pub events: Vec<Event>,
    /// 3 if any job is stuck, else 1 if any failed, was cancelled or skipped, else 0.
    pub exit_code: u8,
    /// The jobs that have not ended.
    pub stuck: Vec<usize>,
}

/// Runs a line in virtual time, to its end.
pub fn simulate(line: &Line) -> Run {
    let mut simulator = Simulator::new(line);
    while let Some(t) = simulator.earliest_pending() {
        simulator.round(t);
    }
    simulator.into_run()
}

struct Simulator<'a> {
    line: &'a Line,
    model: Model,
    leases: Vec<SimulatedLease>,
    /// Revoked leases, in the order of the revokes, until they are given back.
    revoked: VecDeque<LeaseIndex>,
    /// How many of the model's events have been acted upon.
    events_seen: usize,
    fault_is_pending: Vec<bool>,
    /// By job: how many images have been fed (or dropped); `None` before the arrival.
    fed: Vec<Option<u64>>,
    /// By job and `inject` entry: how often it will still strike.
    inject_left: Vec<Vec<u64>>,
}

#[derive(Debug, Clone)]
struct SimulatedLease {
    units: Vec<usize>,
    cold: bool,
    has_started: bool,
    /// When the start that runs finishes, or fails.
    pending: Option<(Time, Outcome)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Finishes,
    Fails,
}

impl<'a> Simulator<'a> {
    fn new(line: &'a Line) -> Simulator<'a> {
        let times = |job: &LineJob| job.inject.iter().map(|inject| inject.times).collect();
        Simulator {
            line,
            model: line.model(),
            leases: Vec::new(),
            revoked: VecDeque::new(),
            events_seen: 0,
            fault_is_pending: vec![true; line.faults.len()],
            fed: vec![None; line.jobs.len()],
            inject_left: line.jobs.iter().map(times).collect(),
        }
    }

    fn earliest_pending(&self) -> Option<Time> {
        let ends = self.leases.iter().filter_map(|lease| Some(lease.pending?.0));
        let faults = (0..self.line.faults.len()).filter(|&fault| self.fault_is_pending[fault]);
        let faults = faults.map(|fault| self.line.faults[fault].at);
        let jobs = 0..self.line.jobs.len();
        let arrivals = jobs.clone().filter_map(|job| self.arrival(job));
        let feeds = jobs.filter_map(|job| self.next_feed(job));
        let instants = ends.chain(faults).chain(arrivals).chain(feeds);
        instants.chain(self.model.next_instant()).min()
    }

    /// The inputs that are pending as the round begins, in their order; then the walks.
    fn round(&mut self, t: Time) {
        let ends = self.ends_at(t);
        let expiries = self.model.due(t);
        let faults: Vec<usize> = (0..self.line.faults.len())
            .filter(|&fault| self.fault_is_pending[fault] && self.line.faults[fault].at == t)
            .collect();
        let jobs = 0..self.line.jobs.len();
        let arrivals: Vec<usize> =
            jobs.clone().filter(|&job| self.arrival(job) == Some(t)).collect();
        let feeds: Vec<usize> = jobs.filter(|&job| self.next_feed(job) == Some(t)).collect();

        for lease in ends {
            self.end_start(t, lease);
        }
        for lease in expiries {
            self.input(t, |model| model.expire(t, lease));
        }
        for fault in faults {
            self.fault_is_pending[fault] = false;
            self.strike(self.line.faults[fault]);
        }
        for job in arrivals {
            self.arrive(t, job);
        }
        for job in feeds {
            self.feed(t, job);
        }
        self.grant_all(t);
    }

    /// Grants until nothing more can be granted, breaking circles.
    fn grant_all(&mut self, t: Time) {
        loop {
            while self.model.walk(t) {
                self.act_upon_events();
            }
            if !self.model.break_circle(t) {
                return;
            }
            self.act_upon_events();
            self.give_back(t);
        }
    }

    /// Applies an input, and gives back at once what it revoked.
    ///
    /// A refused input has changed nothing. That is how arrivals and feeds of jobs that have
    /// ended are dropped, and expiries of leases that have finished in the same round.
    fn input(&mut self, t: Time, apply: impl FnOnce(&mut Model) -> Result<(), Refused>) {
        match apply(&mut self.model) {
            Ok(()) => {
                self.act_upon_events();
                self.give_back(t);
            }
            Err(Refused::JobEnded | Refused::LeaseOver) => {}
            Err(Refused::NotDue | Refused::NothingInFlight) => {}
            Err(refused) => panic!("the simulator made an input that can't be: {refused:?}"),
        }
    }

    /// Gives back revoked leases, in the order of the revokes, also those that this revokes.
    fn give_back(&mut self, t: Time) {
        while let Some(lease) = self.revoked.pop_front() {
            self.model.given_back(t, lease).expect("a revoked lease is given back once");
            self.act_upon_events();
        }
    }

    /// Leases with a start that ends at t: by the lowest unit of the lease, then in grant order.
    fn ends_at(&self, t: Time) -> Vec<LeaseIndex> {
        let ends = |lease: &LeaseIndex| {
            self.leases[*lease].pending.is_some_and(|(instant, _)| instant == t)
        };
        let mut leases: Vec<LeaseIndex> = (0..self.leases.len()).filter(ends).collect();
        leases.sort_by_key(|&lease| (self.leases[lease].units.iter().min().copied(), lease));
        leases
    }

    fn end_start(&mut self, t: Time, lease: LeaseIndex) {
        // An end that comes before it in the round may have given the lease back.
        match self.leases[lease].pending.take() {
            Some((_, Outcome::Finishes)) => self.input(t, |model| model.finish(t, lease)),
            Some((_, Outcome::Fails)) => self.input(t, |model| model.fail(t, lease)),
            None => {}
        }
    }

    fn strike(&mut self, fault: Fault) {
        let at = fault.at;
        match fault.event {
            FaultEvent::Down(unit) => self.input(at, |model| model.down(at, unit)),
            FaultEvent::Up(unit) => self.input(at, |model| model.up(at, unit)),
            FaultEvent::Drain(unit) => self.input(at, |model| model.drain(at, unit)),
            FaultEvent::Cancel(job) => self.input(at, |model| model.cancel(at, job)),
        }
    }

    /// When the job arrives, if it has not yet.
    fn arrival(&self, job: usize) -> Option<Time> {
        self.fed[job].is_none().then_some(self.line.jobs[job].arrive)
    }

    fn arrive(&mut self, t: Time, job: usize) {
        let images = self.line.jobs[job].spec.images;
        let fed = match self.line.jobs[job].every {
            // A feed of image 0 comes with the arrival.
            Some(_) => images.min(1),
            None => images,
        };
        self.fed[job] = Some(fed);
        self.input(t, |model| model.arrive(t, job, fed));
    }

    /// When the job is fed its next image, after those that came with the arrival.
    fn next_feed(&self, job: usize) -> Option<Time> {
        let fed = self.fed[job].filter(|&fed| fed < self.line.jobs[job].spec.images)?;
        let every = self.line.jobs[job].every?;
        Some(self.line.jobs[job].arrive.saturating_add(every.saturating_mul(fed)))
    }

    fn feed(&mut self, t: Time, job: usize) {
        self.fed[job] = self.fed[job].map(|fed| fed + 1);
        self.input(t, |model| model.feed(t, job));
    }

    /// What the latest events mean for the virtual machines: starts to time, leases to give back.
    fn act_upon_events(&mut self) {
        let events = self.model.events()[self.events_seen..].to_vec();
        self.events_seen += events.len();
        for Event { t, what } in events {
            match what {
                What::Grant { units, cold, .. } => {
                    let lease = SimulatedLease { units, cold, has_started: false, pending: None };
                    self.leases.push(lease);
                }
                What::Start { job, lease, first, count } => {
                    self.begin(t, job, lease, (first, count));
                }
                What::Revoke { lease, .. } => self.revoked.push_back(lease),
                // A lease that is given back drops its pending finish.
                What::Release { lease, .. } => self.leases[lease].pending = None,
                What::Ready { .. }
                | What::Evict { .. }
                | What::Done { .. }
                | What::Fail { .. }
                | What::End { .. }
                | What::Unit { .. } => {}
            }
        }
    }

    /// A start begins: how long it lasts, and whether it fails.
    fn begin(&mut self, t: Time, job: usize, lease: LeaseIndex, (first, count): (u64, u64)) {
        let LineJob { spec, startup, inject, .. } = &self.line.jobs[job];
        let mut lasts = self.images_last(job, lease, (first, count));
        if !self.leases[lease].has_started {
            lasts = lasts.saturating_add(*startup);
            if let Some(model) = spec.model.filter(|_| self.leases[lease].cold) {
                lasts = lasts.saturating_add(self.line.cold[model]);
            }
        }
        let mut outcome = Outcome::Finishes;
        for (inject, left) in inject.iter().zip(&mut self.inject_left[job]) {
            if (first..first + count).contains(&inject.image) && *left > 0 {
                *left -= 1;
                outcome = Outcome::Fails;
            }
        }
        self.leases[lease].has_started = true;
        self.leases[lease].pending = Some((t.saturating_add(lasts), outcome));
    }

    /// Σ times of the images; `cpu_time`, if given, when any unit of the lease is a CPU place.
    fn images_last(&self, job: usize, lease: LeaseIndex, (first, count): (u64, u64)) -> Time {
        let LineJob { time, cpu_time, .. } = &self.line.jobs[job];
        let mut units = self.leases[lease].units.iter();
        let on_cpu = units.any(|&unit| self.line.units[unit].place == Place::Cpu);
        let times = match cpu_time {
            Some(cpu_time) if on_cpu => cpu_time,
            Some(_) | None => time,
        };
        let one = |k: u64| times[(k % times.len() as u64) as usize];
        (first..first + count).map(one).fold(0, Time::saturating_add)
    }

    fn into_run(self) -> Run {
        let jobs = 0..self.line.jobs.len();
        let stuck: Vec<usize> =
            jobs.clone().filter(|&job| self.model.ended(job).is_none()).collect();
        let mut states = jobs.map(|job| self.model.ended(job));
        let exit_code = match stuck.is_empty() {
            false => 3,
            true if states.all(|state| state == Some(State::Done)) => 0,
            true => 1,
        };
        Run { events: self.model.events().to_vec(), exit_code, stuck }
    }
}
