//! Why: grants, waits, and what each unit says, as codes and numbers.

use lineside_core::{JobId, Nanos, Reason, Scheduler, Shortage, UnitId, UnitState, Wait};
use lineside_line::{Fallback, Line, Needs, Place};
use serde::Serialize;

/// More jobs than this no page lists.
const JOBS_MAX: usize = 500;

#[derive(Serialize)]
pub(crate) struct Look {
    grants: Vec<GrantReason>,
    waits: Vec<JobWait>,
    /// What each unit says to the job that was asked for.
    units: Vec<Verdict>,
}

#[derive(Serialize)]
struct GrantReason {
    lease: u32,
    job: u32,
    order: u8,
    next: Option<u32>,
    passed: Vec<JobWait>,
    passed_more: u32,
    unit: u32,
    placement: u8,
    next_unit: Option<u32>,
}

#[derive(Serialize)]
struct JobWait {
    job: u32,
    done: u32,
    /// Images that the job waited for is done with.
    by_done: Option<u32>,
    #[serde(flatten)]
    wait: WaitCode,
}

/// A wait in codes.
#[derive(Serialize, Default)]
struct WaitCode {
    kind: &'static str,
    /// For whom or because of whom.
    by: Option<u32>,
    stream: Option<u32>,
    shortage: Option<Counts>,
}

#[derive(Serialize)]
struct Counts {
    wanted: u32,
    candidates: u32,
    own: u32,
    full: u32,
    short: u32,
    withheld: u32,
    not_up: u32,
}

/// What a unit says to a job.
#[derive(Serialize)]
struct Verdict {
    unit: u32,
    /// The first rule that it does not pass, or `ok`.
    rule: &'static str,
    /// Bytes that the job would take there now.
    need: u64,
    /// Bytes that are free there now.
    free: u64,
    slots_free: u32,
    /// Jobs that hold leases there.
    holders: Vec<u32>,
}

pub(crate) fn look(
    line: &Line,
    scheduler: &mut Scheduler<'_>,
    reasons: &[(u32, Reason)],
    t: Nanos,
    job: Option<u32>,
) -> Look {
    let grants = reasons.iter().map(|(lease, reason)| grant(scheduler, *lease, reason)).collect();
    let mut waits = Vec::new();
    for index in 0..line.jobs.len() as u32 {
        let id = JobId { index, generation: 0 };
        // No job is removed from a plan.
        let Ok(wait) = scheduler.why(t, id) else { continue };
        if waits.len() < JOBS_MAX || job == Some(index) {
            waits.push(job_wait(scheduler, id, &wait));
        }
    }
    let asked = job.filter(|&job| (job as usize) < line.jobs.len());
    let units = asked.map_or_else(Vec::new, |job| verdicts(line, scheduler, t, job));
    Look { grants, waits, units }
}

fn grant(scheduler: &Scheduler<'_>, lease: u32, reason: &Reason) -> GrantReason {
    let passed = reason.passed.iter();
    GrantReason {
        lease,
        job: reason.job.index,
        order: reason.order as u8,
        next: reason.next.map(|job| job.index),
        passed: passed.map(|it| job_wait(scheduler, it.job, &it.wait)).collect(),
        passed_more: reason.passed_more,
        unit: reason.unit.0,
        placement: reason.placement as u8,
        next_unit: reason.next_unit.map(|unit| unit.0),
    }
}

fn job_wait(scheduler: &Scheduler<'_>, job: JobId, wait: &Wait) -> JobWait {
    let done = |job| scheduler.images_done(job).unwrap_or(0);
    let wait = code(wait);
    let by_done = wait.by.map(|index| done(JobId { index, generation: 0 }));
    JobWait { job: job.index, done: done(job), by_done, wait }
}

