//! Leases with nothing to do.

use std::collections::BTreeMap;

use lineside_line::{Edge, Mode};

use super::{could_use, some_of};
use crate::duration::duration;
use crate::summary::share;
use crate::timeline::{How, Kind, Lease, Timeline};
use crate::words;
use lineside_line::trace::RevokeCause;

/// Whom a starved lease waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Blame {
    /// Images of this job, over the job's edge of that number.
    Upstream(u32, usize),
    /// This job takes no more images, for the depth of its edge of that number.
    Downstream(u32, usize),
    /// The next image, from outside.
    Feed,
    Unknown,
}

/// When the starts of each job began, and when they were done; both in order.
struct Times {
    begun: Vec<Vec<u64>>,
    done: Vec<Vec<u64>>,
}

/// Jobs that held a unit for long with nothing in flight, the worst first.
pub(super) fn starved(timeline: &Timeline<'_>) -> Vec<String> {
    let mut jobs: Vec<(u64, u64)> = vec![(0, 0); timeline.jobs.len()];
    for lease in &timeline.leases {
        let (idle, held) = &mut jobs[lease.job as usize];
        let starved = timeline.bars_of(lease).filter(|bar| bar.kind == Kind::Starved);
        *idle += starved.map(|bar| bar.to - bar.from).sum::<u64>();
        *held += lease.to - lease.from;
    }
    let much = |&(_, (idle, held)): &(u32, (u64, u64))| {
        share(idle, held) >= 0.05 && share(idle, timeline.end) >= 0.02
    };
    let mut worst: Vec<(u32, (u64, u64))> = (0..).zip(jobs).filter(much).collect();
    worst.sort_by_key(|&(job, (idle, _))| (std::cmp::Reverse(idle), job));
    worst.truncate(super::EACH_AT_MOST);
    if worst.is_empty() {
        return Vec::new();
    }
    let times = Times::of(timeline);
    worst.into_iter().map(|(job, time)| starved_job(timeline, &times, job, time)).collect()
}

fn starved_job(
    timeline: &Timeline<'_>,
    times: &Times,
    job: u32,
    (idle, held): (u64, u64),
) -> String {
    let mut blames: BTreeMap<Blame, u64> = BTreeMap::new();
    let mut units: Vec<&str> = Vec::new();
    let downstreams = held_back_by(timeline, job);
    for lease in timeline.leases.iter().filter(|lease| lease.job == job) {
        for gap in timeline.bars_of(lease).filter(|bar| bar.kind == Kind::Starved) {
            let blame = times.blame(timeline, job, &downstreams, (gap.from, gap.to));
            *blames.entry(blame).or_default() += gap.to - gap.from;
        }
        let names = timeline.places_of(lease).iter().map(|at| timeline.unit_name(at.unit));
        units.extend(names);
    }
    units.sort_unstable();
    units.dedup();
    let most = blames.into_iter().max_by_key(|&(blame, time)| (time, std::cmp::Reverse(blame)));
    let (waits_for, advice) = match most.map_or(Blame::Unknown, |(blame, _)| blame) {
        Blame::Upstream(up, edge) => upstream(timeline, job, up, edge),
        Blame::Downstream(down, edge) => downstream(timeline, down, edge),
        Blame::Feed => (
            "it waited for its next image to be fed".to_string(),
            "`kind = \"legacy\"` gives the unit back between two images".to_string(),
        ),
        Blame::Unknown => (
            "it took long from one start to the next".to_string(),
            "A larger `batch` makes fewer starts".to_string(),
        ),
    };
    format!(
        "`{}` held {} for {} with nothing in flight, {} of its time there: {waits_for}. \
         {advice}.",
        timeline.job_name(job),
        some_of(units),
        duration(idle),
        words::percent(share(idle, held)),
    )
}

/// What to do about an upstream that is too slow.
fn upstream(timeline: &Timeline<'_>, job: u32, up: u32, edge: usize) -> (String, String) {
    let line = timeline.line;
    let (spec, up_spec) = (&line.jobs[job as usize], &line.jobs[up as usize]);
    let edge: &Edge = &spec.after[edge];
    let usable = line.units.iter().filter(|unit| could_use(line, up_spec, unit)).count() as u64;
    let shared = line
        .units
        .iter()
        .any(|unit| could_use(line, spec, unit) && could_use(line, up_spec, unit) && usable <= 1);
    let name = &up_spec.name;
    let mut advice = Vec::new();
    let waited: u64 = timeline.waits.iter().filter(|it| it.job == up).map(|it| it.length()).sum();
    if shared {
        advice.push("Both want the same unit: add a second one".to_string());
    } else if share(waited, timeline.end) >= 0.2 && up_spec.priority <= spec.priority {
        let priority = spec.priority.saturating_add(1);
        let waited = duration(waited);
        advice.push(format!("`{name}` was in the queue for {waited}: try `priority = {priority}`"));
    } else if up_spec.image_grain() && u64::from(up_spec.inflight) < usable {
        advice.push(format!("Try `inflight = {}` on `{name}`", up_spec.inflight + 1));
    }
    if edge.depth > 0 {
        advice.push(format!("`depth = {}` lets `{name}` work further ahead", edge.depth * 2));
    }
    advice.push(format!(
        "`mode = \"barrier\"` on that edge takes the unit only once `{name}` is done"
    ));
    if !spec.image_grain() && advice.len() < 3 {
        advice.push("`kind = \"legacy\"` gives it back between two images".to_string());
    }
    (format!("it waited for images of `{name}`"), advice.join("; or "))
}

