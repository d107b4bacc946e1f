//! The reference model: the allocation rules, as plainly as they can be said in Rust.
//!
//! Everything here is recomputed from the text of `semantics.md` whenever it is asked for: the
//! queue is sorted at each walk, sums are sums over all leases. Comments name the section that a
//! piece of code stands for. The model shares no code and no type with the product, so that the
//! two can be held against each other.
//!
//! - [`Model`] takes calls (`submit`, `arrive`, `finish`, `walk`, ...) and lists [`Event`]s;
//! - [`read`] turns the text of a line file into a checked [`Line`];
//! - [`simulate`] runs a [`Line`] in virtual time;
//! - [`trace`] writes events as JSON Lines.

mod circle;
mod images;
mod inputs;
mod line;
mod queue;
mod read;
mod settle;
mod simulate;
mod spec;
mod submit;
mod trace;
mod verify;
mod walk;

pub use line::{Fault, FaultEvent, Inject, Line, LineJob, Names};
pub use read::read;
pub use simulate::{Run, simulate};
pub use spec::{
    Cause, Edge, EdgeKind, EndCause, Event, Fallback, JobSpec, Kind, LeaseIndex, ModelSpec, Needs,
    On, Order, Phase, Place, Placement, Policy, Pool, Refused, State, StreamSpec, Time, UnitSpec,
    UnitState, What,
};
pub use trace::trace;
pub(crate) use trace::{end_state, revoke_cause, unit_state};

use walk::Visit;

/// The allocation rules over units, jobs, and leases, driven by calls.
///
/// Jobs, units, models, and streams are named by index, in the order in which they were given;
/// leases by the number of their grant. A refused call changes nothing. A `now` from the past is
/// read as the latest one seen.
///
/// After each input the caller walks (`while model.walk(now) {}`), then breaks circles
/// (`break_circle`), and starts again if one was broken. Each revoked lease is to be
/// [`given_back`](Model::given_back).
///
/// ```
/// use lineside_tests::model::*;
///
/// let mut model = Model::new(Policy::default(), vec![], vec![]);
/// model.add_unit(UnitSpec::default()).unwrap();
/// model.submit(JobSpec::default(), vec![]).unwrap();
/// model.arrive(0, 0, 1).unwrap();
/// assert!(model.walk(0));
/// model.finish(5, 0).unwrap();
/// let end = What::End { job: 0, state: State::Done, cause: EndCause::None };
/// assert_eq!(model.events().last(), Some(&Event { t: 5, what: end }));
/// ```
#[derive(Debug, Clone)]
pub struct Model {
    policy: Policy,
    models: Vec<ModelSpec>,
    streams: Vec<StreamSpec>,
    units: Vec<Unit>,
    jobs: Vec<Job>,
    /// All leases that ever were: a lease's number is its place here.
    leases: Vec<Lease>,
    /// The latest `now` seen.
    now: Time,
    next_ticket: u64,
    /// How often entries of a shape were overtaken (section 4); shapes that aren't here: 0.
    overtaken: Vec<(Shape, u64)>,
    /// What the last walk did at each entry, in the order of the queue.
    last_walk: Vec<Visit>,
    events: Vec<Event>,
}

/// A unit and what the rules remember of it.
#[derive(Debug, Clone)]
struct Unit {
    spec: UnitSpec,
    state: UnitState,
    /// The resident models.
    resident: Vec<usize>,
    /// When a lease that used the model (by index) was last released here.
    model_released: Vec<Option<Time>>,
    busy: Time,
    last_release: Option<Time>,
}

/// A job and what the rules remember of it.
#[derive(Debug, Clone)]
struct Job {
    spec: JobSpec,
    edges: Vec<Edge>,
    arrived: bool,
    fed: u64,
    images: Vec<Image>,
    /// 1 + the highest image ever started, 0 if none (section 2).
    taken: u64,
    attempts: u64,
    faults: u64,
    /// The ticket that the next entry takes instead of a new one (section 5, down).
    old_ticket: Option<u64>,
    entry: Option<Entry>,
    /// How the job ends once it holds no lease any more.
    ending: Option<(State, EndCause)>,
    ended: Option<State>,
    /// Nobody can name it any more.
    removed: bool,
}

/// The state of one image of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Image {
    Waiting,
    InFlight,
    Done,
}

/// A job's place in the queue.
#[derive(Debug, Clone, Copy)]
struct Entry {
    ticket: u64,
    since: Time,
    /// The job's head as the entry entered.
    head: u64,
}

