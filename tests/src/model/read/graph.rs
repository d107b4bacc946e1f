//! Sections 1, 3, and 6: what depends on how the jobs hang together, and on the units.

use super::super::{Edge, EdgeKind, Fallback, JobSpec, LineJob, Needs, On, Place, Policy};
use super::super::{Time, UnitSpec};
use super::fields::Named;
use super::jobs::{After, Declared, Mode, check_images};

/// Puts declared jobs in the order of their index, with edges, images, and paths.
pub(super) fn order(declared: Named<Declared>) -> Result<Named<LineJob>, String> {
    let upstreams = upstreams(&declared)?;
    let order = topological_order(&declared, &upstreams)?;
    let place = |index: usize| order.iter().position(|&other| other == index);

    let mut jobs: Named<LineJob> = Named::new("job");
    for &index in &order {
        let name = &declared.names[index];
        let Declared { job, images, after } = &declared.items[index];
        let mut job = job.clone();
        for (entry, &upstream) in after.iter().zip(&upstreams[index]) {
            let upstream = place(upstream).expect("all jobs are in the order");
            let kind = edge_kind(name, entry, &jobs.items[upstream].spec, &job.spec)?;
            job.edges.push(Edge { upstream, kind });
        }
        let streams = job.edges.iter().filter(|edge| matches!(edge.kind, EdgeKind::Stream { .. }));
        let mut through = streams.map(|edge| jobs.items[edge.upstream].spec.images);
        let inherited = through.clone().next().unwrap_or(1);
        job.spec.images = images.unwrap_or(inherited);
        if through.any(|images| images != job.spec.images) {
            return Err(format!("job `{name}`: a stream edge joins unequal `images`"));
        }
        check_images(name, &job)?;
        jobs.add(name, job)?;
    }
    for job in (0..jobs.items.len()).rev() {
        jobs.items[job].spec.path = path(job, &jobs.items);
    }
    Ok(jobs)
}

/// By job: the indexes of its upstreams, as declared.
fn upstreams(declared: &Named<Declared>) -> Result<Vec<Vec<usize>>, String> {
    let find = |after: &After| declared.find(&after.job);
    declared.items.iter().map(|job| job.after.iter().map(find).collect()).collect()
}

/// Section 1, index: at each step the one declared first among those whose upstreams are all
/// placed.
fn topological_order(
    declared: &Named<Declared>,
    upstreams: &[Vec<usize>],
) -> Result<Vec<usize>, String> {
    let mut order: Vec<usize> = Vec::new();
    while order.len() < upstreams.len() {
        let is_next = |job: &usize| {
            !order.contains(job) && upstreams[*job].iter().all(|up| order.contains(up))
        };
        let Some(next) = (0..upstreams.len()).find(is_next) else {
            let left = (0..upstreams.len()).filter(|job| !order.contains(job));
            let names: Vec<&str> = left.map(|job| declared.names[job].as_str()).collect();
            return Err(format!("there is a cycle among {}", names.join(", ")));
        };
        order.push(next);
    }
    Ok(order)
}

/// Section 1, edge: its mode, and what that allows.
fn edge_kind(
    name: &str,
    after: &After,
    upstream: &JobSpec,
    downstream: &JobSpec,
) -> Result<EdgeKind, String> {
    let both_by_image = upstream.is_image_grain() && downstream.is_image_grain();
    let default = match both_by_image && after.on == On::Success {
        true => Mode::Stream,
        false => Mode::Barrier,
    };
    match (after.mode.unwrap_or(default), after.depth, after.on) {
        (Mode::Barrier, None, on) => Ok(EdgeKind::Barrier(on)),
        (Mode::Barrier, Some(_), _) => {
            Err(format!("job `{name}`: `depth` on a barrier edge from `{}`", after.job))
        }
        (Mode::Stream, depth, On::Success) => Ok(EdgeKind::Stream { depth: depth.unwrap_or(0) }),
        (Mode::Stream, _, On::End) => {
            Err(format!("job `{name}`: a stream edge from `{}` with `on = \"end\"`", after.job))
        }
    }
}

