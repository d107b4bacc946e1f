//! `lineside devices`.

use std::thread;

use lineside_devices::{Device, Inventory, Wishes, discover};
use lineside_line::quantity::show_memory;
use serde_json::{Value, json};

use crate::arguments::Devices;
use crate::words::printable;
use crate::{DONE, Refusal, terminal};

pub(crate) fn devices(arguments: &Devices) -> Result<u8, Refusal> {
    let inventory = discover(Wishes { allow_software: arguments.allow_software });
    let cpus = thread::available_parallelism().map_or(1, usize::from);
    let text = if arguments.json {
        let cpu = json!({ "name": "cpu", "place": "cpu", "threads": cpus, "usable": true });
        let devices: Vec<Value> =
            std::iter::once(cpu).chain(inventory.devices.iter().map(as_json)).collect();
        format!("{}\n", json!({ "devices": devices, "notes": inventory.notes }))
    } else {
        for note in &inventory.notes {
            terminal::talk(&format!("note: {}\n", printable(note)));
        }
        format!("cpu   {cpus} threads   can be used (place = \"cpu\")\n{}", listed(&inventory))
    };
    terminal::print(&text)?;
    Ok(DONE)
}

/// The devices as people read them.
pub(crate) fn listed(inventory: &Inventory) -> String {
    inventory.devices.iter().map(described).collect()
}

fn described(device: &Device) -> String {
    let mut lines = vec![printable(&device.card).to_string()];
    if device.stand_in {
        lines[0] += "   a stand-in for tests, not a GPU";
    }
    let uuid = device.uuid.as_ref().map(|uuid| format!("uuid = \"{}\"", printable(uuid)));
    let pci = device.pci.map(|pci| format!("pci = \"{pci}\""));
    lines.push([uuid, pci].into_iter().flatten().collect::<Vec<_>>().join("   "));
    let profile = device.profile.as_ref().map(|profile| format!("slice {}", printable(profile)));
    let what = profile.unwrap_or_else(|| device.kind.word().to_owned());
    lines.push(format!("{what}, {}, {}", memory(device), printable(&device.driver)));
    lines.push(match &device.unusable {
        Some(why) => format!("can't be used: {}", printable(why)),
        None => format!("can be used ({})", places(device).join(" or ")),
    });
    if device.cuda.is_some_and(|cuda| cuda.ordinal.is_none()) && device.is_usable() {
        lines.push("by `run` and `worker`; for a `kernel`, set CUDA_VISIBLE_DEVICES to it".into());
    }
    let indent = if device.parent.is_some() { "   " } else { "" };
    let lines = lines.iter().enumerate().filter(|(_, line)| !line.is_empty());
    lines
        .map(|(at, line)| format!("{indent}{}{line}\n", if at == 0 { "" } else { "      " }))
        .collect()
}

fn memory(device: &Device) -> String {
    match (device.memory, device.used) {
        (None, _) => "memory not known: write `memory` in the line file".into(),
        (Some(all), None) => format!("{} in all", show_memory(all)),
        (Some(all), Some(used)) => {
            format!("{} in all, {} in use", show_memory(all), show_memory(used))
        }
    }
}

fn places(device: &Device) -> Vec<String> {
    let cuda = device.cuda.map(|_| "place = \"cuda\"".to_owned());
    let vulkan = device.vulkan.map(|_| "place = \"vulkan\"".to_owned());
    [cuda, vulkan].into_iter().flatten().collect()
}

fn as_json(device: &Device) -> Value {
    let cuda = device.cuda.map(|_| "cuda");
    let vulkan = device.vulkan.map(|_| "vulkan");
    let places: Vec<&str> = [cuda, vulkan].into_iter().flatten().collect();
    json!({
        "name": device.card,
        "place": places.first(),
        "places": places,
        "uuid": device.uuid,
        "pci": device.pci.map(|pci| pci.to_string()),
        "kind": device.kind.word(),
        "memory": device.memory,
        "used": device.used,
        "driver": device.driver,
        "profile": device.profile,
        "slice_of": device.parent.map(|parent| parent + 1),
        "in_process": device.vulkan.is_some()
            || device.cuda.is_some_and(|cuda| cuda.ordinal.is_some()),
        "usable": device.is_usable(),
        "why_not": device.unusable,
        "stand_in": device.stand_in,
    })
}