/// A lease, also after it is over.
#[derive(Debug, Clone)]
struct Lease {
    job: usize,
    /// In the order in which they were granted.
    units: Vec<usize>,
    ticket: u64,
    granted: Time,
    /// First and count of the images of the start that runs.
    in_flight: Option<(u64, u64)>,
    deadline: Option<Time>,
    revoked: Option<Cause>,
    over: bool,
}

/// What entries have in common that ask for the same (section 4).
#[derive(Debug, Clone, PartialEq, Eq)]
struct Shape {
    needs: Needs,
    profile: Option<String>,
    memory: u64,
    model: Option<usize>,
    gpus: u64,
    stream: Option<usize>,
    fallback: Fallback,
}

impl Model {
    /// A model without units and jobs.
    pub fn new(policy: Policy, models: Vec<ModelSpec>, streams: Vec<StreamSpec>) -> Model {
        Model {
            policy,
            models,
            streams,
            units: Vec::new(),
            jobs: Vec::new(),
            leases: Vec::new(),
            now: 0,
            next_ticket: 0,
            overtaken: Vec::new(),
            last_walk: Vec::new(),
            events: Vec::new(),
        }
    }

    /// All that was emitted since the beginning.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// How a job has ended, if it has.
    pub fn ended(&self, job: usize) -> Option<State> {
        self.jobs.get(job).and_then(|job| job.ended)
    }

    /// The leases whose deadline has come, in grant order: `expire` is due for each of them.
    pub fn due(&self, now: Time) -> Vec<LeaseIndex> {
        (0..self.leases.len()).filter(|&lease| self.is_due(lease, now)).collect()
    }

    /// The next instant at which something is due without an input: the deadline of a lease, or
    /// an entry's becoming patient (which asks for a walk). `None`: nothing.
    ///
    /// A deadline is listed until the lease has expired; an entry's instant only as long as it
    /// lies ahead.
    pub fn next_instant(&self) -> Option<Time> {
        let deadlines = self.leases.iter().filter_map(|lease| lease.due_at());
        let patience = self.policy.patience;
        let entries = self.jobs.iter().filter_map(|job| job.entry);
        let patient = entries
            .filter_map(|entry| Some(entry.since.saturating_add(patience?)))
            .filter(|&instant| instant > self.now);
        deadlines.chain(patient).min()
    }

    /// Moves the clock on, never back.
    pub(crate) fn tick(&mut self, now: Time) {
        self.now = self.now.max(now);
    }

    fn emit(&mut self, what: What) {
        self.events.push(Event { t: self.now, what });
    }

    fn is_due(&self, lease: LeaseIndex, now: Time) -> bool {
        self.leases[lease].due_at().is_some_and(|deadline| deadline <= self.now.max(now))
    }

    /// The leases that a job holds, in grant order; revoked ones until they are given back.
    fn leases_of(&self, job: usize) -> Vec<LeaseIndex> {
        let held = |lease: &Lease| lease.job == job && !lease.over;
        (0..self.leases.len()).filter(|&lease| held(&self.leases[lease])).collect()
    }

    /// The leases on a unit, in grant order; revoked ones until they are given back.
    fn leases_on(&self, unit: usize) -> Vec<LeaseIndex> {
        let on = |lease: &Lease| lease.units.contains(&unit) && !lease.over;
        (0..self.leases.len()).filter(|&lease| on(&self.leases[lease])).collect()
    }

    /// The stream that a job names, if that has a limit.
    fn limited_stream(&self, job: usize) -> Option<usize> {
        self.jobs[job].spec.stream.filter(|&stream| self.streams[stream].limit.is_some())
    }
}

impl Job {
    /// Section 1: the grain is image if the job is legacy and process, otherwise whole.
    fn is_image_grain(&self) -> bool {
        self.spec.is_image_grain()
    }

    /// Neither ended nor about to end: what the queue and the leases are for.
    fn is_live(&self) -> bool {
        self.ended.is_none() && self.ending.is_none()
    }

    fn shape(&self) -> Shape {
        Shape {
            needs: self.spec.needs,
            profile: self.spec.profile.clone(),
            memory: self.spec.memory,
            model: self.spec.model,
            gpus: self.spec.gpus,
            stream: self.spec.stream,
            fallback: self.spec.fallback,
        }
    }
}

impl Lease {
    /// The deadline; a starved or revoked lease has none.
    fn due_at(&self) -> Option<Time> {
        self.deadline.filter(|_| self.in_flight.is_some() && self.revoked.is_none() && !self.over)
    }

    /// Section 5: a lease with nothing in flight that may start something.
    fn is_starved(&self) -> bool {
        self.in_flight.is_none() && self.revoked.is_none() && !self.over
    }
}
