//! `lineside mig commands`: how a layout is made, and undone.

use std::path::Path;

use lineside_line::mig::{self, Gpu, Layout};
use serde_json::{Value, json};

use super::edit::Sheet;
use super::{apply, gpu, layout_json, wanted};
use crate::arguments::mig::Commands;
use crate::file::read_text;
use crate::words::printable;
use crate::{DONE, Refusal, terminal};

/// A layout that is to be made on one GPU.
struct Order {
    gpu: &'static Gpu,
    layout: Layout<'static>,
    id: String,
    device: Option<String>,
}

pub(super) fn commands(arguments: &Commands) -> Result<u8, Refusal> {
    let orders = orders(arguments)?;
    let all: Vec<(Order, mig::Commands)> = orders
        .into_iter()
        .map(|order| {
            let commands = mig::commands(order.gpu, &order.layout, &order.id);
            (order, commands)
        })
        .collect();
    if arguments.apply {
        let chosen = |commands: &mig::Commands| match arguments.undo {
            true => commands.undo.clone(),
            false => commands.make.clone(),
        };
        let commands: Vec<Vec<String>> =
            all.iter().flat_map(|(_, commands)| chosen(commands)).collect();
        let notes = all.iter().flat_map(|(_, commands)| commands.notes.iter().copied()).collect();
        let undo: Vec<Vec<String>> =
            all.iter().flat_map(|(_, commands)| commands.undo.clone()).collect();
        return apply::apply(&commands, notes, &undo);
    }
    if arguments.json {
        let all: Vec<Value> =
            all.iter().map(|(order, commands)| order_json(order, commands)).collect();
        terminal::print(&format!("{}\n", json!({ "gpus": all })))?;
        return Ok(DONE);
    }
    let texts = all.iter().map(|(order, commands)| text(order, commands, arguments.undo));
    terminal::print(&texts.collect::<String>())?;
    Ok(DONE)
}

/// What is asked for: one GPU in words, or the devices of a line.
fn orders(arguments: &Commands) -> Result<Vec<Order>, Refusal> {
    if mig::gpu(&arguments.what).is_some() || !arguments.slices.is_empty() {
        let gpu = gpu(&arguments.what)?;
        if arguments.slices.is_empty() {
            let what = "error: no slices\nhelp: name them, as in `lineside mig commands A100-40GB \
                        3g.20gb 2g.10gb`";
            return Err(Refusal(what.to_owned()));
        }
        let id = match &arguments.id[..] {
            [] => "0".to_owned(),
            [id] => id.clone(),
            [_, ..] => return Err(Refusal("error: one GPU has one `--id`".to_owned())),
        };
        let layout = layout(gpu, &arguments.slices)?;
        return Ok(vec![Order { gpu, layout, id, device: None }]);
    }
    let sheet = Sheet::read(&read_text(Path::new(&arguments.what))?)?;
    let cut: Vec<(usize, _)> =
        sheet.devices.iter().enumerate().filter(|(_, device)| device.mig.is_some()).collect();
    if cut.is_empty() {
        let what = "error: no device of this line has `mig`\n\
                    help: `lineside mig suggest LINE` says which layout it could have";
        return Err(Refusal(what.to_owned()));
    }
    if !arguments.id.is_empty() && arguments.id.len() != cut.len() {
        let (ids, devices) = (arguments.id.len(), cut.len());
        return Err(Refusal(format!("error: {ids} `--id` for {devices} devices with `mig`")));
    }
    let order = |(nth, (at, device)): (usize, (usize, &super::edit::Device))| {
        let layout = layout(device.gpu, device.mig.as_deref().unwrap_or_default())?;
        let id = arguments.id.get(nth).cloned().unwrap_or_else(|| at.to_string());
        Ok(Order { gpu: device.gpu, layout, id, device: Some(device.name.clone()) })
    };
    cut.into_iter().enumerate().map(order).collect()
}

fn layout(gpu: &'static Gpu, slices: &[String]) -> Result<Layout<'static>, Refusal> {
    let wanted = wanted(gpu, slices)?;
    let misfit = |misfit| Refusal(format!("error: not a layout of {}: {misfit}", gpu.name));
    gpu.layout(&wanted).map_err(misfit)
}

fn text(order: &Order, commands: &mig::Commands, only_undo: bool) -> String {
    let device = order
        .device
        .as_deref()
        .map_or(String::new(), |name| format!("device {}, ", printable(name)));
    let mut text = format!("# {device}{} {}: {}\n", order.gpu.name, order.id, order.layout);
    for note in &commands.notes {
        text += &format!("# {note}\n");
    }
    let lines = |commands: &[Vec<String>]| -> String {
        commands.iter().map(|words| format!("{}\n", words.join(" "))).collect()
    };
    if !only_undo {
        text += &lines(&commands.make);
        text += "\n# to undo it\n";
    }
    text += &lines(&commands.undo);
    text
}

fn order_json(order: &Order, commands: &mig::Commands) -> Value {
    json!({
        "device": order.device, "gpu": order.gpu.name, "id": order.id,
        "layout": layout_json(&order.layout), "make": commands.make, "undo": commands.undo,
        "notes": commands.notes,
    })
}
