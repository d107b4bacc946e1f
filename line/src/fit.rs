//! Jobs that no set of the file's units could ever hold.

use std::collections::HashMap;

use crate::line::{Fallback, Needs, Place, Unit};
use crate::problem::Code;
use crate::quantity::{show_memories, show_memory};
use crate::read::{Devices, JobDraft, Jobs, PolicyDraft, ProfileName, Things};
use crate::report::{Finding, Report};
use crate::tree::Bytes;
use crate::vocabulary::{self, NEEDS};

/// Whether a place satisfies what a job needs.
pub(crate) fn matches(needs: Needs, place: Place) -> bool {
    match needs {
        Needs::Gpu => matches!(place, Place::Cuda | Place::Vulkan),
        Needs::Cuda => place == Place::Cuda,
        Needs::Vulkan => place == Place::Vulkan,
        Needs::Cpu => place == Place::Cpu,
        Needs::Any => true,
    }
}

/// Whether a job may run on a CPU place instead, where its fallback allows it.
pub(crate) fn may_fall_back(needs: Needs, has_profile: bool) -> bool {
    matches!(needs, Needs::Gpu | Needs::Cuda | Needs::Vulkan) && !has_profile
}

/// Budgets of units, so that counting those that could hold a job costs little however many
/// there are.
struct Budgets<'u> {
    /// The units of each place and profile, by budget.
    sorted: HashMap<(Place, Option<u32>), Vec<&'u Unit>>,
}

/// What a job asks of a unit.
struct Demand {
    needs: Needs,
    profile: Option<u32>,
    /// Memory and weights.
    memory: u64,
}

impl<'u> Budgets<'u> {
    fn new(units: &'u [Unit]) -> Self {
        let mut sorted: HashMap<_, Vec<&Unit>> = HashMap::new();
        for unit in units {
            sorted.entry((unit.place, unit.profile)).or_default().push(unit);
        }
        for group in sorted.values_mut() {
            group.sort_by_key(|unit| unit.budget);
        }
        Budgets { sorted }
    }

    fn groups(&self, demand: &Demand) -> impl Iterator<Item = &Vec<&'u Unit>> {
        let (needs, wanted) = (demand.needs, demand.profile);
        self.sorted
            .iter()
            .filter(move |((place, profile), _)| {
                matches(needs, *place) && (wanted.is_none() || wanted == *profile)
            })
            .map(|(_, units)| units)
    }

    /// Units that match.
    fn matching(&self, demand: &Demand) -> usize {
        self.groups(demand).map(Vec::len).sum()
    }

    /// Units that match and could hold the job alone.
    fn holding(&self, demand: &Demand) -> usize {
        let below = |units: &Vec<&Unit>| units.partition_point(|unit| unit.budget < demand.memory);
        self.groups(demand).map(|units| units.len() - below(units)).sum()
    }

    /// The first in the file of the largest that match.
    fn largest(&self, demand: &Demand) -> Option<&'u Unit> {
        let largest = self.groups(demand).filter_map(|units| units.last());
        largest.copied().max_by(|one, other| {
            one.budget.cmp(&other.budget).then_with(|| other.name.cmp(&one.name))
        })
    }
}

/// Reports each job that never fits.
pub(crate) fn check(
    jobs: &Jobs<'_>,
    devices: &Devices<'_>,
    things: &Things<'_>,
    policy: &PolicyDraft,
    report: &mut Report,
) {
    let with_images = |draft: &&JobDraft<'_>| draft.count != Some(0);
    if devices.ranges.is_empty() {
        // One finding, not one for each job.
        if let Some(draft) = jobs.drafts.iter().find(with_images) {
            report.add(
                Finding::error(Code::NeverFits, draft.at(), "there is no device to run this on")
                    .help(
                        "write a `[[device]]` with its `name` and `memory`; without one, only \
                         `lineside run` knows what is here",
                    ),
            );
        }
        return;
    }
    let budgets = Budgets::new(&devices.units);
    for (index, draft) in (0_u32..).zip(&jobs.drafts).filter(|(_, draft)| with_images(draft)) {
        let Some(case) = Case::new(draft, things, policy) else {
            continue;
        };
        if !case.fits(&budgets, devices) {
            report.add(case.finding(&jobs.label(index), &budgets, policy));
        }
    }
}

/// One job, with the most lenient reading of what has been refused.
struct Case<'d, 't> {
    draft: &'d JobDraft<'t>,
    needs: Needs,
    /// The profile, if it asks for one; then none if no unit has it.
    profile: Option<Option<u32>>,
    memory: u64,
    weights: u64,
    gpus: u32,
    fallback: Fallback,
}

