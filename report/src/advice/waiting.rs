//! Waits that are longer than they need be.

use std::collections::BTreeMap;

use lineside_line::Kind;

use super::{could_use, misfit, some_of};
use crate::duration::{duration, for_a_file};
use crate::summary::share;
use crate::timeline::{Bar, Start, Timeline, Wait, WaitOutcome};
use crate::words;

/// Legacy jobs that waited long, or for ever, while standard ones that came later were served.
pub(super) fn legacy(timeline: &Timeline<'_>) -> Vec<String> {
    let mut longest: BTreeMap<u32, Wait> = BTreeMap::new();
    let is_legacy = |wait: &&Wait| timeline.line.jobs[wait.job as usize].kind == Kind::Legacy;
    for wait in timeline.waits.iter().filter(is_legacy) {
        let held = longest.entry(wait.job).or_insert(*wait);
        if wait.length() > held.length() {
            *held = *wait;
        }
    }
    let mut waits: Vec<Wait> = longest.into_values().collect();
    waits.retain(|wait| share(wait.length(), timeline.end) >= 0.2);
    waits.sort_by_key(|wait| (std::cmp::Reverse(wait.length()), wait.job));
    waits.truncate(super::EACH_AT_MOST);
    waits.iter().filter_map(|wait| legacy_job(timeline, wait)).collect()
}

fn legacy_job(timeline: &Timeline<'_>, wait: &Wait) -> Option<String> {
    let mut passed: BTreeMap<u32, u64> = BTreeMap::new();
    let mut time = 0_u64;
    let line = timeline.line;
    let spec = &line.jobs[wait.job as usize];
    let after = timeline.leases.partition_point(|lease| lease.from < wait.from);
    for (at, lease) in timeline.leases.iter().enumerate().skip(after) {
        if lease.from > wait.to || wait.outcome == WaitOutcome::Granted(at as u32) {
            break;
        }
        let standard = line.jobs[lease.job as usize].kind == Kind::Standard;
        let mut units = timeline.places_of(lease).iter().map(|at| &line.units[at.unit as usize]);
        if standard && lease.ticket > wait.ticket && units.any(|it| could_use(line, spec, it)) {
            *passed.entry(lease.job).or_default() += 1;
            time = time.saturating_add(lease.to.min(wait.to) - lease.from);
        }
    }
    // Where they took but a small part of it, the wait has other causes.
    if passed.is_empty() || time < wait.length() / 4 {
        return None;
    }
    let leases = passed.values().sum();
    let names = some_of(passed.keys().map(|&job| timeline.job_name(job)));
    let never = timeline.jobs[wait.job as usize].first_start.is_none();
    let (name, length) = (&spec.name, duration(wait.length()));
    let waited = match never {
        true => format!("`{name}` waited {length} and never ran"),
        false => format!("`{name}` once waited {length}"),
    };
    let patience = for_a_file(wait.length() / 5);
    let priority = spec.priority.saturating_add(1);
    let passes = words::count(leases, "lease");
    Some(format!(
        "{waited}, while {passes} went to standard jobs that came later ({names}). \
         `patience = \"{patience}\"` in `[policy]` bounds such waits; or `priority = {priority}` \
         on `{name}` puts it first."
    ))
}

/// Work that comes faster than it gets done.
pub(super) fn overload(timeline: &Timeline<'_>) -> Vec<String> {
    let mut fed: BTreeMap<u32, Fed> = BTreeMap::new();
    for lease in &timeline.leases {
        if timeline.line.jobs[lease.job as usize].every.is_none() {
            continue;
        }
        for start in timeline.starts_of(lease) {
            let fed = fed.entry(lease.job).or_insert(Fed { first: *start, last: *start, count: 0 });
            fed.last = *start;
            fed.count += u64::from(start.count);
        }
    }
    let mut texts: Vec<(u64, String)> =
        fed.iter().filter_map(|(&job, fed)| falls_behind(timeline, job, fed)).collect();
    texts.sort_by_key(|(behind, _)| std::cmp::Reverse(*behind));
    let mut texts: Vec<String> = texts.into_iter().map(|(_, text)| text).collect();
    if texts.is_empty() {
        texts.extend(queue_grows(timeline));
    }
    texts
}

/// The starts of a job whose images are fed one by one.
struct Fed {
    first: Start,
    last: Start,
    count: u64,
}

/// A job that is further behind its images the longer it runs.
fn falls_behind(timeline: &Timeline<'_>, job: u32, fed: &Fed) -> Option<(u64, String)> {
    let spec = &timeline.line.jobs[job as usize];
    let every = spec.every?;
    let lag = |start: &Start| {
        let fed = spec.arrive.saturating_add(every.saturating_mul(start.first.into()));
        start.from.saturating_sub(fed)
    };
    let Fed { first, last, count } = fed;
    let behind = lag(last).saturating_sub(lag(first));
    let images = last.first.saturating_sub(first.first).max(1);
    let takes = (last.from - first.from) / u64::from(images);
    if *count < 8 || behind < every.saturating_mul(3) || takes <= every {
        return None;
    }
    let text = format!(
        "`{}` cannot keep up: an image comes every {} and takes {}, so that the last was {} late. \
         Feed it every {} at most, raise `batch` or `inflight`, or add a unit.",
        spec.name,
        duration(every),
        duration(takes),
        duration(lag(last)),
        duration(takes),
    );
    Some((behind, text))
}

