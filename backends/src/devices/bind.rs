//! Which unit of the line is which device of this machine.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use lineside_devices::{Api, Device, Inventory, Pci, Uuid, matches};
use lineside_line::quantity::show_memory;
use lineside_line::{Action, DeviceHere, Fallback, Line, Needs, Place, Unit, Wanted};

use super::gpus::UnitGpu;
use super::module::MODULE;
use super::tools::runs_on;
use crate::host::HostUnit;

/// The units of a line on this machine.
#[derive(Debug, Clone)]
pub struct Bound {
    /// For each unit of the line.
    pub units: Vec<HostUnit>,
    /// For each unit of the line, its device, if it is one.
    pub gpus: Vec<Option<UnitGpu>>,
    /// What the people beside the line may want to know.
    pub notes: Vec<String>,
}

/// Puts everything that can be there on one place, as `--place` asks.
pub fn put_on(line: &mut Line, place: Place) {
    for unit in line.units.iter_mut().filter(|unit| unit.place != Place::Cpu) {
        if place != Place::Cpu {
            unit.place = place;
        }
    }
    let needs = match place {
        Place::Cuda => Needs::Cuda,
        Place::Vulkan => Needs::Vulkan,
        Place::Cpu => Needs::Cpu,
    };
    for job in line.jobs.iter_mut().filter(|job| runs_on(job, place)) {
        // A job that only programs could do on a GPU stays where its author wants it.
        let moves = match job.action {
            Action::Kernel { .. } => true,
            _ => place == Place::Cpu || job.needs != Needs::Cpu,
        };
        if moves {
            (job.needs, job.fallback) = (needs, Fallback::Forbid);
        }
        if place != Place::Cuda {
            job.profile = None;
        }
    }
    if place != Place::Cpu && !line.units.iter().any(|unit| unit.place == place) {
        line.units.push(Unit {
            name: free_name(line),
            place,
            memory: 0,
            budget: 0,
            slots: 1,
            profile: None,
            gpu: None,
            wanted: Wanted::default(),
        });
    }
}

fn free_name(line: &Line) -> String {
    let taken = |name: &String| line.units.iter().any(|unit| unit.name == *name);
    let mut names = (0..).map(|number: u32| format!("gpu{number}"));
    names.find(|name| !taken(name)).unwrap_or_default()
}

/// Finds a device for each unit that is a GPU, and gives the unit the memory that is to be had.
///
/// # Errors
///
/// Each unit that names a device that is not here, or not to be used.
pub fn bind(line: &mut Line, inventory: &Inventory) -> Result<Bound, Vec<String>> {
    let mut binder = Binder {
        inventory,
        taken: inventory.devices.iter().map(|_| None).collect(),
        found: line.units.iter().map(|_| None).collect(),
        notes: Vec::new(),
        faults: Vec::new(),
    };
    // Those that want a certain device come first, so that nobody else takes it.
    for wants in [true, false] {
        for (at, unit) in line.units.iter().enumerate() {
            if unit.place != Place::Cpu && unit.wanted.is_any() != wants {
                binder.look(at, unit, line);
            }
        }
    }
    let Binder { found, mut notes, mut faults, .. } = binder;
    check_kernels(line, inventory, &found, &mut faults);
    if !faults.is_empty() {
        return Err(faults);
    }
    let headroom = line.policy.headroom;
    let (mut units, mut gpus) = (HostUnit::of_line(line), Vec::new());
    for ((unit, host), found) in line.units.iter_mut().zip(&mut units).zip(&found) {
        gpus.push(found.map(|device| {
            let device = &inventory.devices[device];
            fit_memory(unit, device, headroom, &mut notes);
            (host.here, host.uuid) = (true, device.uuid.clone());
            if device.stand_in {
                notes.push(format!("{} is a stand-in for tests, not a GPU", unit.name));
            }
            let api = if unit.place == Place::Cuda { Api::Cuda } else { Api::Vulkan };
            UnitGpu { device: device.clone(), api, budget: unit.budget }
        }));
    }
    // So that no report of such a run is taken for one of a GPU.
    if gpus.iter().flatten().any(|gpu| gpu.device.stand_in) {
        let said = line.description.take().map_or(String::new(), |said| said + ". ");
        line.description = Some(said + "Run on a stand-in for tests, not on a GPU");
    }
    Ok(Bound { units, gpus, notes })
}

