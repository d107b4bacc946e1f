//! Warnings of circles: a whole-grain job that waits for images holds what they need to be made.
//!
//! A *holder* is a whole-grain job that may be starved: it takes images over a stream edge, or
//! gives them over one with a depth. A *victim* is its neighbour over that edge. There may be a
//! circle if the holder can take a unit, or the limited stream, that the victim needs, and all
//! other jobs together could take the rest of them. They are counted as if each were as large as
//! the largest: this errs on the side of warning.

use std::collections::{BTreeMap, HashMap};

use crate::fields::cut;
use crate::fit::{matches, may_fall_back};
use crate::line::{Edge, Fallback, FaultEvent, Job, Line, Mode, Needs, Place, Unit};
use crate::problem::Code;
use crate::read::LinePlaces;
use crate::report::{Finding, Report};

/// Adds a warning for each edge over which a circle may arise.
pub(crate) fn warn(line: &Line, places: &LinePlaces, report: &mut Report) {
    let holders = holders(line);
    if !holders.contains(&true) {
        return;
    }
    let mut search = Search::new(line, &holders);
    for (index, job) in (0_u32..).zip(&line.jobs) {
        for (edge, at) in job.after.iter().zip(&places.jobs[index as usize].edges) {
            let held = search.edge(index, edge);
            let Some((holder, victim, what)) = held else {
                continue;
            };
            let name = |job: u32| cut(&line.jobs[job as usize].name);
            let (holder, victim) = (name(holder), name(victim));
            let message = format!("`{holder}` may hold the {what} that `{victim}` needs");
            report.add(Finding::warning(Code::Circle, *at, message).help(format!(
                "give them {what}s of their own, or write `mode = \"barrier\"`: \
                 such circles are broken, one image at a time"
            )));
        }
    }
}

/// Which jobs may be starved while they hold a lease.
fn holders(line: &Line) -> Vec<bool> {
    let mut holders = vec![false; line.jobs.len()];
    for (index, job) in line.jobs.iter().enumerate() {
        for edge in job.after.iter().filter(|edge| edge.mode == Mode::Stream) {
            // The only image of a job leaves nothing to wait for.
            if job.images < 2 {
                continue;
            }
            holders[index] |= !job.image_grain();
            let upstream = edge.upstream as usize;
            holders[upstream] |= bounded(edge, job) && !line.jobs[upstream].image_grain();
        }
    }
    holders
}

/// Whether the depth of an edge ever holds its upstream back.
fn bounded(edge: &Edge, down: &Job) -> bool {
    edge.depth > 0 && edge.depth < down.images
}

/// What kind of unit a job takes, all fallbacks considered.
type Kind = (Needs, Option<u32>);

/// Units that nothing here tells apart.
#[derive(PartialEq, Eq, Hash, Clone, Copy, PartialOrd, Ord)]
struct Class {
    place: Place,
    profile: Option<u32>,
    budget: u64,
    slots: u32,
}

/// What all jobs of one kind take at once.
#[derive(Default, Clone, Copy)]
struct Taken {
    units: u64,
    memory_max: u64,
}

/// What a victim asks for.
#[derive(PartialEq, Eq, Hash, Clone, Copy)]
struct Ask {
    kind: Kind,
    memory: u64,
    gpus: u32,
    /// Units that it takes itself, of those that all jobs take.
    own: u64,
}

struct Search<'l> {
    line: &'l Line,
    holders: &'l [bool],
    /// How many units there are of each class.
    classes: Vec<(Class, u64)>,
    /// What all jobs of each kind take.
    taken: BTreeMap<Kind, Taken>,
    /// Leases at once of all jobs that name each stream.
    in_stream: HashMap<u32, u64>,
    /// Some unit is lost in this line.
    losses: bool,
    known: HashMap<Ask, bool>,
}

impl<'l> Search<'l> {
    fn new(line: &'l Line, holders: &'l [bool]) -> Self {
        let mut classes: BTreeMap<Class, u64> = BTreeMap::new();
        for unit in &line.units {
            *classes.entry(class(unit)).or_default() += 1;
        }
        let mut search = Search {
            line,
            holders,
            classes: classes.into_iter().collect(),
            taken: BTreeMap::new(),
            in_stream: HashMap::new(),
            losses: line.faults.iter().any(|fault| matches!(fault.event, FaultEvent::Down(_))),
            known: HashMap::new(),
        };
        for job in &line.jobs {
            let kind = search.kind(job);
            let taken = search.taken.entry(kind).or_default();
            taken.units = taken.units.saturating_add(units(job));
            taken.memory_max = taken.memory_max.max(memory(line, job));
            if let Some(stream) = job.stream {
                *search.in_stream.entry(stream).or_default() += u64::from(job.inflight);
            }
        }
        search
    }