/// What to do about a downstream that takes images too slowly.
fn downstream(timeline: &Timeline<'_>, down: u32, edge: usize) -> (String, String) {
    let spec = &timeline.line.jobs[down as usize];
    let depth = spec.after[edge].depth;
    let waits_for = format!("it waited for `{}` to take an image (`depth = {depth}`)", spec.name);
    (waits_for, format!("Try `depth = {}` on that edge", depth.saturating_mul(2)))
}

impl Times {
    fn of(timeline: &Timeline<'_>) -> Times {
        let none = || timeline.jobs.iter().map(|_| Vec::new()).collect();
        let mut times = Times { begun: none(), done: none() };
        for start in &timeline.starts {
            let job = timeline.leases[start.lease as usize].job as usize;
            times.begun[job].push(start.from);
            if start.how == How::Done {
                times.done[job].push(start.to);
            }
        }
        times.begun.iter_mut().chain(&mut times.done).for_each(|times| times.sort_unstable());
        times
    }

    /// Whom a job waited for: the last to do what lets it go on, before it went on.
    fn blame(
        &self,
        timeline: &Timeline<'_>,
        job: u32,
        downstreams: &[(u32, usize)],
        (from, to): (u64, u64),
    ) -> Blame {
        let line = timeline.line;
        let spec = &line.jobs[job as usize];
        let mut latest: Option<(u64, Blame)> = None;
        let mut offer = |times: &[u64], blame| {
            let at = times.partition_point(|&t| t <= to);
            if let Some(&t) = times[..at].last()
                && t > from
                && latest.is_none_or(|(held, _)| held < t)
            {
                latest = Some((t, blame));
            }
        };
        for (at, edge) in spec.after.iter().enumerate().filter(|(_, it)| it.mode == Mode::Stream) {
            if let Some(done) = self.done.get(edge.upstream as usize) {
                offer(done, Blame::Upstream(edge.upstream, at));
            }
        }
        for &(down, at) in downstreams {
            offer(&self.begun[down as usize], Blame::Downstream(down, at));
        }
        let slow_upstream = || {
            let mut edges = spec.after.iter().enumerate().filter(|(_, it)| it.mode == Mode::Stream);
            edges.find(|(_, edge)| {
                let up = timeline.jobs.get(edge.upstream as usize);
                up.is_some_and(|up| up.end.is_none_or(|(t, _)| t > from))
            })
        };
        match (latest, slow_upstream()) {
            (Some((_, blame)), _) => blame,
            (None, Some((at, edge))) => Blame::Upstream(edge.upstream, at),
            (None, None) if spec.every.is_some() => Blame::Feed,
            (None, None) => Blame::Unknown,
        }
    }
}

/// Downstreams whose depth can hold a job back, each with the number of its edge.
fn held_back_by(timeline: &Timeline<'_>, job: u32) -> Vec<(u32, usize)> {
    let mut out = Vec::new();
    for (down, spec) in timeline.line.jobs.iter().enumerate().skip(job as usize + 1) {
        for (at, edge) in spec.after.iter().enumerate() {
            if edge.upstream == job && edge.mode == Mode::Stream && edge.depth > 0 {
                out.push((down as u32, at));
            }
        }
    }
    out
}

/// Leases that were taken away to break a circle.
pub(super) fn circle(timeline: &Timeline<'_>) -> Vec<String> {
    let broken = |lease: &&Lease<'_>| matches!(lease.revoked, Some((_, RevokeCause::Circle)));
    let mut jobs: BTreeMap<u32, u64> = BTreeMap::new();
    for lease in timeline.leases.iter().filter(broken) {
        *jobs.entry(lease.job).or_default() += 1;
    }
    let text = |(job, times): (u32, u64)| {
        format!(
            "`{}` lost its unit {} to break a circle: it held what the job that it waited for \
             needed. Another unit, `mode = \"barrier\"`, or `kind = \"legacy\"` avoids it.",
            timeline.job_name(job),
            words::count(times, "time"),
        )
    };
    jobs.into_iter().map(text).collect()
}
