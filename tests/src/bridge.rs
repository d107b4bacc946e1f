//! From the reference model's words to the product's, and back.

use std::collections::HashMap;

use lineside_backends::{Class, Happening, Inject, Trouble, WorkEdge, WorkJob, Workload};
use lineside_core as core;
use lineside_core::{Event, Outcome, RevokeCause, Scheduler};

use crate::model;
use crate::model::{Cause, EdgeKind, EndCause, FaultEvent, Line, LineJob, State, What};

/// The line as the driver wants it.
pub fn workload(line: &Line) -> Workload {
    let mut profiles = Profiles::default();
    let mut workload = Workload {
        policy: policy(&line.policy),
        units: line.units.iter().map(|unit| unit_spec(unit, line, &mut profiles)).collect(),
        models: line.models.iter().map(model_spec).collect(),
        cold: line.cold.clone(),
        streams: line.streams.iter().map(stream_spec).collect(),
        faults: line.faults.iter().map(trouble).collect(),
        ..Workload::default()
    };
    for (at, job) in line.jobs.iter().enumerate() {
        workload.edges.extend(job.edges.iter().map(work_edge));
        workload.classes.push(class(job, &mut profiles));
        workload.jobs.push(WorkJob {
            class: at as u32,
            edges_end: workload.edges.len() as u32,
            arrive: job.arrive,
            path: job.spec.path,
        });
    }
    workload
}

/// Numbers for the names of MIG profiles.
#[derive(Debug, Default)]
pub struct Profiles(HashMap<String, u32>);

impl Profiles {
    fn id(&mut self, name: Option<&String>) -> Option<core::ProfileId> {
        let next = self.0.len() as u32;
        name.map(|name| core::ProfileId(*self.0.entry(name.clone()).or_insert(next)))
    }
}

/// The policy, but for what units and jobs take over from it.
pub fn policy(policy: &model::Policy) -> core::Policy {
    core::Policy {
        order: match policy.order {
            model::Order::StandardFirst => core::Order::StandardFirst,
            model::Order::Fifo => core::Order::Fifo,
            model::Order::OldestImage => core::Order::OldestImage,
            model::Order::CriticalPath => core::Order::CriticalPath,
        },
        placement: match policy.placement {
            model::Placement::Fit => core::Placement::Fit,
            model::Placement::Balance => core::Placement::Balance,
            model::Placement::Rotate => core::Placement::Rotate,
            model::Placement::Pack => core::Placement::Pack,
        },
        overtake: policy.overtake.try_into().unwrap_or(u32::MAX),
        patience: policy.patience,
        pool: match policy.pool {
            model::Pool::Keep => core::Pool::Keep,
            model::Pool::Free => core::Pool::Free,
        },
    }
}

/// A unit, with its budget.
pub fn unit_spec(unit: &model::UnitSpec, line: &Line, profiles: &mut Profiles) -> core::UnitSpec {
    let place = match unit.place {
        model::Place::Cuda => core::Place::Cuda,
        model::Place::Vulkan => core::Place::Vulkan,
        model::Place::Cpu => core::Place::Cpu,
    };
    let headroom = if place == core::Place::Cpu { 0 } else { line.policy.headroom };
    let kept = u128::from(unit.memory) * u128::from(headroom) / 100;
    core::UnitSpec {
        place,
        budget: unit.memory - kept as u64,
        slots: unit.slots as u32,
        profile: profiles.id(unit.profile.as_ref()),
    }
}

/// A model.
pub fn model_spec(model: &model::ModelSpec) -> core::ModelSpec {
    core::ModelSpec { weights: model.weights }
}

/// A stream.
pub fn stream_spec(stream: &model::StreamSpec) -> core::StreamSpec {
    core::StreamSpec { limit: stream.limit.map(|limit| limit as u32) }
}

/// A job, without its times.
pub fn job_spec(job: &model::JobSpec, profiles: &mut Profiles) -> core::JobSpec {
    core::JobSpec {
        kind: match job.kind {
            model::Kind::Standard => core::Kind::Standard,
            model::Kind::Legacy => core::Kind::Legacy,
        },
        phase: match job.phase {
            model::Phase::Train => core::Phase::Train,
            model::Phase::Process => core::Phase::Process,
        },
        images: job.images as u32,
        batch: job.batch as u32,
        inflight: job.inflight as u32,
        threads: job.threads as u32,
        priority: job.priority,
        memory: job.memory,
        gpus: job.gpus as u32,
        needs: match job.needs {
            model::Needs::Gpu => core::Needs::Gpu,
            model::Needs::Cuda => core::Needs::Cuda,
            model::Needs::Vulkan => core::Needs::Vulkan,
            model::Needs::Cpu => core::Needs::Cpu,
            model::Needs::Any => core::Needs::Any,
        },
        profile: profiles.id(job.profile.as_ref()),
        model: job.model.map(|model| core::ModelId(model as u32)),
        stream: job.stream.map(|stream| core::StreamId(stream as u32)),
        timeout: job.timeout,
        retries: job.retries.try_into().unwrap_or(u32::MAX),
        fallback: match job.fallback {
            model::Fallback::Forbid => core::Fallback::Forbid,
            model::Fallback::Allow => core::Fallback::Allow,
        },
        path: job.path,
    }
}

/// The mode of an edge.
pub fn mode(kind: EdgeKind) -> core::Mode {
    match kind {
        EdgeKind::Barrier(model::On::Success) => core::Mode::Barrier { on: core::On::Success },
        EdgeKind::Barrier(model::On::End) => core::Mode::Barrier { on: core::On::End },
        EdgeKind::Stream { depth } => core::Mode::Stream { depth: depth as u32 },
    }
}