    /// The holder, the victim and what is held, if there may be a circle over an edge.
    fn edge(&mut self, down: u32, edge: &Edge) -> Option<(u32, u32, &'static str)> {
        if edge.mode != Mode::Stream {
            return None;
        }
        let up = edge.upstream;
        let (upstream, downstream) = (&self.line.jobs[up as usize], &self.line.jobs[down as usize]);
        // A whole-grain upstream keeps its unit, unless it loses its lease.
        let loses = upstream.image_grain()
            || upstream.retries > 0
            || self.losses
            || bounded(edge, downstream);
        if loses
            && self.holders[down as usize]
            && let Some(what) = self.held(down, up)
        {
            return Some((down, up, what));
        }
        if bounded(edge, downstream) && self.holders[up as usize] {
            return self.held(up, down).map(|what| (up, down, what));
        }
        None
    }

    /// What a holder may hold so that the victim lacks it.
    fn held(&mut self, holder: u32, victim: u32) -> Option<&'static str> {
        let (one, other) = (&self.line.jobs[holder as usize], &self.line.jobs[victim as usize]);
        if let Some(stream) = one.stream.filter(|stream| other.stream == Some(*stream)) {
            let limit = self.line.streams[stream as usize].limit;
            let all = self.in_stream.get(&stream).copied().unwrap_or(0);
            let others = all.saturating_sub(u64::from(other.inflight));
            if limit.is_some_and(|limit| others >= u64::from(limit)) {
                return Some("stream");
            }
        }
        let (kind, least) = (self.kind(one), memory(self.line, one));
        let ask = Ask {
            kind: self.kind(other),
            memory: memory(self.line, other),
            gpus: other.gpus,
            own: units(other),
        };
        let shared = self
            .classes
            .iter()
            .any(|(class, _)| takes(ask.kind, ask.memory, class) && takes(kind, least, class));
        (shared && self.blocked(ask)).then_some("unit")
    }

    /// Whether all other jobs together can leave too few units for a victim.
    fn blocked(&mut self, ask: Ask) -> bool {
        if let Some(known) = self.known.get(&ask) {
            return *known;
        }
        let mut taken = Taken::default();
        for ((needs, profile), of_kind) in &self.taken {
            let other_slices = profile.is_some() && ask.kind.1.is_some() && *profile != ask.kind.1;
            let overlap =
                PLACES.iter().any(|place| matches(*needs, *place) && matches(ask.kind.0, *place));
            if overlap && !other_slices {
                taken.units = taken.units.saturating_add(of_kind.units);
                taken.memory_max = taken.memory_max.max(of_kind.memory_max);
            }
        }
        taken.units = taken.units.saturating_sub(ask.own);
        // How many leases it takes to keep the victim off a unit, cheapest units first.
        let mut costs: Vec<(u64, u64)> = self
            .classes
            .iter()
            .filter(|(class, _)| takes(ask.kind, ask.memory, class))
            .map(|(class, count)| (leases_to_block(class, ask.memory, taken.memory_max), *count))
            .collect();
        costs.sort_unstable();
        let units: u64 = costs.iter().map(|(_, count)| count).sum();
        // Blocked if fewer than `gpus` are left.
        let mut to_block = (units + 1).saturating_sub(u64::from(ask.gpus));
        let mut needed: u64 = 0;
        for (cost, count) in costs {
            let these = count.min(to_block);
            needed = needed.saturating_add(cost.saturating_mul(these));
            to_block -= these;
        }
        let blocked = taken.units >= needed;
        self.known.insert(ask, blocked);
        blocked
    }

    /// The units that a job takes; CPU places if it can only fall back.
    fn kind(&self, job: &Job) -> Kind {
        let kind = (job.needs, job.profile);
        let falls_back =
            job.fallback == Fallback::Allow && may_fall_back(job.needs, job.profile.is_some());
        let memory = memory(self.line, job);
        let own = self.classes.iter().filter(|(class, _)| takes(kind, memory, class));
        match falls_back && own.map(|(_, count)| count).sum::<u64>() < u64::from(job.gpus) {
            true => (Needs::Cpu, None),
            false => kind,
        }
    }
}

const PLACES: [Place; 3] = [Place::Cuda, Place::Vulkan, Place::Cpu];

fn class(unit: &Unit) -> Class {
    Class { place: unit.place, profile: unit.profile, budget: unit.budget, slots: unit.slots }
}

fn takes(kind: Kind, memory: u64, class: &Class) -> bool {
    let (needs, profile) = kind;
    matches(needs, class.place)
        && (profile.is_none() || profile == class.profile)
        && memory <= class.budget
}

/// The units that a job takes at once.
fn units(job: &Job) -> u64 {
    u64::from(job.gpus) * u64::from(job.inflight)
}

/// Memory and weights of a job.
fn memory(line: &Line, job: &Job) -> u64 {
    let weights = job.model.map_or(0, |model| line.models[model as usize].weights);
    job.memory.saturating_add(weights)
}

/// How many leases of others it takes at least before a unit has no room for the victim.
fn leases_to_block(class: &Class, victim: u64, other: u64) -> u64 {
    let slots = u64::from(class.slots);
    match (class.budget - victim).checked_div(other) {
        Some(beside) => slots.min(beside + 1),
        None => slots,
    }
}