fn code(wait: &Wait) -> WaitCode {
    let plain = |kind| WaitCode { kind, ..WaitCode::default() };
    let by = |kind, job: JobId| WaitCode { by: Some(job.index), ..plain(kind) };
    match *wait {
        Wait::Ended => plain("ended"),
        Wait::Running => plain("running"),
        Wait::Arrival => plain("arrival"),
        Wait::Feed => plain("feed"),
        Wait::Upstream(job) => by("upstream", job),
        Wait::BackPressure(job) => by("back-pressure", job),
        Wait::GivingBack => plain("giving-back"),
        Wait::Stream(stream) => WaitCode { stream: Some(stream.0), ..plain("stream") },
        Wait::StreamWithheld(stream, job) => {
            WaitCode { stream: Some(stream.0), ..by("stream-withheld", job) }
        }
        Wait::Units(ref shortage) => WaitCode {
            by: shortage.withheld_for.map(|job| job.index),
            shortage: Some(counts(shortage)),
            ..plain("units")
        },
        Wait::Next => plain("next"),
    }
}

fn counts(shortage: &Shortage) -> Counts {
    let Shortage { wanted, candidates, own, full, short, withheld, not_up, .. } = *shortage;
    Counts { wanted, candidates, own, full, short, withheld, not_up }
}

fn verdicts(line: &Line, scheduler: &mut Scheduler<'_>, t: Nanos, job: u32) -> Vec<Verdict> {
    let id = JobId { index: job, generation: 0 };
    let waits = scheduler.why(t, id);
    let is_withheld = matches!(
        waits,
        Ok(Wait::StreamWithheld(..)) | Ok(Wait::Units(Shortage { withheld: 1.., .. }))
    );
    let units = 0..line.units.len() as u32;
    units.map(|unit| verdict(line, scheduler, job, unit, is_withheld)).collect()
}

fn verdict(
    line: &Line,
    scheduler: &Scheduler<'_>,
    at: u32,
    unit: u32,
    is_withheld: bool,
) -> Verdict {
    let (job, spec, id) = (&line.jobs[at as usize], &line.units[unit as usize], UnitId(unit));
    let leases = scheduler.leases_at(id).into_iter().flatten();
    let holders: Vec<u32> =
        leases.filter_map(|lease| scheduler.job_of(lease).ok()).map(|job| job.index).collect();
    let weights = job.model.map_or(0, |model| line.models[model as usize].weights);
    let is_pinned =
        job.model.is_some() && holders.iter().any(|&it| line.jobs[it as usize].model == job.model);
    let need = job.memory.saturating_add(if is_pinned { 0 } else { weights });
    let taken = scheduler.memory_taken(id).unwrap_or(0);
    let free = spec.budget.saturating_sub(taken);
    let used = holders.len() as u32;
    let own = holders.iter().filter(|&&holder| holder == at).count() as u32;
    let rule = match scheduler.unit_state(id) {
        _ if !matches(line, job, spec.place) => "needs",
        _ if job.profile.is_some() && job.profile != spec.profile => "profile",
        _ if job.memory.saturating_add(weights) > spec.budget => "budget",
        Ok(UnitState::Down) => "down",
        Ok(UnitState::Draining) => "draining",
        _ if own >= job.threads => "threads",
        _ if used >= spec.slots => "full",
        _ if need > free => "memory",
        _ if is_withheld => "withheld",
        _ => "ok",
    };
    let slots_free = spec.slots.saturating_sub(used);
    Verdict { unit, rule, need, free, slots_free, holders }
}

/// Whether a place will do, also by fallback.
fn matches(line: &Line, job: &lineside_line::Job, place: Place) -> bool {
    let by_needs = match job.needs {
        Needs::Any => true,
        Needs::Gpu => place != Place::Cpu,
        Needs::Cuda => place == Place::Cuda,
        Needs::Vulkan => place == Place::Vulkan,
        Needs::Cpu => place == Place::Cpu,
    };
    let has_cpu = line.units.iter().any(|unit| unit.place == Place::Cpu);
    by_needs || (has_cpu && place == Place::Cpu && job.fallback == Fallback::Allow)
}