impl<'d, 't> Case<'d, 't> {
    /// None if too little is known to judge.
    fn new(draft: &'d JobDraft<'t>, things: &Things<'_>, policy: &PolicyDraft) -> Option<Self> {
        if draft.profile.is_bad() || draft.model.is_bad() {
            return None;
        }
        let weights = match draft.model.good() {
            Some(model) if things.weights_unknown[*model as usize] => 0,
            Some(model) => things.models[*model as usize].weights,
            None => 0,
        };
        let fallback = draft.fallback.or(policy.fallback.unwrap_or(Fallback::Allow));
        Some(Case {
            draft,
            needs: draft.needs.or(Needs::Gpu)?,
            profile: draft.profile.good().map(|profile| match profile {
                ProfileName::Here(index) => Some(*index),
                ProfileName::Elsewhere(_) => None,
            }),
            memory: draft.memory.or(0).unwrap_or(0),
            weights,
            gpus: draft.gpus.or(1).unwrap_or(1),
            fallback: fallback.unwrap_or(Fallback::Allow),
        })
    }

    fn demand(&self) -> Demand {
        Demand {
            needs: self.needs,
            profile: self.profile.flatten(),
            memory: self.memory.saturating_add(self.weights),
        }
    }

    fn falls_back(&self) -> bool {
        self.fallback == Fallback::Allow && may_fall_back(self.needs, self.profile.is_some())
    }

    fn fits(&self, budgets: &Budgets<'_>, devices: &Devices<'_>) -> bool {
        // A device whose units are not known may hold anything that its place allows.
        let cpu = |place: Place| place == Place::Cpu && self.falls_back();
        let may = |place: &Option<Place>| {
            place.is_none_or(|place| matches(self.needs, place) || cpu(place))
        };
        if devices.unknown.iter().any(may) {
            return true;
        }
        let gpus = self.gpus as usize;
        let demand = self.demand();
        let own = self.profile != Some(None) && budgets.holding(&demand) >= gpus;
        own || self.falls_back() && budgets.holding(&Demand { needs: Needs::Cpu, ..demand }) >= gpus
    }

    /// Says what it lacks, by the first thing that is missing.
    fn finding(&self, name: &str, budgets: &Budgets<'_>, policy: &PolicyDraft) -> Finding {
        let demand = self.demand();
        let places = vocabulary::word(NEEDS, self.needs);
        let never = |at: Bytes, reason: String| {
            Finding::error(Code::NeverFits, at, format!("{name} can never run: {reason}"))
        };
        if let Some(ProfileName::Elsewhere(profile)) = self.draft.profile.good() {
            let at = self.draft.profile.at().unwrap_or(self.draft.at());
            return never(at, format!("no device has a slice {profile}"))
                .help("take a profile that some device has, or leave `profile` out");
        }
        if budgets.matching(&demand) == 0 {
            let profile = self.profile.is_some();
            let slices = if profile { "slices of that profile" } else { "units" };
            let at = if profile { self.draft.profile.at() } else { self.draft.needs.at() };
            let help = match (self.needs, profile) {
                (Needs::Cpu | Needs::Vulkan, true) => "MIG slices are on place \"cuda\"",
                (Needs::Cpu, false) => "write a `[[device]]` with `place = \"cpu\"`",
                (_, _) if self.falls_back() => "write a device that can hold it",
                (_, _) => "write such a device, or other `needs`, or `fallback = \"allow\"`",
            };
            let reason = format!("it needs {slices} for \"{places}\", and there are none");
            return never(at.unwrap_or(self.draft.at()), reason).help(help);
        }
        let holding = budgets.holding(&demand);
        if holding == 0 {
            let at = match (self.draft.memory.at(), self.draft.model.at()) {
                (Some(_), Some(model)) if self.weights > self.memory => Some(model),
                (memory, model) => memory.or(model),
            };
            let reason = self.too_large(&demand, budgets, policy);
            return never(at.unwrap_or(self.draft.at()), reason)
                .help("let it need less, or give it a larger unit");
        }
        let at = self.draft.gpus.at().unwrap_or(self.draft.at());
        let held = match demand.memory {
            0 => String::new(),
            memory => format!(" with {} each", show_memory(memory)),
        };
        let reason = format!(
            "a lease takes {} units for \"{places}\"{held}, and there {}",
            self.gpus,
            if holding == 1 { "is 1".to_owned() } else { format!("are {holding}") }
        );
        never(at, reason).help(format!("write `gpus = {holding}`, or more devices"))
    }

    /// `needs 20 GiB, and the largest unit it may use, g, can lease 7.2 GiB (8 GiB less 10 %)`.
    fn too_large(&self, demand: &Demand, budgets: &Budgets<'_>, policy: &PolicyDraft) -> String {
        let Some(unit) = budgets.largest(demand) else {
            return "no unit is large enough".into();
        };
        let (needed, budget) = show_memories(demand.memory, unit.budget);
        let parts = match (self.memory, self.weights) {
            (0, 0) | (_, 0) => String::new(),
            (0, _) => " for its model".into(),
            (memory, weights) => {
                format!(" ({} and {} for its model)", show_memory(memory), show_memory(weights))
            }
        };
        let less = match unit.memory == unit.budget {
            true => String::new(),
            false => {
                let headroom = policy.headroom.unwrap_or_default();
                format!(" ({} less {headroom} % headroom)", show_memory(unit.memory))
            }
        };
        let name = crate::fields::cut(&unit.name);
        format!(
            "it needs {needed}{parts}, and the largest unit it may use, {name}, can lease \
             {budget}{less}"
        )
    }
}
