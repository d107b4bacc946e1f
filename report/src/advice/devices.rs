//! Models that are loaded again and again, and CPU places that stand in for GPUs.

use std::collections::{BTreeMap, BTreeSet};

use lineside_line::{Place, Pool};

use super::{bytes, some_of};
use crate::duration::duration;
use crate::summary::share;
use crate::timeline::{Lease, Timeline};
use crate::words;

/// What loading a model cost.
#[derive(Default)]
struct Loads {
    times: u64,
    time: u64,
    units: BTreeSet<u32>,
    jobs: BTreeSet<u32>,
}

/// Models whose loading takes a good part of what the line computes.
pub(super) fn cold_starts(timeline: &Timeline<'_>) -> Vec<String> {
    let mut models: BTreeMap<u32, Loads> = BTreeMap::new();
    let mut busy = 0_u64;
    for lease in &timeline.leases {
        let starts = timeline.starts_of(lease);
        busy = busy.saturating_add(starts.iter().map(|start| start.to - start.from).sum());
        let model = timeline.line.jobs[lease.job as usize].model.filter(|_| lease.cold);
        let Some(model) = model else { continue };
        let Some(spec) = timeline.line.models.get(model as usize) else { continue };
        let loads = models.entry(model).or_default();
        loads.times += 1;
        loads.time += starts.first().map_or(0, |start| spec.cold.min(start.to - start.from));
        loads.units.extend(timeline.places_of(lease).iter().map(|place| place.unit));
        loads.jobs.insert(lease.job);
    }
    // Once a unit is the least that it takes.
    let again = |loads: &Loads| loads.times > loads.units.len() as u64;
    let lost: u64 = models.values().map(|loads| loads.time).sum();
    if share(lost, busy) < 0.1 || !models.values().any(again) {
        return Vec::new();
    }
    let mut worst: Vec<(u32, Loads)> = models.into_iter().filter(|(_, it)| again(it)).collect();
    worst.sort_by_key(|(model, loads)| (std::cmp::Reverse(loads.time), *model));
    worst.truncate(1);
    let part = share(lost, busy);
    worst.iter().map(|(model, loads)| loaded_again(timeline, *model, loads, part)).collect()
}

fn loaded_again(timeline: &Timeline<'_>, model: u32, loads: &Loads, part: f64) -> String {
    let name = &timeline.line.models[model as usize].name;
    let advice = if timeline.line.policy.pool == Pool::Free {
        "`pool = \"keep\"` leaves models on their unit between leases.".to_string()
    } else {
        let gone = timeline.evictions.iter().find(|it| it.model == model);
        let room = gone.map_or(String::new(), |eviction| crowding(timeline, eviction.unit));
        let jobs = some_of(loads.jobs.iter().map(|&job| timeline.job_name(job)));
        format!(
            "{room}A larger `batch` on {jobs}, or `kind = \"standard\"`, changes models less often."
        )
    };
    format!(
        "{} of what was computed went into loading models: `{name}` was loaded {}, {} in all. \
         {advice}",
        words::percent(part),
        words::count(loads.times, "time"),
        duration(loads.time),
    )
}

/// Says that the models used on a unit do not fit it together.
fn crowding(timeline: &Timeline<'_>, unit: u32) -> String {
    let line = timeline.line;
    let mut models = BTreeSet::new();
    for lease in &timeline.leases {
        if timeline.places_of(lease).iter().any(|place| place.unit == unit) {
            models.extend(line.jobs[lease.job as usize].model);
        }
    }
    let models = models.into_iter().filter_map(|model| line.models.get(model as usize));
    let weights = models.map(|model| model.weights).fold(0, u64::saturating_add);
    let unit = &line.units[unit as usize];
    if weights <= unit.budget {
        return String::new();
    }
    let (weights, budget) = (bytes(weights), bytes(unit.budget));
    format!(
        "The models used on `{}` weigh {weights} together, and {budget} can be leased there: more \
         memory or another unit would keep them. ",
        unit.name
    )
}

/// Jobs that ran on a CPU place because too few GPUs were up.
pub(super) fn fallback(timeline: &Timeline<'_>) -> Vec<String> {
    let mut jobs: BTreeMap<u32, u64> = BTreeMap::new();
    let (mut leases, mut time) = (0, 0_u64);
    for lease in timeline.leases.iter().filter(|lease: &&Lease<'_>| lease.fallback) {
        leases += 1;
        time = time.saturating_add(lease.to - lease.from);
        *jobs.entry(lease.job).or_default() += 1;
    }
    if leases == 0 {
        return Vec::new();
    }
    let names = some_of(jobs.keys().map(|&job| timeline.job_name(job)));
    let units: BTreeSet<u32> = timeline.outages.iter().map(|outage| outage.unit).collect();
    let back = match units.is_empty() {
        true => "No GPU that they could use is up: look at the devices".to_string(),
        false => {
            format!("Bring {} back", some_of(units.iter().map(|&unit| timeline.unit_name(unit))))
        }
    };
    let leases = words::count(leases, "lease");
    vec![format!(
        "{names} fell back to a CPU place for {leases} ({} in all), for want of a GPU. {back}; or \
         `fallback = \"forbid\"` waits for one instead.",
        duration(time),
    )]
}

/// GPUs that are leased and seldom compute, beside a core that always does.
pub(super) fn busy_core(timeline: &Timeline<'_>) -> Vec<String> {
    let Some(cpu) = timeline.cpu.filter(|cpu| cpu.busiest >= 900) else { return Vec::new() };
    let units = timeline.line.units.iter().zip(&timeline.units).enumerate();
    let idle = units.filter(|(_, (unit, track))| {
        unit.place != Place::Cpu
            && share(track.held, timeline.end) >= 0.5
            && share(track.busy, timeline.end) < 0.5
    });
    let idle: Vec<u32> = idle.map(|(at, _)| at as u32).collect();
    if idle.is_empty() {
        return Vec::new();
    }
    let names = some_of(idle.iter().map(|&unit| timeline.unit_name(unit)));
    vec![format!(
        "One core of the CPU worked {} of the time, while {names} had leases and computed less \
         than half of it: a single thread feeds it too slowly. Spread that work over more threads \
         or jobs, or take it off the CPU.",
        words::percent(f64::from(cpu.busiest) / 1000.0),
    )]
}
