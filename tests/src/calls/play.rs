//! Plays a script to both, and stops at the first difference.

use lineside_backends::{Class, Tables, WorkEdge, WorkJob, Workload};
use lineside_core as core;
use lineside_core::{Event, LeaseId, Scheduler};

use super::{Call, Script, What};
use crate::bridge::{self, Numbers, Profiles};
use crate::model::{self, Line, Model, Names, UnitSpec};

/// Where core and model part.
#[derive(Debug, Clone)]
pub struct Difference {
    /// Index of the call.
    pub call: usize,
    /// What differs, in words.
    pub text: String,
}

/// What came of a script, on both sides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Played {
    /// All that was said.
    pub events: Vec<model::Event>,
    /// Whether each call was taken; none where it named what never was.
    pub answers: Vec<Option<bool>>,
    /// What is left in the core.
    pub left: Left,
}

/// What is left in the core after a script.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Left {
    /// Entries in the queue.
    pub entries: u32,
    /// Leases that are not over.
    pub leases: u32,
    /// Bytes that are taken, on all units.
    pub memory: u64,
}

/// Plays a script to the core and to the model; every invariant of the core is checked after every
/// call.
///
/// # Errors
///
/// The first difference.
pub fn play(script: &Script) -> Result<Played, Difference> {
    let mut tables = tables(script);
    let mut profiles = Profiles::default();
    let mut pair = Pair {
        core: Scheduler::new(bridge::policy(&script.policy), tables.storage()),
        model: Model::new(script.policy.clone(), script.models.clone(), script.streams.clone()),
        events: Vec::new(),
        numbers: Numbers::default(),
        leases: Vec::new(),
        jobs: Vec::new(),
        compared: 0,
    };
    for model in &script.models {
        pair.core.add_model(bridge::model_spec(model)).expect("there is room");
    }
    for stream in &script.streams {
        pair.core.add_stream(bridge::stream_spec(stream)).expect("there is room");
    }
    for unit in &script.units {
        let spec = bridge::unit_spec(unit, &headroom_of(script), &mut profiles);
        pair.core.add_unit(&spec).expect("there is room");
        pair.model.add_unit(unit.clone()).expect("a unit is taken");
    }
    let mut answers = Vec::new();
    for (at, call) in script.calls.iter().enumerate() {
        let answer = pair.call(call, &mut profiles);
        answers.push(answer.map_err(|text| Difference { call: at, text })?);
    }
    let units = 0..script.units.len() as u32;
    let taken = units.map(|unit| pair.core.memory_taken(core::UnitId(unit)).unwrap_or(0));
    let left =
        Left { entries: pair.core.queued(), leases: pair.core.leases(), memory: taken.sum() };
    Ok(Played { events: pair.events, answers, left })
}

/// Only the policy of a line matters to its units.
fn headroom_of(script: &Script) -> Line {
    Line {
        policy: script.policy.clone(),
        models: Vec::new(),
        cold: Vec::new(),
        streams: Vec::new(),
        units: Vec::new(),
        jobs: Vec::new(),
        faults: Vec::new(),
        names: Names::default(),
    }
}

/// Room for every job and edge that the script submits.
fn tables(script: &Script) -> Tables {
    let mut workload = Workload {
        units: script.units.iter().map(room_for_unit).collect(),
        models: vec![core::ModelSpec::default(); script.models.len()],
        streams: vec![core::StreamSpec::default(); script.streams.len()],
        ..Workload::default()
    };
    for call in &script.calls {
        if let What::Submit(spec, edges) = &call.what {
            workload.edges.extend(edges.iter().map(|_| WorkEdge::default()));
            let class = workload.classes.len() as u32;
            let edges_end = workload.edges.len() as u32;
            let spec = bridge::job_spec(spec, &mut Profiles::default());
            workload.classes.push(Class { spec, ..Class::default() });
            workload.jobs.push(WorkJob { class, edges_end, ..WorkJob::default() });
        }
    }
    Tables::for_workload(&workload)
}

fn room_for_unit(unit: &UnitSpec) -> core::UnitSpec {
    let (place, slots) = (core::Place::Cpu, unit.slots as u32);
    core::UnitSpec { place, budget: unit.memory, slots, profile: None }
}

struct Pair<'a> {
    core: Scheduler<'a>,
    model: Model,
    events: Vec<model::Event>,
    numbers: Numbers,
    /// The core's leases, by number.
    leases: Vec<LeaseId>,
    /// The core's jobs, by index.
    jobs: Vec<core::JobId>,
    compared: usize,
}

