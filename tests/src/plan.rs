//! A workload, planned by the product: its core, its driver and its simulator.

use lineside_backends::{Class, Driver, Observer, Sim, Tables, Workload};
use lineside_core::{Event, JobId, Outcome, Reason, Scheduler, Wait};

use crate::bridge::{self, Numbers};
use crate::model;

/// What the product made of a workload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// The trace, in the model's words.
    pub events: Vec<model::Event>,
    /// Why each grant was made, by lease; empty if nobody asked.
    pub reasons: Vec<Reason>,
    /// The jobs that have not ended, and what each waits for.
    pub stuck: Vec<(usize, Wait)>,
    /// As of `lineside plan`.
    pub exit_code: u8,
}

/// Whether to ask for the reason of each grant. Asking changes no trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Reasons {
    Asked,
    NotAsked,
}

/// With more jobs than this the invariants are only checked in the end: that takes long.
const JOBS_VERIFIED: usize = 300;

/// Plans a workload, checks every invariant of the core after every round, and hands the scheduler
/// to `look` when nothing is pending any more.
///
/// # Panics
///
/// If the core breaks an invariant, or the plan has more events than it could ever need: a bug.
pub fn plan<T>(
    workload: &Workload,
    reasons: Reasons,
    look: impl FnOnce(&mut Scheduler<'_>, &Plan) -> T,
) -> (Plan, T) {
    let mut tables = Tables::for_workload(workload);
    let mut watcher = Watcher::new(reasons, workload);
    let sim = Sim::new(workload);
    let mut driver = Driver::new(workload, tables.storage(), sim, &mut watcher)
        .expect("the tables were made for this workload");
    let rounds_max = rounds_max(workload);
    let mut rounds = 0;
    while driver.round(&mut watcher) {
        rounds += 1;
        assert!(rounds <= rounds_max, "the plan runs on: more than {rounds_max} rounds");
        if workload.jobs.len() <= JOBS_VERIFIED {
            verify(driver.scheduler());
        }
    }
    verify(driver.scheduler());
    let mut plan = watcher.plan;
    close(driver.scheduler_mut(), workload.jobs.len(), &mut plan);
    let looked = look(driver.scheduler_mut(), &plan);
    (plan, looked)
}

fn verify(scheduler: &Scheduler<'_>) {
    let whole = scheduler.verify();
    whole.unwrap_or_else(|invariant| panic!("after a round it is not so that {invariant}"));
}

/// Says who is stuck, and the exit code.
fn close(scheduler: &mut Scheduler<'_>, jobs: usize, plan: &mut Plan) {
    let now = scheduler.now();
    for index in 0..jobs {
        let id = JobId { index: index as u32, generation: 0 };
        match scheduler.outcome(id).expect("no job is removed from a plan") {
            Some(Outcome::Done) => {}
            Some(Outcome::Failed(_) | Outcome::Cancelled | Outcome::Skipped(_)) => {
                plan.exit_code = plan.exit_code.max(1);
            }
            None => {
                let wait = scheduler.why(now, id).expect("no job is removed from a plan");
                plan.stuck.push((index, wait));
                plan.exit_code = 3;
            }
        }
    }
}

/// Writes down what happens.
struct Watcher {
    plan: Plan,
    reasons: Reasons,
    numbers: Numbers,
    events_max: u64,
}

impl Watcher {
    fn new(reasons: Reasons, workload: &Workload) -> Watcher {
        let (events, stuck) = (Vec::new(), Vec::new());
        let plan = Plan { events, reasons: Vec::new(), stuck, exit_code: 0 };
        let numbers = Numbers::of_jobs(workload.jobs.len() as u32);
        Watcher { plan, reasons, numbers, events_max: events_max(workload) }
    }
}

impl Observer for Watcher {
    fn event(&mut self, scheduler: &Scheduler<'_>, event: Event) {
        let what = bridge::what(scheduler, event, &mut self.numbers);
        self.plan.events.push(model::Event { t: scheduler.now(), what });
        let count = self.plan.events.len() as u64;
        assert!(count <= self.events_max, "the plan runs on: more than {count} events");
    }

    fn wants_reasons(&self) -> bool {
        self.reasons == Reasons::Asked
    }

    fn reason(&mut self, reason: Reason) {
        self.plan.reasons.push(reason);
    }
}

/// More events than any plan of the workload has.
///
/// Every image is done once, failures and expiries in a row are bounded by `retries`, and each
/// loss of a unit ends the leases on it once. So starts are bounded, and so is what each causes.
pub fn events_max(workload: &Workload) -> u64 {
    let losses = workload.faults.len() as u64;
    let mut events = 16 + 2 * losses;
    for job in &workload.jobs {
        let class = &workload.classes[job.class as usize];
        let spec = &class.spec;
        let evictions = u64::from(spec.gpus).saturating_mul(workload.models.len() as u64);
        let each = evictions.saturating_add(12);
        let starts = starts_max(class, losses);
        events = events.saturating_add(starts.saturating_mul(each)).saturating_add(2);
    }
    events
}

/// More rounds than any plan of the workload has: each begins with something that happens once. A
/// start ends once and has one deadline, an entry runs out of patience once, and each job arrives,
/// each image is fed and each fault happens once.
fn rounds_max(workload: &Workload) -> u64 {
    let images = workload.jobs.iter().map(|job| {
        let images = workload.classes[job.class as usize].spec.images;
        u64::from(images).saturating_add(1)
    });
    let given = images.fold(workload.faults.len() as u64, u64::saturating_add);
    given.saturating_add(events_max(workload))
}

/// More starts than any plan has of a job of this class.
fn starts_max(class: &Class, losses: u64) -> u64 {
    let spec = &class.spec;
    let images = u64::from(spec.images);
    let injected: u64 = class.inject.iter().map(|inject| u64::from(inject.times)).sum();
    let in_a_row = (images + 1).saturating_mul(u64::from(spec.retries) + 1);
    let failures = if spec.timeout.is_some() { in_a_row } else { in_a_row.min(injected) };
    let at_once = u64::from(spec.inflight.min(spec.images));
    let lost = losses.saturating_mul(at_once);
    images.saturating_add(failures).saturating_add(lost).saturating_add(at_once)
}