struct Binder<'b> {
    inventory: &'b Inventory,
    /// For each device, which unit it is.
    taken: Vec<Option<usize>>,
    /// For each unit, which device it is.
    found: Vec<Option<usize>>,
    notes: Vec<String>,
    faults: Vec<String>,
}

impl Binder<'_> {
    fn look(&mut self, at: usize, unit: &Unit, line: &Line) {
        let profile = unit.profile.map(|profile| line.profiles[profile as usize].as_str());
        let devices = self.inventory.devices.iter().enumerate();
        let meant: Vec<usize> = devices
            .filter(|(_, device)| {
                let sliced = profile.is_none() || device.profile.as_deref() == profile;
                sliced && is_meant(device, &unit.wanted)
            })
            .map(|(at, _)| at)
            .collect();
        let usable = |at: &usize| {
            let device = &self.inventory.devices[*at];
            device.is_usable() && reaches(device, unit.place) && self.taken[*at].is_none()
        };
        let enough = |at: &usize| {
            let free = self.inventory.devices[*at].free();
            free.is_none_or(|free| free >= unit.memory)
        };
        let free: Vec<usize> = meant.iter().copied().filter(usable).collect();
        // Whole cards before slices, where any will do.
        let whole = |at: &&usize| self.inventory.devices[**at].profile.is_none();
        let choice = free
            .iter()
            .filter(whole)
            .find(|at| enough(at))
            .or_else(|| free.iter().find(|at| enough(at)))
            .or(free.first());
        match choice {
            Some(&device) => {
                self.taken[device] = Some(at);
                self.found[at] = Some(device);
            }
            None if unit.wanted.is_any() => {}
            None => self.faults.push(self.why_not(unit, &meant, line)),
        }
    }

    fn why_not(&self, unit: &Unit, meant: &[usize], line: &Line) -> String {
        let name = &unit.name;
        let place = match unit.place {
            Place::Cuda => "CUDA",
            Place::Vulkan => "Vulkan",
            Place::Cpu => "the CPU",
        };
        let wanted = shown(&unit.wanted);
        let Some(&at) = meant.first() else {
            return format!("device `{name}`: {wanted} is not on this machine");
        };
        let device = &self.inventory.devices[at];
        if let Some(why) = &device.unusable {
            return format!("device `{name}`: {wanted} can't be used: {why}");
        }
        if let Some(other) = self.taken[at] {
            let other = &line.units[other].name;
            return format!("device `{name}`: {wanted} is `{other}` already");
        }
        format!("device `{name}`: {wanted} is not reached through {place}")
    }
}

/// A kernel runs in this process, which a slice may be out of reach of.
fn check_kernels(
    line: &Line,
    inventory: &Inventory,
    found: &[Option<usize>],
    faults: &mut Vec<String>,
) {
    for (unit, device) in line.units.iter().zip(found) {
        let Some(device) = device.map(|device| &inventory.devices[device]) else { continue };
        let out_of_reach =
            unit.place == Place::Cuda && device.cuda.is_some_and(|cuda| cuda.ordinal.is_none());
        let mut may_come = line.jobs.iter().filter(|job| {
            let place = match job.needs {
                Needs::Gpu | Needs::Any => true,
                Needs::Cuda => unit.place == Place::Cuda,
                Needs::Vulkan => unit.place == Place::Vulkan,
                Needs::Cpu => false,
            };
            let kernel = matches!(job.action, Action::Kernel { .. });
            kernel && place && job.profile.is_none_or(|profile| Some(profile) == unit.profile)
        });
        // A built-in tool without a form for GPUs runs on the CPU whatever its lease has.
        let formless = may_come.clone().find(|job| {
            matches!(&job.action, Action::Kernel { tool, .. } if tool == MODULE)
                && !runs_on(job, unit.place)
        });
        if let Some(job) = formless {
            let (place, files) = match unit.place {
                Place::Cuda => ("CUDA", "a .cu or .ptx"),
                Place::Vulkan | Place::Cpu => ("Vulkan", "a .wgsl or .spv"),
            };
            faults.push(format!(
                "job `{}`: its module has no form for `{}`, which is reached through {place}: name \
                 {files} beside it, or write what it `needs`",
                job.name, unit.name
            ));
        }
        let job = may_come.find(|job| runs_on(job, unit.place));
        if let (true, Some(job)) = (out_of_reach, job) {
            faults.push(format!(
                "device `{}`: a process sees one MIG slice, the one that CUDA_VISIBLE_DEVICES \
                 names; the `kernel` of `{}` would not see this one ({})",
                unit.name,
                job.name,
                device.identity()
            ));
        }
    }
}