impl Pair<'_> {
    fn call(&mut self, call: &Call, profiles: &mut Profiles) -> Result<Option<bool>, String> {
        match &call.what {
            What::Circle => {
                while self.walk(call.now)? {}
                self.circle(call.now).map(Some)
            }
            What::GiveAllBack => self.give_all_back(call.now).map(Some),
            What::Walk => self.walk(call.now).map(Some),
            What::Timeout => self.timeout(call.now).map(Some),
            What::Submit(spec, edges) => self.submit(call.now, spec, edges, profiles),
            input => {
                let Some((core, model)) = self.input(call.now, input) else { return Ok(None) };
                self.agree("the answer", core, model).map(Some)
            }
        }
    }

    /// One input to both; none if it names a job or lease that never was.
    fn input(&mut self, now: u64, what: &What) -> Option<(bool, bool)> {
        let Pair { core, model, events, numbers, leases, jobs, .. } = self;
        let mut out = |core: &Scheduler<'_>, event: Event| {
            let what = bridge::what(core, event, numbers);
            events.push(model::Event { t: core.now(), what });
        };
        let out = &mut out;
        let lease = |at: usize| leases.get(at).copied();
        Some(match *what {
            What::Arrive(at, fed) => {
                let job = *jobs.get(at)?;
                let fed_core = fed.try_into().unwrap_or(u32::MAX);
                (core.arrive(now, job, fed_core, out).is_ok(), model.arrive(now, at, fed).is_ok())
            }
            What::Feed(at) => {
                (core.feed(now, *jobs.get(at)?, out).is_ok(), model.feed(now, at).is_ok())
            }
            What::Cancel(at) => {
                (core.cancel(now, *jobs.get(at)?, out).is_ok(), model.cancel(now, at).is_ok())
            }
            What::Finish(at) => {
                (core.finish(now, lease(at)?, out).is_ok(), model.finish(now, at).is_ok())
            }
            What::Fail(at) => {
                (core.fail(now, lease(at)?, out).is_ok(), model.fail(now, at).is_ok())
            }
            What::GivenBack(at) => {
                (core.given_back(now, lease(at)?, out).is_ok(), model.given_back(now, at).is_ok())
            }
            What::Down(at) => {
                (core.down(now, core::UnitId(at as u32), out).is_ok(), model.down(now, at).is_ok())
            }
            What::Drain(at) => {
                let unit = core::UnitId(at as u32);
                (core.drain(now, unit, out).is_ok(), model.drain(now, at).is_ok())
            }
            What::Up(at) => {
                (core.up(now, core::UnitId(at as u32), out).is_ok(), model.up(now, at).is_ok())
            }
            What::Remove(at) => (core.remove(*jobs.get(at)?).is_ok(), model.remove(at).is_ok()),
            What::Submit(..) | What::Timeout | What::Walk | What::Circle | What::GiveAllBack => {
                return None;
            }
        })
    }

    fn submit(
        &mut self,
        now: u64,
        spec: &model::JobSpec,
        edges: &[model::Edge],
        profiles: &mut Profiles,
    ) -> Result<Option<bool>, String> {
        if edges.iter().any(|edge| edge.upstream >= self.jobs.len()) {
            return Ok(None);
        }
        let core_edges: Vec<core::Edge> = edges
            .iter()
            .map(|edge| core::Edge {
                upstream: self.jobs[edge.upstream],
                mode: bridge::mode(edge.kind),
            })
            .collect();
        let core_spec = bridge::job_spec(spec, profiles);
        let Pair { core, events, numbers, .. } = self;
        let mut out = |core: &Scheduler<'_>, event: Event| {
            let what = bridge::what(core, event, numbers);
            events.push(model::Event { t: core.now(), what });
        };
        let id = core.submit(now, &core_spec, &core_edges, &mut out);
        let ok = id.is_ok();
        if ok {
            // The model's submit has no clock.
            self.model.tick(now);
        }
        let model = self.model.submit(spec.clone(), edges.to_vec());
        if let Ok(id) = id {
            self.numbers.job(id);
            self.jobs.push(id);
        }
        self.agree("the answer to submit", ok, model.is_ok()).map(Some)
    }

    fn walk(&mut self, now: u64) -> Result<bool, String> {
        let Pair { core, events, numbers, leases, .. } = self;
        let mut out = |core: &Scheduler<'_>, event: Event| {
            if let Event::Grant { lease, .. } = event {
                leases.push(lease);
            }
            let what = bridge::what(core, event, numbers);
            events.push(model::Event { t: core.now(), what });
        };
        // A choice that is dropped has done nothing.
        let _ = core.choose(now);
        let granted = match core.choose(now) {
            Some(mut choice) => {
                let reason = choice.reason();
                let lease = choice.grant(&mut out);
                core.job_of(lease).ok() == Some(reason.job)
                    && core.units_of(lease).is_ok_and(|mut units| units.next() == Some(reason.unit))
            }
            None => false,
        };
        let model = self.model.walk(now);
        self.agree("the walk", granted, model)
    }

    fn circle(&mut self, now: u64) -> Result<bool, String> {
        let Pair { core, events, numbers, .. } = self;
        let mut out = |core: &Scheduler<'_>, event: Event| {
            let what = bridge::what(core, event, numbers);
            events.push(model::Event { t: core.now(), what });
        };
        let core = core.break_circle(now, &mut out).is_some();
        self.model.tick(now);
        let model = self.model.break_circle(now);
        self.agree("the circle", core, model)
    }

    fn timeout(&mut self, now: u64) -> Result<bool, String> {
        let Pair { core, events, numbers, .. } = self;
        let mut out = |core: &Scheduler<'_>, event: Event| {
            let what = bridge::what(core, event, numbers);
            events.push(model::Event { t: core.now(), what });
        };
        let core = core.handle_timeout(now, &mut out).is_some();
        self.model.tick(now);
        let due = self.model.due(now).first().copied();
        let model = due.is_some_and(|lease| self.model.expire(now, lease).is_ok());
        self.agree("the deadline", core, model)
    }

    fn give_all_back(&mut self, now: u64) -> Result<bool, String> {
        let mut any = false;
        for at in 0..self.leases.len() {
            let Some((core, model)) = self.input(now, &What::GivenBack(at)) else { continue };
            any |= self.agree("giving back", core, model)?;
        }
        Ok(any)
    }

    /// The same answer, which is returned, the same new events, and a core that is whole.
    fn agree(&mut self, what: &str, core: bool, model: bool) -> Result<bool, String> {
        if core != model {
            return Err(format!("{what}: core {core}, model {model}"));
        }
        let expected = &self.model.events()[self.compared..];
        let found = &self.events[self.compared..];
        if expected != found {
            return Err(format!("{what}:\n  core  {found:?}\n  model {expected:?}"));
        }
        self.compared = self.events.len();
        let whole = self.core.verify();
        whole.map_err(|invariant| format!("{what}: it is not so that {invariant}"))?;
        Ok(core)
    }
}