fn class(job: &LineJob, profiles: &mut Profiles) -> Class {
    let inject = |it: &model::Inject| Inject { image: it.image as u32, times: it.times as u32 };
    Class {
        spec: job_spec(&job.spec, profiles),
        time: job.time.clone(),
        cpu_time: job.cpu_time.clone(),
        startup: job.startup,
        every: job.every,
        inject: job.inject.iter().map(inject).collect(),
    }
}

fn work_edge(edge: &model::Edge) -> WorkEdge {
    let upstream = edge.upstream as u32;
    match mode(edge.kind) {
        core::Mode::Barrier { on } => WorkEdge::Barrier { upstream, on },
        core::Mode::Stream { depth } => WorkEdge::Stream { upstream, depth },
    }
}

fn trouble(fault: &model::Fault) -> Trouble {
    let what = match fault.event {
        FaultEvent::Down(unit) => Happening::Down(unit as u32),
        FaultEvent::Up(unit) => Happening::Up(unit as u32),
        FaultEvent::Drain(unit) => Happening::Drain(unit as u32),
        FaultEvent::Cancel(job) => Happening::Cancel(job as u32),
    };
    Trouble { at: fault.at, what }
}

/// The model's indexes of jobs and leases, which are never used again, by the core's ids.
#[derive(Debug, Default)]
pub struct Numbers {
    jobs: HashMap<core::JobId, usize>,
    leases: HashMap<core::LeaseId, usize>,
}

impl Numbers {
    /// With so many jobs submitted, and none removed.
    pub fn of_jobs(count: u32) -> Numbers {
        let mut numbers = Numbers::default();
        for index in 0..count {
            numbers.job(core::JobId { index, generation: 0 });
        }
        numbers
    }

    /// The index of a job. One that is not known has just been submitted.
    pub fn job(&mut self, id: core::JobId) -> usize {
        number_of(&mut self.jobs, id)
    }
}

fn number_of(jobs: &mut HashMap<core::JobId, usize>, id: core::JobId) -> usize {
    let next = jobs.len();
    *jobs.entry(id).or_insert(next)
}

/// An event of the product in the model's words.
pub fn what(scheduler: &Scheduler<'_>, event: Event, numbers: &mut Numbers) -> What {
    let units = |lease| {
        let units = scheduler.units_of(lease).expect("the lease is not over yet");
        units.map(|unit| unit.0 as usize).collect()
    };
    if let Event::Grant { lease, number, .. } = event {
        numbers.leases.insert(lease, number as usize);
    }
    let Numbers { jobs, leases } = numbers;
    let mut at = |id| number_of(jobs, id);
    match event {
        Event::Ready { job, ticket } => What::Ready { job: at(job), ticket },
        Event::Evict { unit, model } => {
            What::Evict { unit: unit.0 as usize, model: model.0 as usize }
        }
        Event::Grant { job, lease, number, ticket, cold, fallback } => What::Grant {
            job: at(job),
            lease: number as usize,
            units: units(lease),
            ticket,
            cold,
            fallback,
        },
        Event::Start { job, lease, first, count } => {
            let (first, count) = (first.into(), count.into());
            What::Start { job: at(job), lease: leases[&lease], first, count }
        }
        Event::Done { job, lease, first, count } => {
            let (first, count) = (first.into(), count.into());
            What::Done { job: at(job), lease: leases[&lease], first, count }
        }
        Event::Fail { job, lease, first, count } => {
            let (first, count) = (first.into(), count.into());
            What::Fail { job: at(job), lease: leases[&lease], first, count }
        }
        Event::Revoke { job, lease, cause: why } => {
            What::Revoke { job: at(job), lease: leases[&lease], cause: cause(why) }
        }
        Event::Release { job, lease } => {
            What::Release { job: at(job), lease: leases[&lease], units: units(lease) }
        }
        Event::End { job, outcome } => {
            let (state, cause) = end(outcome, &mut at);
            What::End { job: at(job), state, cause }
        }
        Event::Unit { unit, state } => What::Unit {
            unit: unit.0 as usize,
            state: match state {
                core::UnitState::Up => model::UnitState::Up,
                core::UnitState::Draining => model::UnitState::Draining,
                core::UnitState::Down => model::UnitState::Down,
            },
        },
    }
}

fn cause(cause: RevokeCause) -> Cause {
    match cause {
        RevokeCause::Timeout => Cause::Timeout,
        RevokeCause::Cancel => Cause::Cancel,
        RevokeCause::Skipped => Cause::Skipped,
        RevokeCause::Failed => Cause::Failed,
        RevokeCause::Device => Cause::Device,
        RevokeCause::Circle => Cause::Circle,
    }
}

fn end(outcome: Outcome, at: &mut impl FnMut(core::JobId) -> usize) -> (State, EndCause) {
    match outcome {
        Outcome::Done => (State::Done, EndCause::None),
        Outcome::Failed(core::Failure::Error) => (State::Failed, EndCause::Error),
        Outcome::Failed(core::Failure::Timeout) => (State::Failed, EndCause::Timeout),
        Outcome::Failed(core::Failure::Device) => (State::Failed, EndCause::Device),
        Outcome::Cancelled => (State::Cancelled, EndCause::Cancel),
        Outcome::Skipped(by) => (State::Skipped, EndCause::Upstream(at(by))),
    }
}
