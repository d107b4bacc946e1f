//! `lineside mig`: layouts of MIG slices.

mod apply;
mod commands;
mod edit;
mod suggest;

use lineside_line::mig::{self, Gpu, Kinds, Layout, Wanted};
use lineside_line::quantity::show_memory;
use serde_json::{Value, json};

use crate::arguments::mig::{Check, Mig, MigCommand, Show};
use crate::words::printable;
use crate::{DONE, REFUSED, Refusal, terminal};

pub(crate) fn mig(arguments: &Mig) -> Result<u8, Refusal> {
    match &arguments.command {
        MigCommand::Show(show) => self::show(show),
        MigCommand::Check(check) => self::check(check),
        MigCommand::Suggest(suggest) => suggest::suggest(suggest),
        MigCommand::Commands(commands) => commands::commands(commands),
    }
}

/// The GPU of that name, or which there are.
fn gpu(name: &str) -> Result<&'static Gpu, Refusal> {
    mig::gpu(name).ok_or_else(|| {
        let known: Vec<&str> = mig::gpus().iter().map(|gpu| gpu.name).collect();
        let (name, known) = (printable(name), known.join(", "));
        Refusal(format!("error: {name} is not in the MIG table\nhelp: it has {known}"))
    })
}

/// Slices as they are typed: `3g.20gb`, or `3g.20gb@4`.
fn wanted(gpu: &'static Gpu, slices: &[String]) -> Result<Vec<Wanted<'static>>, Refusal> {
    let mut wanted = Vec::new();
    let mut faults = String::new();
    for slice in slices {
        let (name, start) = match slice.split_once('@') {
            Some((name, start)) => (name, Some(start)),
            None => (slice.as_str(), None),
        };
        let place = start.map(str::parse::<u8>);
        match (gpu.profile(name), place) {
            (Some(profile), None) => wanted.push(Wanted { profile, start: None }),
            (Some(profile), Some(Ok(start))) => wanted.push(Wanted { profile, start: Some(start) }),
            (Some(_), Some(Err(_))) => {
                let slice = printable(slice);
                faults +=
                    &format!("error: {slice}: the start behind @ is a memory slice, like 4\n");
            }
            (None, _) => {
                let known: Vec<&str> = gpu.profiles.iter().map(|profile| profile.name).collect();
                let (gpu, name, known) = (gpu.name, printable(name), known.join(", "));
                faults += &format!("error: {gpu} has no profile {name}\nhelp: it has {known}\n");
            }
        }
    }
    if faults.is_empty() { Ok(wanted) } else { Err(Refusal(faults)) }
}

fn show(arguments: &Show) -> Result<u8, Refusal> {
    let kinds = if arguments.wide { Kinds::Wide } else { Kinds::Standard };
    let gpus: Vec<&Gpu> = match &arguments.gpu {
        Some(name) => vec![gpu(name)?],
        None => mig::gpus().iter().collect(),
    };
    let one = arguments.gpu.is_some();
    if arguments.json {
        let all: Vec<Value> = gpus.into_iter().map(|gpu| gpu_json(gpu, kinds)).collect();
        terminal::print(&format!("{}\n", json!({ "gpus": all })))?;
        return Ok(DONE);
    }
    let text: String = gpus.into_iter().map(|gpu| gpu_text(gpu, kinds, one)).collect();
    terminal::print(&text)?;
    if !one {
        terminal::talk("\n`lineside mig show GPU` shows the profiles and layouts of one of them\n");
    }
    Ok(DONE)
}

fn gpu_text(gpu: &Gpu, kinds: Kinds, in_full: bool) -> String {
    let Gpu { name, architecture, compute_slices, memory_slices, .. } = gpu;
    let mut text = format!(
        "{name:<14} {architecture}, {compute_slices} compute slices, \
         {memory_slices} memory slices\n"
    );
    if !in_full {
        return text;
    }
    text += "\nprofile       id  compute  memory  size       at most  starts\n";
    for profile in &gpu.profiles {
        let starts: Vec<String> = profile.starts.iter().map(u8::to_string).collect();
        let memory = profile.memory.map_or("unknown".to_owned(), show_memory);
        text += &format!(
            "{:<13} {:>2}  {:>7}  {:>6}  {memory:<9}  {:>7}  {}\n",
            profile.name,
            profile.id,
            profile.compute,
            profile.size,
            profile.max_count,
            starts.join(" "),
        );
    }
    let layouts = gpu.maximal(kinds);
    text += &format!("\n{} maximal layouts (slice@first memory slice)\n", layouts.len());
    for (at, layout) in layouts.iter().enumerate() {
        text += &format!("{:>3}  {layout}\n", at + 1);
    }
    text
}

fn gpu_json(gpu: &Gpu, kinds: Kinds) -> Value {
    let profiles = gpu.profiles.iter().map(|profile| {
        json!({
            "name": profile.name, "id": profile.id, "compute": profile.compute,
            "size": profile.size, "memory": profile.memory, "max_count": profile.max_count,
            "starts": profile.starts, "multiprocessors": profile.multiprocessors,
        })
    });
    json!({
        "name": gpu.name, "architecture": gpu.architecture,
        "compute_slices": gpu.compute_slices, "memory_slices": gpu.memory_slices,
        "profiles": profiles.collect::<Vec<_>>(),
        "maximal_layouts": gpu.maximal(kinds).iter().map(layout_json).collect::<Vec<_>>(),
    })
}

fn layout_json(layout: &Layout<'_>) -> Value {
    let slices = layout.slices().iter();
    slices.map(|(profile, start)| json!({ "profile": profile.name, "start": start })).collect()
}

fn check(arguments: &Check) -> Result<u8, Refusal> {
    let gpu = gpu(&arguments.gpu)?;
    let wanted = wanted(gpu, &arguments.slices)?;
    let layout = gpu.layout(&wanted);
    if arguments.json {
        let value = match &layout {
            Ok(layout) => json!({
                "legal": true, "layout": layout_json(layout), "room": room(gpu, layout),
            }),
            Err(misfit) => json!({
                "legal": false, "reason": misfit.to_string(), "entry": misfit.entry,
            }),
        };
        terminal::print(&format!("{value}\n"))?;
        return Ok(if layout.is_ok() { DONE } else { REFUSED });
    }
    let layout = layout
        .map_err(|misfit| Refusal(format!("error: not a layout of {}: {misfit}", gpu.name)))?;
    let room = room(gpu, &layout);
    let more = match room.is_empty() {
        true => "nothing can be added to it".to_owned(),
        false => format!("room for one of: {}", room.join(", ")),
    };
    terminal::print(&format!("{layout}\n{more}\n"))?;
    Ok(DONE)
}

/// The profiles of which one more has room.
fn room(gpu: &Gpu, layout: &Layout<'_>) -> Vec<&'static str> {
    let held = layout.slices().iter();
    let held: Vec<Wanted<'_>> =
        held.map(|&(profile, start)| Wanted { profile, start: Some(start) }).collect();
    let fits = |profile| gpu.arrange(&[&held[..], &[Wanted { profile, start: None }]].concat());
    let profiles = gpu.profiles.iter().filter(|profile| fits(profile).is_ok());
    profiles.map(|profile| profile.name).collect()
}
