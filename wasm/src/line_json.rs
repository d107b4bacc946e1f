//! A checked line as JSON, for the page.

use lineside_line::{
    Edge, Fallback, FaultEvent, Job, Kind, Line, Mode, Needs, On, Order, Phase, Place, Placement,
    Pool,
};
use serde_json::{Value, json};

pub(crate) fn text(line: &Line) -> String {
    let unit = |unit: &lineside_line::Unit| {
        json!({
            "name": unit.name,
            "place": place(unit.place),
            "memory": unit.memory,
            "budget": unit.budget,
            "slots": unit.slots,
            "profile": unit.profile.map(|at| &line.profiles[at as usize]),
            "gpu": unit.gpu,
        })
    };
    let units: Vec<_> = line.units.iter().map(unit).collect();
    let models = line.models.iter();
    let models: Vec<_> = models
        .map(|it| json!({ "name": it.name, "weights": it.weights, "cold": it.cold }))
        .collect();
    let streams = line.streams.iter();
    let streams: Vec<_> = streams.map(|it| json!({ "name": it.name, "limit": it.limit })).collect();
    let jobs: Vec<_> = line.jobs.iter().map(|it| job(line, it)).collect();
    json!({
        "name": line.name,
        "description": line.description,
        "policy": policy(line),
        "units": units,
        "models": models,
        "streams": streams,
        "jobs": jobs,
        "faults": line.faults.iter().map(fault).collect::<Vec<_>>(),
    })
    .to_string()
}

fn job(line: &Line, job: &Job) -> Value {
    json!({
        "name": job.name,
        "legacy": job.kind == Kind::Legacy,
        "kind": match job.kind { Kind::Standard => "standard", Kind::Legacy => "legacy" },
        "phase": match job.phase { Phase::Train => "train", Phase::Process => "process" },
        "grain": if job.image_grain() { "image" } else { "whole" },
        "images": job.images,
        "batch": job.batch,
        "inflight": job.inflight,
        "threads": job.threads,
        "priority": job.priority,
        "memory": job.memory,
        "gpus": job.gpus,
        "needs": needs(job.needs),
        "profile": job.profile.map(|at| &line.profiles[at as usize]),
        "model": job.model,
        "stream": job.stream,
        "after": job.after.iter().map(edge).collect::<Vec<_>>(),
        "time": job.time,
        "startup": job.startup,
        "arrive": job.arrive,
        "every": job.every,
        "timeout": job.timeout,
        "retries": job.retries,
        "fallback": job.fallback == Fallback::Allow,
        "path": job.path,
        "declared": job.declared,
    })
}

fn edge(edge: &Edge) -> Value {
    json!({
        "upstream": edge.upstream,
        "mode": match edge.mode { Mode::Barrier => "barrier", Mode::Stream => "stream" },
        "depth": edge.depth,
        "on": match edge.on { On::Success => "success", On::End => "end" },
    })
}

fn fault(fault: &lineside_line::Fault) -> Value {
    let (event, unit, job) = match fault.event {
        FaultEvent::Down(unit) => ("down", Some(unit), None),
        FaultEvent::Up(unit) => ("up", Some(unit), None),
        FaultEvent::Drain(unit) => ("drain", Some(unit), None),
        FaultEvent::Cancel(job) => ("cancel", None, Some(job)),
    };
    json!({ "at": fault.at, "event": event, "unit": unit, "job": job })
}

fn policy(line: &Line) -> Value {
    let policy = &line.policy;
    json!({
        "order": match policy.order {
            Order::StandardFirst => "standard-first",
            Order::Fifo => "fifo",
            Order::OldestImage => "oldest-image",
            Order::CriticalPath => "critical-path",
        },
        "placement": match policy.placement {
            Placement::Fit => "fit",
            Placement::Balance => "balance",
            Placement::Rotate => "rotate",
            Placement::Pack => "pack",
        },
        "overtake": policy.overtake,
        "patience": policy.patience,
        "pool": match policy.pool { Pool::Keep => "keep", Pool::Free => "free" },
        "headroom": policy.headroom,
    })
}

fn place(place: Place) -> &'static str {
    match place {
        Place::Cuda => "cuda",
        Place::Vulkan => "vulkan",
        Place::Cpu => "cpu",
    }
}

fn needs(needs: Needs) -> &'static str {
    match needs {
        Needs::Gpu => "gpu",
        Needs::Cuda => "cuda",
        Needs::Vulkan => "vulkan",
        Needs::Cpu => "cpu",
        Needs::Any => "any",
    }
}
