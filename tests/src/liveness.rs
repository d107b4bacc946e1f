//! Whether everything ends; and where it does not, whether the reason that is given is true.
//!
//! Safety is what the reference model checks: nothing happens that the rules don't say. A line
//! that stands still breaks no such rule. So what is left standing is looked at here, with
//! nothing but the line and what can be read off the scheduler.

use lineside_core as core;
use lineside_core::{JobId, LeaseId, Scheduler, Shortage, UnitId, Wait};

use crate::model::{Edge, EdgeKind, Fallback, JobSpec, Line, Needs, Place, UnitSpec};
use crate::plan::Plan;

/// The file with every unit brought up after the last of its faults.
pub fn healed(text: &str, line: &Line) -> String {
    let last = line.faults.iter().map(|fault| fault.at).max().unwrap_or(0);
    let mut text = text.to_owned();
    for unit in &line.names.units {
        let unit = toml::Value::String(unit.clone());
        let at = last.saturating_add(1);
        text += &format!("[[fault]]\nat = \"{at}ns\"\nevent = \"up\"\nunit = {unit}\n");
    }
    text
}

/// Checks that nothing more can be done, and that each stuck job gives a true reason.
///
/// # Errors
///
/// What is not true, in words.
pub fn check(line: &Line, scheduler: &mut Scheduler<'_>, plan: &Plan) -> Result<(), String> {
    let now = scheduler.now();
    if scheduler.choose(now).is_some() {
        return Err("something can still be granted".to_owned());
    }
    let witness = Witness { line, scheduler, stuck: &plan.stuck };
    for (job, wait) in &plan.stuck {
        let name = &line.names.jobs[*job];
        witness.check(*job, wait).map_err(|why| format!("{name}: {wait:?}: {why}"))?;
        witness.check_chain(*job).map_err(|why| format!("{name}: {why}"))?;
    }
    Ok(())
}

struct Witness<'w, 's> {
    line: &'w Line,
    scheduler: &'w Scheduler<'s>,
    stuck: &'w [(usize, Wait)],
}

impl Witness<'_, '_> {
    /// Is this what the job waits for, at the end of everything?
    fn check(&self, job: usize, wait: &Wait) -> Result<(), String> {
        let edges = &self.line.jobs[job].edges;
        match *wait {
            Wait::Upstream(upstream) => {
                self.check_stuck(upstream)?;
                let is_upstream = |edge: &Edge| edge.upstream == index(upstream);
                ensure(edges.iter().any(is_upstream), "it has no such edge")
            }
            Wait::BackPressure(downstream) => {
                self.check_stuck(downstream)?;
                let edges = &self.line.jobs[index(downstream)].edges;
                let holds_back = |edge: &Edge| {
                    edge.upstream == job
                        && matches!(edge.kind, EdgeKind::Stream { depth } if depth > 0)
                };
                ensure(edges.iter().any(holds_back), "it is not held back by that")
            }
            Wait::Stream(stream) => self.check_stream(job, stream),
            Wait::StreamWithheld(stream, by) => {
                self.check_stuck(by)?;
                let spec = |job: usize| self.line.jobs[job].spec.stream;
                let named = Some(stream.0 as usize);
                ensure(spec(job) == named && spec(index(by)) == named, "one is not in that stream")
            }
            Wait::Units(shortage) => self.check_units(job, &shortage),
            Wait::Ended | Wait::Running | Wait::Arrival | Wait::Feed | Wait::GivingBack => {
                Err("that would not be stuck".to_owned())
            }
            Wait::Next => Err("then it would have been granted".to_owned()),
        }
    }

    /// Follows whom a job waits for, to one that waits for units or a stream.
    fn check_chain(&self, job: usize) -> Result<(), String> {
        let mut at = job;
        for _ in 0..=self.stuck.len() {
            let found = self.stuck.iter().find(|(stuck, _)| *stuck == at);
            let (_, wait) = found.ok_or("it waits for a job that is not stuck")?;
            at = match *wait {
                Wait::Upstream(next) | Wait::BackPressure(next) => index(next),
                Wait::StreamWithheld(_, next) => index(next),
                Wait::Units(Shortage { withheld_for: Some(next), .. }) => index(next),
                _ => return Ok(()),
            };
        }
        Err("it waits for itself".to_owned())
    }

    fn check_stuck(&self, job: JobId) -> Result<(), String> {
        let is_stuck = self.stuck.iter().any(|&(stuck, _)| stuck == index(job));
        ensure(is_stuck, "that one has ended")
    }

    /// The stream has as many leases as it may, and all are of stuck jobs.
    fn check_stream(&self, job: usize, stream: core::StreamId) -> Result<(), String> {
        let named = Some(stream.0 as usize);
        ensure(self.line.jobs[job].spec.stream == named, "it is not in that stream")?;
        let limit = self.line.streams[stream.0 as usize].limit;
        let mut held = 0;
        for &(other, _) in self.stuck {
            if self.line.jobs[other].spec.stream == named {
                held += self.leases_of(other).len() as u64;
            }
        }
        ensure(limit == Some(held), "the stream has room")
    }

