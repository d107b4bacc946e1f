//! `[[device]]`: units, and which of them are not known for a fault of the file.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::fields::{self, Fields, Given, cut, refuse};
use crate::line::{Place, Unit, Wanted};
use crate::mig::{self, Gpu, Profile};
use crate::near;
use crate::problem::Code;
use crate::report::{Finding, Report};
use crate::tree::{Bytes, Node};
use crate::vocabulary::{self, PLACES};

use super::names::Names;
use super::policy::PolicyDraft;
use super::{DeviceHere, Surroundings};

/// All devices.
pub(crate) struct Devices<'t> {
    /// The units of the devices that are sound.
    pub(crate) units: Vec<Unit>,
    /// For each unit, where its device stands and whether it lacks any word about memory.
    pub(crate) places: Vec<UnitPlace>,
    /// Devices whose units are not known, with their place if that is: they may hold any job.
    pub(crate) unknown: Vec<Option<Place>>,
    /// Of devices.
    pub(crate) names: Names<'t>,
    /// The units of each device; none if they are not known.
    pub(crate) ranges: Vec<Option<(u32, u32)>>,
    /// Slices by name.
    slices: HashMap<String, u32>,
    /// MIG profiles in use; see [`Line::profiles`](crate::Line::profiles).
    pub(crate) profiles: Vec<String>,
    profile_indexes: HashMap<String, u32>,
    /// Percent; 0 if it has been refused, which refuses the least.
    headroom: u8,
}

/// Where a unit comes from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct UnitPlace {
    pub(crate) at: Bytes,
    pub(crate) memory_absent: bool,
}

/// One device as far as it can be read.
struct Draft<'d, 't> {
    name: Given<Cow<'t, str>>,
    place: Given<Place>,
    memory: Given<u64>,
    slots: Given<u32>,
    gpu: Given<&'static Gpu>,
    wanted: Wanted,
    mig: Given<&'d [Node<'t>]>,
    mig_at: Bytes,
    at: Bytes,
}

/// What a device comes to: the memory of the whole, or its slices.
enum Cut {
    Whole(u64),
    Slices(Vec<&'static Profile>),
}

impl<'t> Devices<'t> {
    pub(super) fn read(
        root: &Fields<'_, 't>,
        policy: &PolicyDraft,
        surroundings: &dyn Surroundings,
        report: &mut Report,
    ) -> Self {
        let tables = root.tables("device", report);
        let mut devices = Devices {
            units: Vec::new(),
            places: Vec::new(),
            unknown: Vec::new(),
            names: Names::new("device", tables.len()),
            ranges: Vec::new(),
            slices: HashMap::new(),
            profiles: Vec::new(),
            profile_indexes: HashMap::new(),
            headroom: policy.headroom.unwrap_or(0),
        };
        if tables.is_empty() && root.find("device").is_none() {
            devices.take_all(surroundings.devices());
        }
        for table in tables {
            let fields = Fields::new(table, &vocabulary::DEVICE, report);
            let draft = draft(&fields, report);
            devices.names.add(&draft.name, devices.ranges.len(), report);
            let cut = cut_up(&draft, surroundings, report);
            devices.place(draft, cut);
        }
        devices.check_slice_names(report);
        devices
    }

    /// The units of the device or unit of that name; none if there is no such name.
    pub(crate) fn target(&self, name: &str) -> Option<Target> {
        if let Some(device) = self.names.find(name) {
            return Some(match self.ranges[device as usize] {
                Some((first, count)) => Target::Units { first, count },
                None => Target::Unknown,
            });
        }
        if let Some(slice) = self.slices.get(name) {
            return Some(Target::Units { first: *slice, count: 1 });
        }
        // A slice of a device whose slices are not known.
        let device = name.rsplit_once('/').and_then(|(device, _)| self.names.find(device))?;
        self.ranges[device as usize].is_none().then_some(Target::Unknown)
    }

    /// What to write instead of a name that is no target.
    pub(crate) fn help(&self, name: &str, report: &mut Report) -> String {
        let device = name.rsplit_once('/').and_then(|(device, _)| self.names.find(device));
        match device.and_then(|device| self.ranges[device as usize]) {
            Some((first, count)) if self.units[first as usize].profile.is_some() => {
                let last = &self.units[(first + count - 1) as usize].name;
                format!("its slices are {} to {}", self.units[first as usize].name, last)
            }
            Some((first, _)) => format!("write \"{}\"", self.units[first as usize].name),
            None => self.names.help(name, report),
        }
    }

    /// The index of a profile that some unit has.
    pub(crate) fn profile(&self, name: &str) -> Option<u32> {
        self.profile_indexes.get(name).copied()
    }

    /// The index of a profile, which is taken in.
    pub(crate) fn take_profile(&mut self, name: &str) -> u32 {
        if let Some(index) = self.profile(name) {
            return index;
        }
        let index = self.profiles.len() as u32;
        self.profiles.push(name.to_owned());
        self.profile_indexes.insert(name.to_owned(), index);
        index
    }