/// Section 3: `startup` + Σ `time` over all images + the longest path among the downstreams.
/// Those stand behind the job, and have theirs already.
fn path(job: usize, jobs: &[LineJob]) -> Time {
    let is_downstream = |other: &&LineJob| other.edges.iter().any(|edge| edge.upstream == job);
    let longest = jobs.iter().filter(is_downstream).map(|other| other.spec.path).max();
    let LineJob { spec, startup, time, .. } = &jobs[job];
    let rounds = u128::from(spec.images) / time.len() as u128;
    let rest = spec.images as usize % time.len();
    let sum = |times: &[Time]| times.iter().map(|&time| u128::from(time)).sum::<u128>();
    let images = rounds * sum(time) + sum(&time[..rest]);
    let path = u128::from(*startup) + images + u128::from(longest.unwrap_or(0));
    // Time saturates rather than wraps.
    Time::try_from(path).unwrap_or(Time::MAX)
}

/// Section 1: refuses a line that could never be drained, in which an image waits for itself.
///
/// Images are drained, in any order, once all that they wait for are; where that comes to a
/// stop, those that are left wait for each other.
pub(super) fn check_drains(jobs: &[LineJob]) -> Result<(), String> {
    let mut drained: Vec<Vec<bool>> =
        jobs.iter().map(|job| vec![false; job.spec.images as usize]).collect();
    loop {
        let mut progress = false;
        for job in 0..jobs.len() {
            for k in 0..drained[job].len() {
                if !drained[job][k] && may_drain(jobs, &drained, job, k) {
                    drained[job][k] = true;
                    progress = true;
                }
            }
        }
        if drained.iter().flatten().all(|&image| image) {
            return Ok(());
        }
        if !progress {
            return Err("the line could never be drained: an image waits for itself".to_string());
        }
    }
}

/// Whether all that image k waits for is drained.
fn may_drain(jobs: &[LineJob], drained: &[Vec<bool>], job: usize, k: usize) -> bool {
    let given = jobs[job].edges.iter().all(|edge| match edge.kind {
        EdgeKind::Stream { .. } => drained[edge.upstream][k],
        EdgeKind::Barrier(_) => is_drained(jobs, drained, edge.upstream),
    });
    let mut room = true;
    for (downstream, other) in jobs.iter().enumerate() {
        for edge in other.edges.iter().filter(|edge| edge.upstream == job) {
            if let EdgeKind::Stream { depth } = edge.kind
                && depth > 0
                && k as u64 >= depth
            {
                room &= drained[downstream][k - depth as usize];
            }
        }
    }
    given && room
}

/// Whether a barrier behind the job is open: its last image is drained, or, if it has none, what
/// it waits for itself.
fn is_drained(jobs: &[LineJob], drained: &[Vec<bool>], job: usize) -> bool {
    match drained[job].last() {
        Some(&last) => last,
        None => jobs[job].edges.iter().all(|edge| is_drained(jobs, drained, edge.upstream)),
    }
}

/// Section 6: refuses a job that no set of the units could ever hold.
pub(super) fn check_fits(
    name: &str,
    spec: &JobSpec,
    weights: u64,
    units: &[UnitSpec],
    policy: &Policy,
) -> Result<(), String> {
    let holds = |unit: &&UnitSpec| {
        u128::from(spec.memory) + u128::from(weights) <= u128::from(unit.budget(policy))
    };
    let matching = units.iter().filter(holds).filter(|unit| spec.matches(unit)).count() as u64;
    let cpus = units.iter().filter(holds).filter(|unit| unit.place == Place::Cpu).count() as u64;
    let needs_gpu = matches!(spec.needs, Needs::Gpu | Needs::Cuda | Needs::Vulkan);
    let falls_back = spec.fallback == Fallback::Allow && needs_gpu && spec.profile.is_none();
    let fits = matching >= spec.gpus || falls_back && cpus >= spec.gpus;
    // A job with N = 0 needs no unit and always fits.
    match fits || spec.images == 0 {
        true => Ok(()),
        false => Err(format!("job `{name}` never fits: too few units could ever hold it")),
    }
}