    fn check_units(&self, job: usize, shortage: &Shortage) -> Result<(), String> {
        let spec = &self.line.jobs[job].spec;
        let candidates = self.candidates(job);
        let (mut full, mut short, mut free) = (0, 0, 0);
        for &unit in &candidates {
            let leases = self.leases_at(unit);
            for &lease in &leases {
                let holder = self.scheduler.job_of(lease).map_err(|error| error.to_string())?;
                self.check_stuck(holder)?;
            }
            if leases.len() as u64 >= self.line.units[unit].slots {
                full += 1;
            } else if !self.has_room(job, unit) {
                short += 1;
            } else {
                free += 1;
            }
        }
        ensure(u64::from(shortage.wanted) == spec.gpus, "it wants another number")?;
        ensure(shortage.candidates as usize == candidates.len(), "other units are candidates")?;
        ensure(shortage.full == full, "another number of them is full")?;
        ensure(shortage.short == short, "another number of them is short of memory")?;
        ensure(shortage.withheld <= free, "more are withheld than there are")?;
        ensure((shortage.withheld > 0) == shortage.withheld_for.is_some(), "withheld for nobody")?;
        if let Some(by) = shortage.withheld_for {
            self.check_stuck(by)?;
        }
        ensure(u64::from(free - shortage.withheld) < spec.gpus, "there are enough")?;
        let few = (candidates.len() as u64) < spec.gpus;
        let explained = shortage.not_up > 0 || !self.leases_of(job).is_empty();
        ensure(!few || explained, "too few match, though all are up")
    }

    /// Section 4, step 2.
    fn candidates(&self, job: usize) -> Vec<usize> {
        let spec = &self.line.jobs[job].spec;
        let all = 0..self.line.units.len();
        let usable = |unit: &usize| {
            self.is_up(*unit) && matches(spec, &self.line.units[*unit]) && self.holds(job, *unit)
        };
        let needs_gpu = !matches!(spec.needs, Needs::Cpu | Needs::Any);
        let may_fall_back = spec.fallback == Fallback::Allow && needs_gpu && spec.profile.is_none();
        let falls_back = may_fall_back && (all.clone().filter(usable).count() as u64) < spec.gpus;
        let cpu = |unit: &usize| {
            let is_cpu = self.line.units[*unit].place == Place::Cpu;
            is_cpu && self.is_up(*unit) && self.holds(job, *unit)
        };
        let own = self.leases_of(job);
        let is_free_of_own = |unit: &usize| {
            let there = self.leases_at(*unit).into_iter().filter(|lease| own.contains(lease));
            (there.count() as u64) < spec.threads
        };
        let candidates = all.filter(|unit| if falls_back { cpu(unit) } else { usable(unit) });
        candidates.filter(is_free_of_own).collect()
    }

    fn is_up(&self, unit: usize) -> bool {
        self.scheduler.unit_state(UnitId(unit as u32)) == Ok(core::UnitState::Up)
    }

    /// Could the unit hold the job alone?
    fn holds(&self, job: usize, unit: usize) -> bool {
        self.need(job, unit, false) <= u128::from(self.budget(unit))
    }

    /// Does the unit have the memory for the job now?
    fn has_room(&self, job: usize, unit: usize) -> bool {
        let taken = self.scheduler.memory_taken(UnitId(unit as u32)).unwrap_or(u64::MAX);
        u128::from(taken) + self.need(job, unit, true) <= u128::from(self.budget(unit))
    }

    /// Memory of the job on the unit; without its model, if that is pinned there and counts so.
    fn need(&self, job: usize, unit: usize, pinned_counts: bool) -> u128 {
        let spec = &self.line.jobs[job].spec;
        let uses = |lease: &LeaseId| {
            let holder = self.scheduler.job_of(*lease).map(index);
            holder.is_ok_and(|holder| self.line.jobs[holder].spec.model == spec.model)
        };
        let pinned = pinned_counts && self.leases_at(unit).iter().any(uses);
        let weights = spec.model.filter(|_| !pinned);
        let weights = weights.map_or(0, |model| self.line.models[model].weights);
        u128::from(spec.memory) + u128::from(weights)
    }

    fn budget(&self, unit: usize) -> u64 {
        let UnitSpec { place, memory, .. } = self.line.units[unit];
        let headroom = if place == Place::Cpu { 0 } else { self.line.policy.headroom };
        memory - (u128::from(memory) * u128::from(headroom) / 100) as u64
    }

    fn leases_at(&self, unit: usize) -> Vec<LeaseId> {
        self.scheduler.leases_at(UnitId(unit as u32)).into_iter().flatten().collect()
    }

    fn leases_of(&self, job: usize) -> Vec<LeaseId> {
        let job = JobId { index: job as u32, generation: 0 };
        self.scheduler.leases_of(job).into_iter().flatten().collect()
    }
}

/// Section 4: whether a unit is what the job needs.
fn matches(spec: &JobSpec, unit: &UnitSpec) -> bool {
    let place = match spec.needs {
        Needs::Any => true,
        Needs::Gpu => unit.place != Place::Cpu,
        Needs::Cuda => unit.place == Place::Cuda,
        Needs::Vulkan => unit.place == Place::Vulkan,
        Needs::Cpu => unit.place == Place::Cpu,
    };
    place && (spec.profile.is_none() || spec.profile == unit.profile)
}

fn ensure(is_so: bool, otherwise: &str) -> Result<(), String> {
    if is_so { Ok(()) } else { Err(otherwise.to_owned()) }
}

fn index(job: JobId) -> usize {
    job.index as usize
}
