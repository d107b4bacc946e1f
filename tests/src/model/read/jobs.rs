//! Section 1: the jobs, as they are declared.

use toml::{Table, Value};

use super::super::{Fallback, Inject, JobSpec, Kind, LineJob, Needs, On, Phase};
use super::devices::is_profile;
use super::fields::{FALLBACKS, Fields, Named};
use super::{Tables, values};

/// Those that say what a job *does* have no influence on the rules: any value will do.
const KEYS: [&str; 32] = [
    "name", "kind", "phase", "images", "batch", "inflight", "threads", "priority", "memory",
    "gpus", "needs", "profile", "model", "stream", "after", "time", "startup", "cpu_time",
    "arrive", "every", "timeout", "retries", "fallback", "inject", "run", "worker", "kernel",
    "shell", "dir", "env", "grace", "ready",
];

/// A job as it is declared: without what depends on other jobs.
#[derive(Debug, Clone)]
pub(super) struct Declared {
    /// Without edges and path; with 0 images if they are left out.
    pub(super) job: LineJob,
    pub(super) images: Option<u64>,
    pub(super) after: Vec<After>,
}

/// An entry of `after`, as it is declared.
#[derive(Debug, Clone)]
pub(super) struct After {
    pub(super) job: String,
    pub(super) mode: Option<Mode>,
    pub(super) depth: Option<u64>,
    pub(super) on: On,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    Barrier,
    Stream,
}

pub(super) fn read_jobs(
    tables: &[&Table],
    names: &Tables,
    fallback: Fallback,
) -> Result<Named<Declared>, String> {
    let mut jobs = Named::new("job");
    for table in tables {
        let name = Fields::new(table, "[[job]]", &KEYS)?.name()?;
        let fields = Fields::new(table, format!("job `{name}`"), &KEYS)?;
        let images = fields.whole("images", 0..=u64::from(u32::MAX))?;
        let spec = read_spec(&fields, names, fallback)?;
        if spec.is_image_grain() && spec.batch.saturating_mul(spec.inflight) > 64 {
            return fields.refuse("batch", "small enough: `batch` × `inflight` is at most 64");
        }
        let job = LineJob {
            spec,
            edges: Vec::new(),
            arrive: fields.duration("arrive", 0)?.unwrap_or(0),
            every: fields.duration("every", 1)?,
            time: fields.durations("time")?.unwrap_or(vec![0]),
            cpu_time: fields.durations("cpu_time")?,
            startup: fields.duration("startup", 0)?.unwrap_or(0),
            inject: read_inject(&fields)?,
        };
        jobs.add(name, Declared { job, images, after: read_after(&fields)? })?;
    }
    Ok(jobs)
}

fn read_spec(fields: &Fields, names: &Tables, fallback: Fallback) -> Result<JobSpec, String> {
    let kinds = [("standard", Kind::Standard), ("legacy", Kind::Legacy)];
    let phases = [("train", Phase::Train), ("process", Phase::Process)];
    let needs = [
        ("gpu", Needs::Gpu),
        ("cuda", Needs::Cuda),
        ("vulkan", Needs::Vulkan),
        ("cpu", Needs::Cpu),
        ("any", Needs::Any),
    ];
    let profile = fields.text("profile")?;
    if profile.is_some_and(|profile| !is_profile(profile)) {
        return fields.refuse("profile", "a MIG profile of the table");
    }
    let model = fields.text("model")?.map(|name| names.models.find(name)).transpose()?;
    let stream = fields.text("stream")?.map(|name| names.streams.find(name)).transpose()?;
    Ok(JobSpec {
        kind: fields.choice("kind", &kinds)?.unwrap_or_default(),
        phase: fields.choice("phase", &phases)?.unwrap_or_default(),
        images: 0,
        batch: fields.count("batch")?.unwrap_or(1),
        inflight: fields.count("inflight")?.unwrap_or(1),
        threads: fields.count("threads")?.unwrap_or(1),
        priority: read_priority(fields)?,
        memory: fields.memory("memory")?.unwrap_or(0),
        gpus: fields.count("gpus")?.unwrap_or(1),
        needs: fields.choice("needs", &needs)?.unwrap_or_default(),
        profile: profile.map(str::to_string),
        model,
        stream,
        timeout: fields.duration("timeout", 1)?,
        retries: fields.whole("retries", 0..=u64::MAX)?.unwrap_or(0),
        fallback: fields.choice("fallback", &FALLBACKS)?.unwrap_or(fallback),
        path: 0,
    })
}

fn read_priority(fields: &Fields) -> Result<i8, String> {
    match fields.value("priority") {
        None => Ok(0),
        Some(value) => match value.as_integer().and_then(|value| i8::try_from(value).ok()) {
            Some(priority) => Ok(priority),
            None => fields.refuse("priority", "a whole number in -128..=127"),
        },
    }
}

fn read_inject(fields: &Fields) -> Result<Vec<Inject>, String> {
    let mut inject = Vec::new();
    for table in fields.tables("inject")? {
        let entry = Fields::new(table, "`inject`", &["image", "times"])?;
        let image = entry.whole("image", 0..=u64::MAX)?.ok_or("`inject` without an `image`")?;
        inject.push(Inject { image, times: entry.whole("times", 0..=u64::MAX)?.unwrap_or(1) });
    }
    Ok(inject)
}

fn read_after(fields: &Fields) -> Result<Vec<After>, String> {
    let list = match fields.value("after") {
        None => return Ok(Vec::new()),
        Some(Value::Array(list)) => list,
        Some(_) => return fields.refuse("after", "a list"),
    };
    let mut after = Vec::new();
    for entry in list {
        after.push(match entry {
            Value::String(job) => {
                After { job: job.clone(), mode: None, depth: None, on: On::Success }
            }
            Value::Table(table) => read_edge(table)?,
            _ => return fields.refuse("after", "a list of names and tables"),
        });
    }
    Ok(after)
}

fn read_edge(table: &Table) -> Result<After, String> {
    let fields = Fields::new(table, "`after`", &["job", "mode", "depth", "on"])?;
    let modes = [("barrier", Mode::Barrier), ("stream", Mode::Stream)];
    let ons = [("success", On::Success), ("end", On::End)];
    Ok(After {
        job: fields.text("job")?.ok_or("an entry of `after` without a `job`")?.to_string(),
        mode: fields.choice("mode", &modes)?,
        depth: fields.whole("depth", 0..=u64::MAX)?,
        on: fields.choice("on", &ons)?.unwrap_or_default(),
    })
}

/// Section 1: what depends on the number of images.
pub(super) fn check_images(name: &str, job: &LineJob) -> Result<(), String> {
    let images = job.spec.images;
    let last = u128::from(job.every.unwrap_or(0)) * u128::from(images);
    if u128::from(job.arrive) + last >= values::DURATION_END {
        return Err(format!("job `{name}`: its last image comes too late"));
    }
    if job.inject.iter().any(|inject| inject.image >= images) {
        return Err(format!("job `{name}`: `inject` names an image that it doesn't have"));
    }
    Ok(())
}
