//! What the author of a sound line may want to know.

use std::collections::HashSet;

use crate::circles;
use crate::fields::cut;
use crate::fit::{matches, may_fall_back};
use crate::line::{Fallback, Job, Line, Place};
use crate::problem::Code;
use crate::quantity::show_duration;
use crate::read::{JobPlaces, LinePlaces};
use crate::report::{Finding, Report};
use crate::tree::Bytes;

pub(crate) fn add(line: &Line, places: &LinePlaces, report: &mut Report) {
    if line.jobs.is_empty() {
        report.add(
            Finding::warning(Code::NoJobs, Bytes::default(), "this line has no jobs")
                .help("write a `[[job]]` with its `name`"),
        );
    }
    unused(line, places, report);
    units_without_memory(line, places, report);
    let has_cpu = line.units.iter().any(|unit| unit.place == Place::Cpu);
    if let Some(at) = places.policy_fallback
        && line.policy.fallback == Fallback::Allow
        && !has_cpu
    {
        no_effect(at, "there is no CPU place to fall back to", report);
    }
    for (job, places) in line.jobs.iter().zip(&places.jobs) {
        without_effect(job, places, has_cpu, report);
        timeout(job, places, has_cpu, report);
        duplicate_edges(line, job, places, report);
    }
    circles::warn(line, places, report);
}

fn no_effect(at: Bytes, message: &str, report: &mut Report) {
    report.add(Finding::warning(Code::NoEffect, at, message).help("leave it out"));
}

fn unused(line: &Line, places: &LinePlaces, report: &mut Report) {
    let models: HashSet<u32> = line.jobs.iter().filter_map(|job| job.model).collect();
    let streams: HashSet<u32> = line.jobs.iter().filter_map(|job| job.stream).collect();
    let models = (0_u32..).zip(&line.models).filter(|(index, _)| !models.contains(index));
    for (index, model) in models {
        let message = format!("no job names the model `{}`", cut(&model.name));
        let at = places.models[index as usize];
        report.add(Finding::warning(Code::Unused, at, message).help("leave it out, or name it"));
    }
    let streams = (0_u32..).zip(&line.streams).filter(|(index, _)| !streams.contains(index));
    for (index, stream) in streams {
        let message = format!("no job names the stream `{}`", cut(&stream.name));
        let at = places.streams[index as usize];
        report.add(Finding::warning(Code::Unused, at, message).help("leave it out, or name it"));
    }
}

/// A device whose memory was forgotten is passed over by every job that needs some.
fn units_without_memory(line: &Line, places: &LinePlaces, report: &mut Report) {
    let wanted = |place| {
        let wants = |job: &&Job| job.memory > 0 && matches(job.needs, place);
        line.jobs.iter().find(wants).map(|job| cut(&job.name))
    };
    let wanted = [Place::Cuda, Place::Vulkan, Place::Cpu].map(|place| (place, wanted(place)));
    for (unit, from) in line.units.iter().zip(&places.units) {
        let job = wanted.iter().find(|(place, _)| *place == unit.place);
        if let (true, Some((_, Some(job)))) = (from.memory_absent, job) {
            let name = cut(&unit.name);
            let message = format!(
                "`{name}` has no memory, so `{job}`, which needs some, never \
                                   goes there"
            );
            report.add(
                Finding::warning(Code::NoMemory, from.at, message)
                    .help("write `memory = \"8GiB\"`, or what it has"),
            );
        }
    }
}

/// Keys of a job that change nothing.
fn without_effect(job: &Job, places: &JobPlaces, has_cpu: bool, report: &mut Report) {
    if let Some(at) = places.inflight.filter(|_| !job.image_grain()) {
        no_effect(at, "a whole-grain job has one lease at once", report);
    }
    let images = job.images as usize;
    if let Some(at) = places.time.filter(|_| images > 0 && job.time.len() > images) {
        let message = format!("of {} times only the first {images} are used", job.time.len());
        report.add(
            Finding::warning(Code::NoEffect, at, message).help("write one for each image at most"),
        );
    }
    if let Some(at) = places.cpu_time.filter(|_| !(has_cpu && may_use_cpu(job))) {
        no_effect(at, "this job never runs on a CPU place", report);
    }
    if let Some(at) = places.fallback.filter(|_| job.fallback == Fallback::Allow) {
        if !may_fall_back(job.needs, job.profile.is_some()) {
            let message = "only jobs that need gpu, cuda or vulkan, without a profile, fall back";
            no_effect(at, message, report);
        } else if !has_cpu {
            no_effect(at, "there is no CPU place to fall back to", report);
        }
    }
}

fn may_use_cpu(job: &Job) -> bool {
    let falls_back =
        job.fallback == Fallback::Allow && may_fall_back(job.needs, job.profile.is_some());
    matches(job.needs, Place::Cpu) || falls_back
}

/// A job of which some image alone takes longer than the timeout never ends as done.
fn timeout(job: &Job, places: &JobPlaces, has_cpu: bool, report: &mut Report) {
    let (Some(timeout), Some(at)) = (job.timeout, places.timeout) else {
        return;
    };
    let longest = |times: &[u64]| {
        let startup = |image: usize| match image == 0 || job.image_grain() {
            true => job.startup,
            false => 0,
        };
        let images = times.iter().take(job.images as usize).enumerate();
        images.map(|(image, time)| time.saturating_add(startup(image))).max().unwrap_or(0)
    };
    let mut least = longest(&job.time);
    if let Some(cpu_time) = job.cpu_time.as_ref().filter(|_| has_cpu && may_use_cpu(job)) {
        least = least.min(longest(cpu_time));
    }
    if least > timeout {
        let message = format!(
            "a start of `{}` takes {} at least, and its timeout is {}: it always times out",
            cut(&job.name),
            show_duration(least),
            show_duration(timeout)
        );
        report.add(
            Finding::warning(Code::AlwaysTimesOut, at, message).help("write a longer `timeout`"),
        );
    }
}

fn duplicate_edges(line: &Line, job: &Job, places: &JobPlaces, report: &mut Report) {
    if job.after.len() < 2 {
        return;
    }
    let mut seen = HashSet::new();
    for (edge, at) in job.after.iter().zip(&places.edges) {
        if !seen.insert(edge.upstream) {
            let upstream = cut(&line.jobs[edge.upstream as usize].name);
            let message = format!("another edge from `{upstream}`");
            report.add(
                Finding::warning(Code::DuplicateEdge, *at, message).help("one of them will do"),
            );
        }
    }
}
