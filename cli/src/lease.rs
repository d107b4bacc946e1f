//! `lineside lease` and `lineside ps`.

use std::process::Command;
use std::time::Duration;

use lineside_devices::{Device, Inventory, Wishes, discover};
use lineside_line::quantity;
use lineside_registry::{Ask, Entry, MARKER, Problem, Registry, Unit, Wanted};

use crate::arguments::Place;
use crate::arguments::lease::{Lease, Ps};
use crate::words::printable;
use crate::{DONE, Refusal, terminal};

/// Takes units, and becomes the program that uses them: what it holds ends with it.
pub(crate) fn lease(arguments: &Lease) -> Result<u8, Refusal> {
    let units = units(arguments);
    let registry = registry()?;
    let at_most = arguments.wait.as_deref().map(duration).transpose()?;
    let (program, rest) = arguments.command.split_first().expect("a program is required");
    let ask = ask(arguments)?;
    let entry = registry.wait(&units, ask, at_most, tell_who_is_ahead).map_err(refusal)?;
    let held: Vec<&str> = entry.units.iter().flatten().map(String::as_str).collect();
    terminal::talk(&format!("lineside: holds {}\n", held.join(", ")));
    let mut command = Command::new(program);
    let of_place = |place: &str| {
        let is_there = |unit: &Unit| unit.places.iter().any(|it| it == place);
        let of_place = |key: &&&str| units.iter().any(|it| it.key == **key && is_there(it));
        held.iter().filter(of_place).copied().collect::<Vec<_>>().join(",")
    };
    command
        .args(rest)
        .env(MARKER, entry.marker())
        .env("LINESIDE_UNIT", held.join(","))
        .env("CUDA_VISIBLE_DEVICES", of_place("cuda"))
        .env("CUDA_DEVICE_ORDER", "PCI_BUS_ID");
    let error = become_it(command);
    registry.leave(entry.ticket).map_err(refusal)?;
    Err(Refusal(format!("error: can't start {}: {error}", program.to_string_lossy())))
}

/// Who waits, and who holds what.
pub(crate) fn ps(arguments: &Ps) -> Result<u8, Refusal> {
    let entries = registry()?.entries().map_err(refusal)?;
    let text = if arguments.json { as_json(&entries) } else { as_table(&entries) };
    terminal::print(&text)?;
    Ok(DONE)
}

fn registry() -> Result<Registry, Refusal> {
    Registry::usual_folder().map(Registry::new).map_err(refusal)
}

fn refusal(problem: Problem) -> Refusal {
    Refusal(format!("error: {problem}"))
}

/// What of this machine can be leased: its GPUs, or the CPU if that is asked for.
fn units(arguments: &Lease) -> Vec<Unit> {
    match arguments.place {
        Some(Place::Cpu) => {
            vec![Unit { key: "cpu".into(), places: vec!["cpu".into()], memory: None }]
        }
        _ => gpus(&discover(Wishes { allow_software: arguments.allow_software })),
    }
}

/// The GPUs that can be used, by what tells them from all others.
fn gpus(inventory: &Inventory) -> Vec<Unit> {
    let usable = inventory.devices.iter().filter(|device| device.is_usable());
    let unit = |device: &Device| {
        let key = device.uuid.clone().or_else(|| device.pci.map(|pci| pci.to_string()))?;
        let cuda = device.cuda.map(|_| "cuda".to_owned());
        let vulkan = device.vulkan.map(|_| "vulkan".to_owned());
        Some(Unit { key, places: cuda.into_iter().chain(vulkan).collect(), memory: device.memory })
    };
    usable.filter_map(unit).collect()
}

/// What a run holds of this machine's GPUs; given back when this goes.
pub(crate) struct Held {
    registry: Registry,
    entry: Entry,
}

impl Held {
    /// The variable and its value that the processes of the run carry.
    pub(crate) fn marker(&self) -> (String, String) {
        (MARKER.to_owned(), self.entry.marker())
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        // If it can't be given back now, it is when this process is gone.
        let _ = self.registry.leave(self.entry.ticket);
    }
}