    /// The units are those of this machine.
    fn take_all(&mut self, here: Vec<DeviceHere>) {
        for device in here {
            let DeviceHere { name, place, memory, slots, wanted } = device;
            let budget = self.budget(place, memory);
            let (profile, gpu) = (None, None);
            let first = self.units.len() as u32;
            self.units.push(Unit { name, place, memory, budget, slots, profile, gpu, wanted });
            self.places.push(UnitPlace { at: Bytes::default(), memory_absent: false });
            self.ranges.push(Some((first, 1)));
        }
    }

    /// Adds the units of a device.
    fn place(&mut self, draft: Draft<'_, 't>, cut: Option<Cut>) {
        let place = draft.place.or(Place::Cuda);
        let slots = draft.slots.or(1);
        let (Some(cut), Some(place), Some(slots)) = (cut, place, slots) else {
            self.unknown.push(place);
            self.ranges.push(None);
            return;
        };
        let first = self.units.len() as u32;
        let name = draft.name.good().map(|name| name.to_string()).unwrap_or_default();
        let gpu = draft.gpu.good().map(|gpu| gpu.name.to_owned());
        let unit_place = UnitPlace {
            at: draft.name.at().unwrap_or(draft.at),
            memory_absent: draft.memory.is_absent() && draft.gpu.is_absent(),
        };
        let wanted = draft.wanted;
        let whole = Unit { name, place, memory: 0, budget: 0, slots, profile: None, gpu, wanted };
        match cut {
            Cut::Whole(memory) => {
                let budget = self.budget(place, memory);
                self.units.push(Unit { memory, budget, ..whole });
                self.places.push(unit_place);
            }
            Cut::Slices(profiles) => {
                for (slice, profile) in profiles.into_iter().enumerate() {
                    // Profiles without memory have been refused.
                    let memory = profile.memory.unwrap_or(0);
                    let name = format!("{}/{slice}", whole.name);
                    self.slices.insert(name.clone(), self.units.len() as u32);
                    let budget = self.budget(place, memory);
                    let profile = Some(self.take_profile(profile.name));
                    self.units.push(Unit { name, memory, budget, profile, ..whole.clone() });
                    self.places.push(unit_place);
                }
            }
        }
        self.ranges.push(Some((first, self.units.len() as u32 - first)));
    }

    fn budget(&self, place: Place, memory: u64) -> u64 {
        match place {
            Place::Cpu => memory,
            Place::Cuda | Place::Vulkan => {
                let headroom = u128::from(memory) * u128::from(self.headroom) / 100;
                memory - u64::try_from(headroom).unwrap_or(memory)
            }
        }
    }

