//! One decision: finish, release, settle, into the queue again, walk, place, grant, start.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::hint::black_box;

use lineside_backends::{Class, Tables, WorkEdge, WorkJob, Workload};
use lineside_core::{
    Edge, Event, JobId, JobSpec, Kind, LeaseId, ModelId, ModelSpec, Place, Policy, Scheduler,
    StreamId, StreamSpec, UnitSpec,
};

use crate::peers::Ends;
use crate::stopwatch::Stopwatch;

/// Decisions a run.
const DECISIONS: u64 = 1_000_000;
const GIB: u64 = 1 << 30;
/// No job ever comes to its last image.
const IMAGES: u32 = 1_000_000_000;

/// What the queue looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Setting {
    /// Legacy jobs of one shape take turns.
    Rotation,
    /// Eight shapes, half of them blocked for want of memory.
    Shapes,
    /// Eight streams, half of them at their limit.
    Streams,
    /// Patience is on.
    Patience,
    /// Eight models, all of which fit.
    Models,
    /// Every job waits for an earlier one: a million edges.
    Graph,
}

impl Setting {
    pub(crate) const ALL: [Setting; 5] =
        [Setting::Shapes, Setting::Streams, Setting::Patience, Setting::Models, Setting::Graph];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Setting::Rotation => "one shape",
            Setting::Shapes => "8 shapes, half blocked",
            Setting::Streams => "8 streams, half at their limit",
            Setting::Patience => "patience on",
            Setting::Models => "8 models resident",
            Setting::Graph => "a graph of as many edges",
        }
    }

    fn policy(self) -> Policy {
        match self {
            Setting::Patience => Policy { patience: Some(1_000_000), ..Policy::default() },
            // Nobody withholds, so the blocked stay blocked and the rest goes on.
            Setting::Shapes => Policy { overtake: u32::MAX, ..Policy::default() },
            _ => Policy::default(),
        }
    }

    fn spec(self, job: usize) -> JobSpec {
        let eighth = (job % 8) as u32;
        let legacy =
            JobSpec { kind: Kind::Legacy, images: IMAGES, memory: GIB, ..JobSpec::default() };
        match self {
            Setting::Rotation | Setting::Patience | Setting::Graph => legacy,
            // Half of them want more than is left beside the pinned gigabyte.
            Setting::Shapes => {
                let memory = if eighth < 4 { GIB + u64::from(eighth) } else { 7 * GIB };
                JobSpec { memory: memory + u64::from(eighth), ..legacy }
            }
            Setting::Streams => JobSpec { stream: Some(StreamId(eighth)), ..legacy },
            Setting::Models => JobSpec { model: Some(ModelId(eighth)), ..legacy },
        }
    }
}

/// Nanoseconds a decision, over many.
pub(crate) fn cost(setting: Setting, jobs: usize, units: usize) -> f64 {
    cost_over(setting, jobs, units, DECISIONS)
}

/// Makes so many decisions with 1,000 jobs on 64 units, for a counter of instructions.
pub(crate) fn only(decisions: u64) -> u8 {
    black_box(cost_over(Setting::Rotation, 1_000, 64, decisions));
    0
}

/// Nanoseconds a decision, over so many.
pub(crate) fn cost_over(setting: Setting, jobs: usize, units: usize, decisions: u64) -> f64 {
    let workload = workload(setting, jobs, units);
    let mut tables = Tables::for_workload(&workload);
    let mut scheduler = Scheduler::new(workload.policy, tables.storage());
    fill(&mut scheduler, &workload, setting);
    let nothing = LeaseId { index: 0, generation: 0 };
    let running = vec![nothing; units];
    let spread = Ends::new();
    let mut machine = Machine { ends: BinaryHeap::new(), running, spread, events: 0, now: 0 };
    machine.grant(&mut scheduler);
    let began = Stopwatch::start();
    for _ in 0..decisions {
        machine.decide(&mut scheduler);
    }
    let time = began.nanos() / decisions as f64;
    black_box(machine.events);
    time
}

/// The units, as far as the scheduler can see them.
struct Machine {
    /// Times and slots, as in the floor; the lease in each slot.
    ends: BinaryHeap<Reverse<(u64, u32)>>,
    running: Vec<LeaseId>,
    spread: Ends,
    events: u64,
    now: u64,
}

impl Machine {
    fn decide(&mut self, scheduler: &mut Scheduler<'_>) {
        let Some(Reverse((now, slot))) = self.ends.pop() else { return };
        let lease = self.running[slot as usize];
        self.now = now;
        let events = &mut self.events;
        let mut count = |_: &Scheduler<'_>, _: Event| *events += 1;
        scheduler.finish(now, lease, &mut count).expect("the lease runs");
        self.grant(scheduler);
    }

    fn grant(&mut self, scheduler: &mut Scheduler<'_>) {
        let Machine { ends, running, spread, events, now } = self;
        let mut count = |_: &Scheduler<'_>, _: Event| *events += 1;
        while let Some(choice) = scheduler.choose(*now) {
            let lease = choice.grant(&mut count);
            running[lease.index as usize] = lease;
            ends.push(Reverse((spread.next(*now), lease.index)));
        }
    }
}

fn workload(setting: Setting, jobs: usize, units: usize) -> Workload {
    let unit = UnitSpec { place: Place::Cuda, budget: 8 * GIB, slots: 1, profile: None };
    let class = |eighth| Class { spec: setting.spec(eighth), ..Class::default() };
    let edges = if setting == Setting::Graph { jobs } else { 0 };
    let half = |stream: u32| StreamSpec { limit: Some(if stream < 4 { 1 } else { 1_000_000 }) };
    Workload {
        policy: setting.policy(),
        units: vec![unit; units],
        models: vec![ModelSpec { weights: GIB / 2 }; 8],
        cold: vec![0; 8],
        streams: (0..8).map(half).collect(),
        classes: (0..8).map(class).collect(),
        jobs: (0..jobs as u32)
            .map(|job| WorkJob { class: job % 8, ..WorkJob::default() })
            .collect(),
        edges: vec![WorkEdge::default(); edges],
        ..Workload::default()
    }
}

fn fill(scheduler: &mut Scheduler<'_>, workload: &Workload, setting: Setting) {
    let mut ignore = |_: &Scheduler<'_>, _: Event| {};
    for model in &workload.models {
        scheduler.add_model(*model).expect("there is room");
    }
    for stream in &workload.streams {
        scheduler.add_stream(*stream).expect("there is room");
    }
    for unit in &workload.units {
        scheduler.add_unit(unit).expect("there is room");
    }
    let mut before: Option<JobId> = None;
    for job in &workload.jobs {
        let spec = &workload.classes[job.class as usize].spec;
        // Far enough ahead that the one behind can always go on.
        let edge = before
            .filter(|_| setting == Setting::Graph)
            .map(|job| Edge { upstream: job, mode: lineside_core::Mode::Stream { depth: 0 } });
        let edges = edge.as_slice();
        let id = scheduler.submit(0, spec, edges, &mut ignore).expect("there is room");
        before = Some(id);
        scheduler.arrive(0, id, spec.images, &mut ignore).expect("it has not arrived");
    }
}
