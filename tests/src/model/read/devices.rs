//! Section 1: devices, and the slices that they are cut into.

use toml::Table;

use super::super::{Place, UnitSpec};
use super::fields::{Fields, Named};
use super::strings;

const MIG_PROFILES: &str = include_str!("../../../../line/src/mig-profiles.csv");

/// The units of a file, and which of them are slices of which device.
pub(super) struct Devices {
    pub(super) units: Named<UnitSpec>,
    /// By device: its units.
    devices: Named<Vec<usize>>,
}

/// A row of the table of MIG profiles.
#[derive(Debug, Clone)]
struct Profile {
    gpu: String,
    compute_slices: u64,
    memory_slices: u64,
    name: String,
    compute: u64,
    size: u64,
    starts: Vec<u64>,
    max_count: usize,
    /// In bytes; `None` if the table doesn't have it.
    memory: Option<u64>,
}

pub(super) fn read_devices(tables: &[&Table]) -> Result<Devices, String> {
    let mut devices = Devices { units: Named::new("unit"), devices: Named::new("device") };
    for table in tables {
        devices.read(table)?;
    }
    Ok(devices)
}

impl Devices {
    /// The units that a fault's `unit` names: one, or all slices of a device, in order.
    pub(super) fn units_of(&self, name: &str) -> Result<Vec<usize>, String> {
        match self.devices.find(name) {
            Ok(device) => Ok(self.devices.items[device].clone()),
            Err(_) => Ok(vec![self.units.find(name)?]),
        }
    }

    fn read(&mut self, table: &Table) -> Result<(), String> {
        let known = ["name", "place", "memory", "slots", "gpu", "mig"];
        let fields = Fields::new(table, "[[device]]", &known)?;
        let name = fields.name()?;
        let places = [("cuda", Place::Cuda), ("vulkan", Place::Vulkan), ("cpu", Place::Cpu)];
        let place = fields.choice("place", &places)?.unwrap_or_default();
        let slots = fields.count("slots")?.unwrap_or(1);
        let memory = fields.memory("memory")?;
        let profiles = match fields.text("gpu")? {
            None => None,
            Some(gpu) => Some(profiles_of(gpu)?),
        };
        let first = self.units.items.len();
        let Some(mig) = fields.value("mig") else {
            let memory = match (memory, profiles) {
                (Some(memory), _) => memory,
                (None, Some(profiles)) => memory_of_largest(&profiles)?,
                (None, None) => 0,
            };
            self.units.add(name, UnitSpec { place, memory, slots, profile: None })?;
            return self.devices.add(name, vec![first]);
        };
        let Some(profiles) = profiles else {
            return Err(format!("device `{name}` has `mig` but no `gpu`"));
        };
        if place != Place::Cuda || memory.is_some() {
            return Err(format!("device `{name}` has `mig`: its place is cuda, without `memory`"));
        }
        let slices = slices(name, &profiles, &strings(mig, "`mig`")?)?;
        for (index, slice) in slices.iter().enumerate() {
            let Some(memory) = slice.memory else {
                return Err(format!("the memory of profile `{}` isn't known", slice.name));
            };
            let profile = Some(slice.name.clone());
            let unit = UnitSpec { place, memory, slots, profile };
            self.units.add(&format!("{name}/{index}"), unit)?;
        }
        self.devices.add(name, (first..first + slices.len()).collect())
    }
}

/// Whether any GPU of the table has a MIG profile of this name.
pub(super) fn is_profile(name: &str) -> bool {
    all_profiles().any(|profile| profile.name == name)
}

/// The profiles of a `mig` list, if that is legal.
fn slices(device: &str, profiles: &[Profile], names: &[&str]) -> Result<Vec<Profile>, String> {
    let mut slices = Vec::new();
    for name in names {
        let Some(profile) = profiles.iter().find(|profile| profile.name == *name) else {
            return Err(format!("device `{device}`: its GPU has no MIG profile `{name}`"));
        };
        slices.push(profile.clone());
    }
    let refuse = |why: &str| Err(format!("device `{device}`: no legal layout: {why}"));
    if slices.is_empty() {
        return refuse("the list is empty");
    }
    let count = |name: &str| names.iter().filter(|other| **other == name).count();
    if slices.iter().any(|slice| count(&slice.name) > slice.max_count) {
        return refuse("a profile occurs too often");
    }
    if names.iter().filter(|name| name.contains("+me")).count() > 1 {
        return refuse("two slices have `+me`");
    }
    if slices.iter().map(|slice| slice.compute).sum::<u64>() > slices[0].compute_slices {
        return refuse("there aren't so many compute slices");
    }
    if !can_be_placed(&slices, &mut vec![false; slices[0].memory_slices as usize]) {
        return refuse("the slices can't be placed side by side");
    }
    Ok(slices)
}

/// Whether each slice can be given one of its starts so that the ranges are disjoint, tried one
/// start after the other.
fn can_be_placed(slices: &[Profile], taken: &mut Vec<bool>) -> bool {
    let Some((slice, rest)) = slices.split_first() else { return true };
    for &start in &slice.starts {
        let range = start as usize..(start + slice.size) as usize;
        let is_free = taken.get(range.clone()).is_some_and(|range| range.iter().all(|t| !t));
        if is_free {
            taken[range.clone()].fill(true);
            if can_be_placed(rest, taken) {
                return true;
            }
            taken[range].fill(false);
        }
    }
    false
}

fn profiles_of(gpu: &str) -> Result<Vec<Profile>, String> {
    let profiles: Vec<Profile> = all_profiles().filter(|profile| profile.gpu == gpu).collect();
    match profiles.is_empty() {
        true => Err(format!("there is no GPU `{gpu}` in the table of MIG profiles")),
        false => Ok(profiles),
    }
}

/// The default memory of a whole GPU: that of its largest profile.
fn memory_of_largest(profiles: &[Profile]) -> Result<u64, String> {
    let largest = profiles.iter().max_by_key(|profile| profile.size);
    let memory = largest.and_then(|profile| profile.memory);
    memory.ok_or_else(|| "the memory of the largest profile isn't known: say `memory`".to_string())
}

fn all_profiles() -> impl Iterator<Item = Profile> {
    MIG_PROFILES.lines().skip(1).map(|row| {
        // The columns that matter stand before the one that may hold a comma.
        let columns: Vec<&str> = row.split(',').collect();
        let number = |column: usize| columns[column].parse().expect("a column of numbers");
        Profile {
            gpu: columns[0].to_string(),
            compute_slices: number(2),
            memory_slices: number(3),
            name: columns[4].to_string(),
            compute: number(6),
            size: number(7),
            starts: columns[8].split('|').map(|start| start.parse().expect("a start")).collect(),
            max_count: columns[9].parse().expect("a count"),
            memory: columns[11].parse().ok().map(|mebibytes: u64| mebibytes << 20),
        }
    })
}
