//! A workload from a checked line.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use lineside_core as core;
use lineside_line as line;

use crate::workload::{Class, Happening, Inject, Trouble, WorkEdge, WorkJob, Workload};

impl Workload {
    /// What the rules look at, of this line. Jobs that are alike share a class.
    ///
    /// ```
    /// let line = lineside_line::Line::default();
    /// assert!(lineside_backends::Workload::from_line(&line).jobs.is_empty());
    /// ```
    pub fn from_line(line: &line::Line) -> Self {
        let mut workload = Workload {
            policy: policy(&line.policy),
            units: line.units.iter().map(unit).collect(),
            models: line.models.iter().map(model).collect(),
            cold: line.models.iter().map(|model| model.cold).collect(),
            streams: line.streams.iter().map(stream).collect(),
            classes: Vec::new(),
            jobs: Vec::with_capacity(line.jobs.len()),
            edges: Vec::new(),
            faults: line.faults.iter().map(trouble).collect(),
        };
        let mut classes = BTreeMap::new();
        for job in &line.jobs {
            workload.edges.extend(job.after.iter().map(edge));
            let class = class_of(job, &mut classes, &mut workload.classes);
            workload.jobs.push(WorkJob {
                class,
                edges_end: workload.edges.len() as u32,
                arrive: job.arrive,
                path: job.path,
            });
        }
        workload
    }
}

/// Everything in a class, as something that can be looked up.
type ClassKey = (Vec<u64>, Vec<u64>, Vec<(u32, u32)>);

fn class_of(job: &line::Job, known: &mut BTreeMap<ClassKey, u32>, classes: &mut Vec<Class>) -> u32 {
    let class = class(job);
    // Most often a job is like the one before.
    if classes.last() == Some(&class) {
        return classes.len() as u32 - 1;
    }
    *known.entry(key(&class)).or_insert_with(|| {
        classes.push(class);
        classes.len() as u32 - 1
    })
}

fn key(class: &Class) -> ClassKey {
    let spec = &class.spec;
    let index = |index: Option<u32>| index.map_or(u64::MAX, u64::from);
    let mut numbers = alloc::vec![
        spec.kind as u64,
        spec.phase as u64,
        spec.images.into(),
        spec.batch.into(),
        spec.inflight.into(),
        spec.threads.into(),
        spec.priority as u64,
        spec.memory,
        spec.gpus.into(),
        spec.needs as u64,
        index(spec.profile.map(|profile| profile.0)),
        index(spec.model.map(|model| model.0)),
        index(spec.stream.map(|stream| stream.0)),
        spec.timeout.unwrap_or(0),
        spec.retries.into(),
        spec.fallback as u64,
        class.startup,
        class.every.unwrap_or(0),
    ];
    numbers.extend(&class.time);
    let on_cpu = class.cpu_time.clone().unwrap_or_default();
    (numbers, on_cpu, class.inject.iter().map(|it| (it.image, it.times)).collect())
}

fn class(job: &line::Job) -> Class {
    let inject = |it: &line::Inject| Inject { image: it.image, times: it.times };
    Class {
        spec: spec(job),
        time: job.time.clone(),
        cpu_time: job.cpu_time.clone(),
        startup: job.startup,
        every: job.every,
        inject: job.inject.iter().map(inject).collect(),
    }
}

fn spec(job: &line::Job) -> core::JobSpec {
    core::JobSpec {
        kind: match job.kind {
            line::Kind::Standard => core::Kind::Standard,
            line::Kind::Legacy => core::Kind::Legacy,
        },
        phase: match job.phase {
            line::Phase::Train => core::Phase::Train,
            line::Phase::Process => core::Phase::Process,
        },
        images: job.images,
        batch: job.batch,
        inflight: job.inflight,
        threads: job.threads,
        priority: job.priority,
        memory: job.memory,
        gpus: job.gpus,
        needs: match job.needs {
            line::Needs::Gpu => core::Needs::Gpu,
            line::Needs::Cuda => core::Needs::Cuda,
            line::Needs::Vulkan => core::Needs::Vulkan,
            line::Needs::Cpu => core::Needs::Cpu,
            line::Needs::Any => core::Needs::Any,
        },
        profile: job.profile.map(core::ProfileId),
        model: job.model.map(core::ModelId),
        stream: job.stream.map(core::StreamId),
        timeout: job.timeout,
        retries: job.retries,
        fallback: match job.fallback {
            line::Fallback::Forbid => core::Fallback::Forbid,
            line::Fallback::Allow => core::Fallback::Allow,
        },
        path: 0,
    }
}

fn policy(policy: &line::Policy) -> core::Policy {
    core::Policy {
        order: match policy.order {
            line::Order::StandardFirst => core::Order::StandardFirst,
            line::Order::Fifo => core::Order::Fifo,
            line::Order::OldestImage => core::Order::OldestImage,
            line::Order::CriticalPath => core::Order::CriticalPath,
        },
        placement: match policy.placement {
            line::Placement::Fit => core::Placement::Fit,
            line::Placement::Balance => core::Placement::Balance,
            line::Placement::Rotate => core::Placement::Rotate,
            line::Placement::Pack => core::Placement::Pack,
        },
        overtake: policy.overtake,
        patience: policy.patience,
        pool: match policy.pool {
            line::Pool::Keep => core::Pool::Keep,
            line::Pool::Free => core::Pool::Free,
        },
    }
}

fn unit(unit: &line::Unit) -> core::UnitSpec {
    core::UnitSpec {
        place: match unit.place {
            line::Place::Cuda => core::Place::Cuda,
            line::Place::Vulkan => core::Place::Vulkan,
            line::Place::Cpu => core::Place::Cpu,
        },
        budget: unit.budget,
        slots: unit.slots,
        profile: unit.profile.map(core::ProfileId),
    }
}

fn model(model: &line::Model) -> core::ModelSpec {
    core::ModelSpec { weights: model.weights }
}

fn stream(stream: &line::Stream) -> core::StreamSpec {
    core::StreamSpec { limit: stream.limit }
}

fn edge(edge: &line::Edge) -> WorkEdge {
    let upstream = edge.upstream;
    match edge.mode {
        line::Mode::Stream => WorkEdge::Stream { upstream, depth: edge.depth },
        line::Mode::Barrier => WorkEdge::Barrier {
            upstream,
            on: match edge.on {
                line::On::Success => core::On::Success,
                line::On::End => core::On::End,
            },
        },
    }
}

fn trouble(fault: &line::Fault) -> Trouble {
    let what = match fault.event {
        line::FaultEvent::Down(unit) => Happening::Down(unit),
        line::FaultEvent::Up(unit) => Happening::Up(unit),
        line::FaultEvent::Drain(unit) => Happening::Drain(unit),
        line::FaultEvent::Cancel(job) => Happening::Cancel(job),
    };
    Trouble { at: fault.at, what }
}