    /// A device must not be named like a slice of another: traces name units.
    fn check_slice_names(&self, report: &mut Report) {
        let mut names: Vec<&String> = self.slices.keys().collect();
        names.sort_unstable();
        for name in names {
            if let Some(at) = self.names.place(name) {
                let message = format!("`{}` is the name of a slice", cut(name));
                report.add(
                    Finding::error(Code::DuplicateName, at, message)
                        .help("give the device another name"),
                );
            }
        }
    }
}

/// What a fault is aimed at.
pub(crate) enum Target {
    Units {
        first: u32,
        count: u32,
    },
    /// It is there, but refused.
    Unknown,
}

fn draft<'d, 't>(fields: &Fields<'d, 't>, report: &mut Report) -> Draft<'d, 't> {
    Draft {
        name: fields.name(report),
        place: fields.word("place", PLACES, report),
        memory: fields.memory("memory", report),
        slots: fields.count("slots", 1, report),
        gpu: fields.read("gpu", |node| gpu(node, report)),
        wanted: wanted(fields, report),
        mig: fields.read("mig", |node| fields::list(node, "mig", "a list of profiles", report)),
        mig_at: fields.find("mig").map_or(fields.at(), |entry| entry.node.at),
        at: fields.at(),
    }
}

fn gpu(node: &Node<'_>, report: &mut Report) -> Option<&'static Gpu> {
    let name = fields::text(node, "gpu", report)?;
    if let Some(gpu) = mig::gpu(&name) {
        return Some(gpu);
    }
    refuse(node, report, || {
        let known = mig::gpus().iter().map(|gpu| gpu.name);
        let nearest = near::nearest(&name, known.clone()).map(|(nearest, _)| nearest);
        let all: Vec<_> = known.collect();
        let nearest = nearest.map_or(String::new(), |nearest| format!("write \"{nearest}\"; "));
        let message = format!("\"{}\" is not in the MIG table", cut(&name));
        Finding::error(Code::UnknownGpu, node.at, message)
            .help(format!("{nearest}the table has {}", all.join(", ")))
    })
}

/// Works out memory or slices; none if that is not known.
fn cut_up(
    draft: &Draft<'_, '_>,
    surroundings: &dyn Surroundings,
    report: &mut Report,
) -> Option<Cut> {
    match &draft.mig {
        Given::Absent => whole(draft, surroundings, report).map(Cut::Whole),
        Given::Bad => {
            check_beside_mig(draft, report);
            None
        }
        Given::Good(items, _) => {
            check_beside_mig(draft, report);
            slices(draft, items, report).map(Cut::Slices)
        }
    }
}

/// The memory of a device that is not cut.
fn whole(
    draft: &Draft<'_, '_>,
    surroundings: &dyn Surroundings,
    report: &mut Report,
) -> Option<u64> {
    match (&draft.memory, &draft.gpu) {
        (Given::Good(memory, _), _) => Some(*memory),
        (Given::Absent, Given::Absent) => {
            let place = draft.place.or(Place::Cuda).unwrap_or(Place::Cuda);
            Some(surroundings.memory(place, &draft.wanted).unwrap_or(0))
        }
        (Given::Absent, Given::Good(gpu, at)) => {
            let largest = gpu.largest();
            if largest.memory.is_none() {
                let message = format!("the MIG table does not have the memory of {}", largest.name);
                report.add(
                    Finding::error(Code::UnknownMemory, *at, message)
                        .help("write `memory = \"...\"` beside it"),
                );
            }
            largest.memory
        }
        (Given::Bad, _) | (Given::Absent, Given::Bad) => None,
    }
}

/// Which device of a machine is meant.
fn wanted(fields: &Fields<'_, '_>, report: &mut Report) -> Wanted {
    let mut text = |key: &'static str| {
        let text = fields.text(key, report);
        text.good().map(|text| text.to_string())
    };
    Wanted { uuid: text("uuid"), pci: text("pci"), card: text("card") }
}

/// What a device with `mig` must have, and must not.
fn check_beside_mig(draft: &Draft<'_, '_>, report: &mut Report) {
    if let Given::Good(place @ (Place::Vulkan | Place::Cpu), at) = draft.place {
        let place = vocabulary::word(PLACES, place);
        report.add(
            Finding::error(Code::MigNeeds, draft.mig_at, format!("`mig` on a {place} place"))
                .related(at, "MIG is for place \"cuda\"")
                .help("leave `mig` out, or write `place = \"cuda\"`"),
        );
    }
    if draft.gpu.is_absent() {
        let all: Vec<_> = mig::gpus().iter().map(|gpu| gpu.name).collect();
        report
            .add(Finding::error(Code::MigNeeds, draft.mig_at, "`mig` without `gpu`").help(
                format!("write which GPU it is: `gpu = \"...\"`, one of {}", all.join(", ")),
            ));
    }
    if let Given::Good(_, at) = draft.memory {
        report.add(
            Finding::error(Code::MemoryWithMig, at, "`memory` beside `mig`")
                .related(draft.mig_at, "these slices have the memory of their profiles")
                .help("leave `memory` out"),
        );
    }
}

fn slices(
    draft: &Draft<'_, '_>,
    items: &[Node<'_>],
    report: &mut Report,
) -> Option<Vec<&'static Profile>> {
    let names: Vec<_> = items.iter().map(|item| fields::text(item, "mig", report)).collect();
    let gpu = *draft.gpu.good()?;
    let mut known = true;
    let mut profiles = Vec::new();
    for (item, name) in items.iter().zip(names) {
        match name.and_then(|name| profile(gpu, item, &name, report)) {
            Some(profile) => {
                known &= profile.memory.is_some();
                profiles.push(profile);
            }
            None => known = false,
        }
    }
    if profiles.len() < items.len() {
        return None;
    }
    match gpu.place(&profiles) {
        Ok(_) => known.then_some(profiles),
        Err(misfit) => {
            let at = misfit.entry.map_or(draft.mig_at, |entry| items[entry].at);
            report.add(
                Finding::error(Code::IllegalLayout, at, format!("not a layout: {misfit}"))
                    .help("leave slices out, or take smaller ones"),
            );
            None
        }
    }
}

fn profile(
    gpu: &'static Gpu,
    item: &Node<'_>,
    name: &str,
    report: &mut Report,
) -> Option<&'static Profile> {
    let Some(profile) = gpu.profile(name) else {
        return refuse(item, report, || {
            let known: Vec<_> = gpu.profiles.iter().map(|profile| profile.name).collect();
            let nearest = near::nearest(name, known.iter().copied());
            let nearest = nearest.map_or(String::new(), |(near, _)| format!("write \"{near}\"; "));
            let message = format!("{} has no profile \"{}\"", gpu.name, cut(name));
            Finding::error(Code::UnknownProfile, item.at, message)
                .help(format!("{nearest}it has {}", known.join(", ")))
        });
    };
    if profile.memory.is_none() {
        let message = format!("the MIG table does not have the memory of {name}");
        report.add(
            Finding::error(Code::UnknownMemory, item.at, message).help("take another profile"),
        );
    }
    Some(profile)
}