/// Takes the GPUs of a run from the registry, so that no other run and no `lineside lease` gets
/// the same; none if it needs none, or if there is no registry on this machine.
pub(crate) fn hold(
    name: &str,
    mut keys: Vec<String>,
    inventory: &Inventory,
) -> Result<Option<Held>, Refusal> {
    let units = gpus(inventory);
    keys.retain(|key| units.iter().any(|unit| unit.key == *key));
    keys.sort_unstable();
    keys.dedup();
    if keys.is_empty() {
        return Ok(None);
    }
    let Ok(folder) = Registry::usual_folder() else {
        terminal::talk(
            "note: there is no folder for the registry of this machine (LINESIDE_REGISTRY or \
             XDG_RUNTIME_DIR), so other runs are not kept from its GPUs\n",
        );
        return Ok(None);
    };
    let registry = Registry::new(folder);
    let ours = held_around_us(&registry)?;
    keys.retain(|key| !ours.contains(key));
    if keys.is_empty() {
        return Ok(None);
    }
    let ask = Ask { wanted: Wanted::These(keys), label: name.to_owned(), ..Ask::default() };
    let entry = registry.wait(&units, ask, None, tell_who_is_ahead).map_err(refusal)?;
    Ok(Some(Held { registry, entry }))
}

/// What the program holds within which this one runs: `lineside lease -- lineside run` would wait
/// for itself.
fn held_around_us(registry: &Registry) -> Result<Vec<String>, Refusal> {
    let Ok(marker) = std::env::var(MARKER) else { return Ok(Vec::new()) };
    let entries = registry.entries().map_err(refusal)?.into_iter();
    Ok(entries
        .filter(|entry| entry.marker() == marker)
        .filter_map(|it| it.units)
        .flatten()
        .collect())
}

fn ask(arguments: &Lease) -> Result<Ask, Refusal> {
    let wanted = match arguments.units.as_slice() {
        [] => Wanted::Any(arguments.gpus),
        keys => Wanted::These(keys.to_vec()),
    };
    let memory = arguments.memory.as_deref().map(quantity::memory).transpose();
    let memory = memory.map_err(|_| bad("--memory", "8GiB or 500MB"))?;
    let place = arguments.place.map(|place| match place {
        Place::Cpu => "cpu".to_owned(),
        Place::Cuda => "cuda".to_owned(),
        Place::Vulkan => "vulkan".to_owned(),
    });
    let program = arguments.command[0].to_string_lossy();
    let label = arguments.name.clone().unwrap_or_else(|| program.into_owned());
    Ok(Ask { wanted, memory, place, label })
}

fn duration(text: &str) -> Result<Duration, Refusal> {
    let nanos = quantity::duration(text);
    nanos.map(Duration::from_nanos).map_err(|_| bad("--wait", "90s or 30m"))
}

fn bad(option: &str, example: &str) -> Refusal {
    Refusal(format!("error: {option} takes whole numbers with their units, like {example}"))
}

fn tell_who_is_ahead(ahead: &[Entry]) {
    let names: Vec<String> =
        ahead.iter().map(|entry| printable(&entry.name()).into_owned()).collect();
    if !names.is_empty() {
        terminal::talk(&format!("lineside: waits; ahead: {}\n", names.join(", ")));
    }
}

#[cfg(unix)]
fn become_it(mut command: Command) -> std::io::Error {
    use std::os::unix::process::CommandExt;
    command.exec()
}

#[cfg(not(unix))]
fn become_it(_: Command) -> std::io::Error {
    std::io::Error::other("this system can't put one program in the place of another")
}

fn as_json(entries: &[Entry]) -> String {
    let entry = |entry: &Entry| {
        serde_json::json!({
            "ticket": entry.ticket,
            "name": entry.ask.label,
            "pid": entry.holder.identity.pid,
            "user": entry.holder.user,
            "since": entry.since,
            "units": entry.units,
            "memory": entry.ask.memory,
        })
    };
    format!("{}\n", serde_json::json!({ "leases": entries.iter().map(entry).collect::<Vec<_>>() }))
}

fn as_table(entries: &[Entry]) -> String {
    let mut text = String::new();
    for entry in entries {
        let what = match &entry.units {
            Some(units) => format!("holds {}", units.join(", ")),
            None => format!("waits for {}", wanted(&entry.ask)),
        };
        let share = entry.ask.memory.map(|it| format!(", {} of it", quantity::show_memory(it)));
        let (name, share) = (entry.name(), share.unwrap_or_default());
        text += &format!("{:<30} {what}{share}\n", printable(&name));
    }
    if text.is_empty() { "nobody holds or waits\n".to_owned() } else { text }
}

fn wanted(ask: &Ask) -> String {
    match &ask.wanted {
        Wanted::Any(1) => "a unit".to_owned(),
        Wanted::Any(count) => format!("{count} units"),
        Wanted::These(keys) => keys.join(", "),
    }
}