/// What others hold is not to be had.
fn fit_memory(unit: &mut Unit, device: &Device, headroom: u8, notes: &mut Vec<String>) {
    let declared = unit.memory;
    let memory = match device.free() {
        Some(free) if declared == 0 => free,
        Some(free) => free.min(declared),
        None => declared,
    };
    if memory < declared {
        notes.push(format!(
            "{} has {} for this run, not {}: {} has {} in all, and {} are in use",
            unit.name,
            show_memory(memory),
            show_memory(declared),
            device.card,
            show_memory(device.memory.unwrap_or(0)),
            show_memory(device.used.unwrap_or(0))
        ));
    }
    unit.memory = memory;
    unit.budget = memory - (u128::from(memory) * u128::from(headroom) / 100) as u64;
}

fn reaches(device: &Device, place: Place) -> bool {
    match place {
        Place::Cuda => device.cuda.is_some(),
        Place::Vulkan => device.vulkan.is_some(),
        Place::Cpu => false,
    }
}

/// Whether a device is the one, or one of those, that a line file means.
pub fn is_meant(device: &Device, wanted: &Wanted) -> bool {
    let uuid = wanted.uuid.as_ref().is_none_or(|uuid| {
        device.uuid.as_ref().is_some_and(|own| {
            let same = uuid.parse::<Uuid>().is_ok_and(|uuid| own.parse() == Ok(uuid));
            same || own.eq_ignore_ascii_case(uuid)
        })
    });
    let pci = wanted
        .pci
        .as_ref()
        .is_none_or(|pci| pci.parse::<Pci>().is_ok_and(|pci| device.pci == Some(pci)));
    let card = wanted.card.as_ref().is_none_or(|card| matches(card, &device.card));
    uuid && pci && card
}

fn shown(wanted: &Wanted) -> String {
    let uuid = wanted.uuid.as_ref().map(|uuid| format!("uuid = \"{uuid}\""));
    let pci = wanted.pci.as_ref().map(|pci| format!("pci = \"{pci}\""));
    let card = wanted.card.as_ref().map(|card| format!("card = \"{card}\""));
    let all: Vec<String> = [uuid, pci, card].into_iter().flatten().collect();
    if all.is_empty() { "a GPU".to_string() } else { all.join(" and ") }
}

/// What a line without `[[device]]` gets: the CPU, and every GPU that can be used.
pub fn units_here(inventory: &Inventory, cpus: u32, cpu_memory: u64) -> Vec<DeviceHere> {
    let mut here = Vec::from([DeviceHere {
        name: "cpu".to_string(),
        place: Place::Cpu,
        memory: cpu_memory,
        slots: cpus.max(1),
        wanted: Wanted::default(),
    }]);
    let usable = inventory.devices.iter().filter(|device| device.is_usable());
    here.extend(usable.enumerate().map(|(at, device)| DeviceHere {
        name: format!("gpu{at}"),
        place: if device.cuda.is_some() { Place::Cuda } else { Place::Vulkan },
        memory: device.free().unwrap_or(0),
        slots: 1,
        wanted: Wanted {
            uuid: device.uuid.clone(),
            pci: device.pci.filter(|_| device.uuid.is_none()).map(|pci| pci.to_string()),
            card: None,
        },
    }));
    here
}
