//! The checked line out of drafts without a fault.

use crate::line::{Edge, Fault, Hardware, Inject, Job, Kind, Line, Mode, Needs, On, Phase, Policy};
use crate::tree::Bytes;

use super::jobs::{Images, ProfileName};
use super::policy::Header;
use super::{Devices, Faces, JobDraft, Jobs, PolicyDraft, Things};

/// All drafts of a file, in which nothing has been refused.
pub(super) struct Sources<'t> {
    pub(super) header: Header,
    pub(super) policy: PolicyDraft,
    pub(super) faces: Faces<'t>,
    pub(super) hardware: Vec<Hardware>,
    pub(super) devices: Devices<'t>,
    pub(super) things: Things<'t>,
    pub(super) jobs: Jobs<'t>,
    pub(super) order: Vec<u32>,
    pub(super) faults: Vec<Fault>,
}

/// Where the parts of a [`Line`] stand in the text, for warnings.
pub(crate) struct LinePlaces {
    /// Of each unit, where its device stands and whether that lacks any word about memory.
    pub(crate) units: Vec<super::devices::UnitPlace>,
    pub(crate) models: Vec<Bytes>,
    pub(crate) streams: Vec<Bytes>,
    /// Where `fallback = "allow"` stands in the policy.
    pub(crate) policy_fallback: Option<Bytes>,
    /// Of each job.
    pub(crate) jobs: Vec<JobPlaces>,
}

/// Where the parts of a job stand; of keys, where their values do, if they are given.
pub(crate) struct JobPlaces {
    pub(crate) inflight: Option<Bytes>,
    pub(crate) time: Option<Bytes>,
    pub(crate) cpu_time: Option<Bytes>,
    pub(crate) timeout: Option<Bytes>,
    pub(crate) fallback: Option<Bytes>,
    /// Of each edge.
    pub(crate) edges: Vec<Bytes>,
}

pub(super) fn line(sources: Sources<'_>) -> (Line, LinePlaces) {
    let Sources { header, policy, faces, hardware, mut devices, things, jobs, order, faults } =
        sources;
    let Jobs { drafts, edges, .. } = jobs;
    let mut index = vec![0_u32; drafts.len()];
    for (place, job) in (0_u32..).zip(&order) {
        index[*job as usize] = place;
    }
    let edge = |edge: &super::EdgeDraft<'_>| Edge {
        upstream: index[edge.up.unwrap_or(0) as usize],
        mode: edge.settled.unwrap_or(Mode::Barrier),
        depth: edge.depth().unwrap_or(0),
        on: edge.on().unwrap_or(On::Success),
    };
    let mut drafts: Vec<Option<JobDraft<'_>>> = drafts.into_iter().map(Some).collect();
    let mut placed = Vec::with_capacity(order.len());
    let mut places = Vec::with_capacity(order.len());
    for declared in &order {
        // Each job stands once in the order.
        let Some(draft) = drafts[*declared as usize].take() else {
            continue;
        };
        let own = &edges[draft.edges.clone()];
        places.push(job_places(&draft, own.iter().map(|edge| edge.at).collect()));
        let after = own.iter().map(edge).collect();
        placed.push(job(draft, after, *declared, &policy.policy, &mut devices));
    }
    add_paths(&mut placed);
    let places = LinePlaces {
        units: devices.places,
        models: things.model_places,
        streams: things.stream_places,
        policy_fallback: policy.fallback_at,
        jobs: places,
    };
    let line = Line {
        name: header.name,
        description: header.description,
        files: header.files,
        policy: policy.policy,
        faces: faces.faces,
        hardware,
        units: devices.units,
        models: things.models,
        streams: things.streams,
        profiles: devices.profiles,
        jobs: placed,
        faults,
    };
    (line, places)
}