/// A queue that is longer in each quarter than in the one before.
fn queue_grows(timeline: &Timeline<'_>) -> Option<String> {
    let quarter = timeline.end / 4;
    if quarter == 0 {
        return None;
    }
    let mut areas = [0_u128; 4];
    let ends = timeline.queue.iter().skip(1).map(|(t, _)| *t).chain([timeline.end]);
    for (&(from, length), to) in timeline.queue.iter().zip(ends) {
        for (at, area) in (0..).zip(&mut areas) {
            let (start, end) =
                (quarter * at, if at == 3 { timeline.end } else { quarter * (at + 1) });
            let part = to.min(end).saturating_sub(from.max(start));
            *area += u128::from(part) * u128::from(length);
        }
    }
    let mean = areas.map(|area| area as f64 / quarter as f64);
    let grows = mean.windows(2).all(|pair| pair[0] < pair[1]);
    if !grows || mean[3] < 2.0 * mean[0] + 2.0 {
        return None;
    }
    Some(format!(
        "The queue grows to the end, from {:.1} jobs on average in the first quarter to {:.1} in \
         the last: work arrives faster than {} can do it. Add a unit, or let it arrive later.",
        mean[0],
        mean[3],
        words::count(timeline.units.len() as u64, "unit"),
    ))
}

/// A unit that idled for long while a job waited that cannot use it.
pub(super) fn idle_unit(timeline: &Timeline<'_>) -> Vec<String> {
    let line = timeline.line;
    let rows = timeline.job_bars();
    let mut waited: Vec<(u64, usize)> = rows.iter().map(|row| total(&row.waits)).zip(0..).collect();
    waited.sort_by_key(|&(time, job)| (std::cmp::Reverse(time), job));
    waited.truncate(5);
    let mut units: Vec<(u64, usize)> =
        timeline.units.iter().map(|track| timeline.end - track.held).zip(0..).collect();
    units.sort_by_key(|&(time, unit)| (std::cmp::Reverse(time), unit));
    units.truncate(3);
    let mut best: Option<(u64, String)> = None;
    for &(idle, unit) in &units {
        if share(idle, timeline.end) < 0.5 {
            continue;
        }
        let taken = taken(timeline, unit as u32);
        for &(time, job) in waited.iter().filter(|(time, _)| *time > 0) {
            let spec = &line.jobs[job];
            let Some(why) = misfit(line, spec, &line.units[unit]).or_else(|| gang(timeline, job))
            else {
                continue;
            };
            let both = time.saturating_sub(overlap(&rows[job].waits, &taken));
            if share(both, timeline.end) >= 0.2
                && best.as_ref().is_none_or(|(held, _)| *held < both)
            {
                best = Some((both, idle_text(timeline, unit, job, both, &why)));
            }
        }
    }
    best.into_iter().map(|(_, text)| text).collect()
}

fn idle_text(timeline: &Timeline<'_>, unit: usize, job: usize, both: u64, why: &str) -> String {
    let line = timeline.line;
    let (unit, spec) = (&line.units[unit], &line.jobs[job]);
    let advice = match could_use(line, spec, unit) {
        true => "Fewer `gpus`, or a line without jobs that take single units, starts it sooner",
        false if unit.place == lineside_line::Place::Cpu => {
            "If it can run there, `needs = \"any\"` with a `cpu_time` lets it"
        }
        false => "Another unit of the kind that it needs, or less `memory`, helps",
    };
    let both = duration(both);
    format!("`{}` idled for {both} while `{}` waited: {why}. {advice}.", unit.name, spec.name)
}

/// A job that waits until several units are free at once.
fn gang(timeline: &Timeline<'_>, job: usize) -> Option<String> {
    let gpus = timeline.line.jobs[job].gpus;
    (gpus > 1).then(|| format!("it needs {gpus} units at once"))
}

/// The times in which a unit could not be had: it was leased, or it was not up.
fn taken(timeline: &Timeline<'_>, unit: u32) -> Vec<(u64, u64)> {
    let leases = timeline.leases.iter();
    let on_it = leases.filter(|lease| timeline.places_of(lease).iter().any(|at| at.unit == unit));
    let outages = timeline.outages.iter().filter(|outage| outage.unit == unit);
    let mut spans: Vec<(u64, u64)> = on_it.map(|lease| (lease.from, lease.to)).collect();
    spans.extend(outages.map(|outage| (outage.from, outage.to)));
    spans.sort_unstable();
    spans.dedup_by(|next, last| {
        let joined = next.0 <= last.1;
        if joined {
            last.1 = last.1.max(next.1);
        }
        joined
    });
    spans
}

fn total(bars: &[Bar]) -> u64 {
    bars.iter().map(|bar| bar.to - bar.from).fold(0, u64::saturating_add)
}

/// How long bars and spans, both in order and without overlaps of their own, coincide.
fn overlap(bars: &[Bar], spans: &[(u64, u64)]) -> u64 {
    let (mut at, mut sum) = (0, 0);
    for bar in bars {
        while at < spans.len() && spans[at].1 <= bar.from {
            at += 1;
        }
        let mut here = at;
        while here < spans.len() && spans[here].0 < bar.to {
            sum += bar.to.min(spans[here].1) - bar.from.max(spans[here].0);
            here += 1;
        }
    }
    sum
}