fn job(
    draft: JobDraft<'_>,
    after: Vec<Edge>,
    declared: u32,
    policy: &Policy,
    devices: &mut Devices<'_>,
) -> Job {
    let image_grain = draft.image_grain() == Some(true);
    let images = draft.count.unwrap_or(0);
    let files = match draft.images.good() {
        Some(Images::Files(files)) => files.clone(),
        Some(Images::Count(_)) | None => Vec::new(),
    };
    let profile = draft.profile.good().map(|profile| match profile {
        ProfileName::Here(index) => *index,
        // Only a job without images may name a profile that no unit has.
        ProfileName::Elsewhere(name) => devices.take_profile(name),
    });
    let inject = draft.inject.iter().map(|inject| Inject {
        image: inject.image.or(0).unwrap_or(0),
        times: inject.times.unwrap_or(1),
    });
    Job {
        kind: draft.kind.or(Kind::Standard).unwrap_or(Kind::Standard),
        phase: draft.phase.or(Phase::Process).unwrap_or(Phase::Process),
        images,
        files,
        batch: draft.batch.or(1).unwrap_or(1),
        inflight: if image_grain { draft.inflight.or(1).unwrap_or(1) } else { 1 },
        threads: draft.threads.or(1).unwrap_or(1),
        priority: draft.priority.or(0).unwrap_or(0),
        memory: draft.memory.or(0).unwrap_or(0),
        gpus: draft.gpus.or(1).unwrap_or(1),
        needs: draft.needs.or(Needs::Gpu).unwrap_or(Needs::Gpu),
        profile,
        model: draft.model.good().copied(),
        stream: draft.stream.good().copied(),
        after,
        time: draft.time.good().cloned().unwrap_or_else(|| vec![0]),
        startup: draft.startup.or(0).unwrap_or(0),
        cpu_time: draft.cpu_time.good().cloned(),
        arrive: draft.arrive.or(0).unwrap_or(0),
        every: draft.every.good().copied(),
        timeout: draft.timeout.good().copied(),
        retries: draft.retries.or(0).unwrap_or(0),
        fallback: draft.fallback.or(policy.fallback).unwrap_or(policy.fallback),
        inject: inject.collect(),
        path: 0,
        declared,
        face: draft.face,
        action: draft.action,
        name: match draft.name {
            crate::fields::Given::Good(name, _) => name.into_owned(),
            crate::fields::Given::Absent | crate::fields::Given::Bad => String::new(),
        },
    }
}

fn job_places(draft: &JobDraft<'_>, edges: Vec<Bytes>) -> JobPlaces {
    JobPlaces {
        // One at once is what a whole-grain job has anyway.
        inflight: draft.inflight.at().filter(|_| draft.inflight.good() > Some(&1)),
        time: draft.time.at(),
        cpu_time: draft.cpu_time.at(),
        timeout: draft.timeout.at(),
        fallback: draft.fallback.at(),
        edges,
    }
}

/// The longest way to the end from each job; downstreams stand after their upstreams.
fn add_paths(jobs: &mut [Job]) {
    // The longest among the downstreams of each job.
    let mut longest = vec![0_u64; jobs.len()];
    for index in (0..jobs.len()).rev() {
        let job = &mut jobs[index];
        job.path = own_path(job).saturating_add(longest[index]);
        for edge in &job.after {
            let upstream = &mut longest[edge.upstream as usize];
            *upstream = (*upstream).max(job.path);
        }
    }
}

/// `startup`, and `time` over all images.
fn own_path(job: &Job) -> u64 {
    let length = job.time.len() as u128;
    let sum = |times: &[u64]| times.iter().map(|time| u128::from(*time)).sum::<u128>();
    let (rounds, rest) = (u128::from(job.images) / length, u128::from(job.images) % length);
    let all = sum(&job.time).saturating_mul(rounds) + sum(&job.time[..rest as usize]);
    u64::try_from(all.saturating_add(u128::from(job.startup))).unwrap_or(u64::MAX)
}
