//! `lineside mig suggest`: a line, planned on every maximal layout.

use lineside_line::mig::Kinds;
use lineside_line::read;
use lineside_report::{What, duration, summary};
use serde_json::{Value, json};

use super::edit::Sheet;
use crate::arguments::mig::{By, Suggest};
use crate::file::{Folder, folder_of, read_text};
use crate::plan::simulate;
use crate::words::printable;
use crate::{DONE, Refusal, STUCK, terminal};

/// More layouts than this are not planned: the devices are to be taken one at a time.
const LAYOUTS: usize = 20_000;

/// A plan with more events than this is not one of many.
const EVENTS: usize = 2_000_000;

/// The profiles of one device; none if it is whole.
type Cut = Option<Vec<&'static str>>;

/// A layout of each device, planned.
struct Planned {
    cuts: Vec<Cut>,
    wait_mean: u64,
    wait_max: u64,
    makespan: u64,
    leases_max: u64,
    /// Grants of a CPU place to a job that wants a GPU.
    fallbacks: usize,
}

impl Planned {
    /// The least is the best: no layout is good for driving work off the GPU. At the same figures
    /// it is that with fewer slices.
    fn rank(&self, by: By) -> (usize, u64, u64, usize) {
        let slices = self.cuts.iter().flatten().map(Vec::len).sum();
        match by {
            By::Wait => (self.fallbacks, self.wait_mean, self.makespan, slices),
            By::Makespan => (self.fallbacks, self.makespan, self.wait_mean, slices),
        }
    }

    fn layout(&self) -> String {
        let cuts = self.cuts.iter().map(|cut| match cut {
            Some(profiles) => profiles.join(" "),
            None => "whole".to_owned(),
        });
        cuts.collect::<Vec<_>>().join(" | ")
    }

    fn json(&self) -> Value {
        json!({
            "mig": self.cuts, "wait_mean_ns": self.wait_mean, "wait_max_ns": self.wait_max,
            "makespan_ns": self.makespan, "leases_max": self.leases_max,
            "fallbacks": self.fallbacks,
        })
    }
}

pub(super) fn suggest(arguments: &Suggest) -> Result<u8, Refusal> {
    let text = read_text(&arguments.file)?;
    let mut sheet = Sheet::read(&text)?;
    if let Some(name) = &arguments.device {
        sheet.keep(name)?;
    }
    if sheet.devices.is_empty() {
        return Err(Refusal(
            "error: no device of this line has a `gpu` of the MIG table\n\
             help: write, for example, `gpu = \"A100-40GB\"` in its `[[device]]`"
                .to_owned(),
        ));
    }
    let folder = folder_of(&arguments.file);
    let folder = Folder(&folder);
    let layouts = combinations(&sheet)?;
    terminal::talk(&format!("planning the line on {} layouts\n", layouts.len()));
    let mut planned = Vec::new();
    let mut refused: Vec<(String, String)> = Vec::new();
    for cuts in layouts {
        match plan(&mut sheet, cuts.clone(), &folder) {
            Ok(good) => planned.push(good),
            Err(why) => {
                let layout = Planned { cuts, ..Planned::nothing() }.layout();
                refused.push((layout, why));
            }
        }
    }
    planned.sort_by_key(|planned| planned.rank(arguments.by));
    let Some(best) = planned.first() else {
        let (layout, why) = refused.first().cloned().unwrap_or_default();
        return Err(Refusal(format!("error: no layout can do: on {layout}: {why}")));
    };
    if arguments.json {
        let layouts: Vec<Value> = planned.iter().map(Planned::json).collect();
        let names: Vec<&str> = sheet.devices.iter().map(|device| device.name.as_str()).collect();
        let refused: Vec<Value> = refused
            .iter()
            .map(|(layout, why)| json!({ "layout": layout, "reason": why }))
            .collect();
        let value = json!({ "devices": names, "layouts": layouts, "refused": refused });
        terminal::print(&format!("{value}\n"))?;
        return Ok(DONE);
    }
    terminal::print(&table(&planned, arguments.show))?;
    tell(&sheet, best, &refused);
    Ok(DONE)
}

impl Planned {
    fn nothing() -> Planned {
        let (cuts, fallbacks) = (Vec::new(), 0);
        Planned { cuts, wait_mean: 0, wait_max: 0, makespan: 0, leases_max: 0, fallbacks }
    }
}

/// Each device whole, or in a maximal layout; devices that are alike are not told apart.
fn combinations(sheet: &Sheet) -> Result<Vec<Vec<Cut>>, Refusal> {
    let choices: Vec<Vec<Cut>> = sheet.devices.iter().map(|device| cuts(device.gpu)).collect();
    let mut all: Vec<Vec<usize>> = vec![Vec::new()];
    for (at, device) in sheet.devices.iter().enumerate() {
        let alike = |other: &super::edit::Device| {
            other.gpu.name == device.gpu.name && other.rest == device.rest
        };
        let before = sheet.devices[..at].iter().rposition(alike);
        all = all
            .into_iter()
            .flat_map(|chosen| {
                let least = before.map_or(0, |before| chosen[before]);
                (least..choices[at].len()).map(move |choice| [&chosen[..], &[choice]].concat())
            })
            .take(LAYOUTS + 1)
            .collect();
        if all.len() > LAYOUTS {
            return Err(Refusal(format!(
                "error: these devices have more than {LAYOUTS} layouts together\n\
                 help: take them one at a time: `--device {}`",
                printable(&device.name)
            )));
        }
    }
    let cuts = |chosen: Vec<usize>| {
        chosen.iter().enumerate().map(|(at, &choice)| choices[at][choice].clone()).collect()
    };
    Ok(all.into_iter().map(cuts).collect())
}

/// Whole, and every maximal layout whose memory the table has; not apart if only starts differ.
fn cuts(gpu: &'static lineside_line::mig::Gpu) -> Vec<Cut> {
    let mut cuts: Vec<Cut> = vec![None];
    for layout in gpu.maximal(Kinds::Wide) {
        let known = layout.slices().iter().all(|(profile, _)| profile.memory.is_some());
        let names = Some(layout.names());
        if known && !cuts.contains(&names) {
            cuts.push(names);
        }
    }
    cuts
}

/// Plans the line on a layout, or says why that can't be.
fn plan(sheet: &mut Sheet, cuts: Vec<Cut>, folder: &Folder<'_>) -> Result<Planned, String> {
    for (at, cut) in cuts.iter().enumerate() {
        sheet.cut(at, cut.as_deref());
    }
    let checked = read(&sheet.text(), folder).map_err(|problems| {
        problems.first().map_or(String::new(), |problem| problem.message.clone())
    })?;
    let line = &checked.line;
    let planned = simulate(line, false, EVENTS).map_err(|Refusal(text)| text)?;
    let numbers = summary(line, &planned.record);
    if planned.code == STUCK {
        let stuck = numbers.stuck.first();
        return Err(
            stuck.map_or(String::new(), |it| format!("`{}` is stuck: {}", it.job, it.reason))
        );
    }
    Ok(Planned {
        cuts,
        wait_mean: numbers.wait_ns.mean,
        wait_max: numbers.wait_ns.max,
        makespan: numbers.makespan_ns,
        leases_max: numbers.leases_max,
        fallbacks: planned.record.entries.iter().filter(|entry| falls_back(&entry.what)).count(),
    })
}

fn falls_back(what: &What) -> bool {
    matches!(what, What::Grant { fallback: true, .. })
}

/// The best layouts, and the whole card beside them.
fn table(planned: &[Planned], show: usize) -> String {
    let whole = |planned: &Planned| planned.cuts.iter().all(Option::is_none);
    let mut shown: Vec<(usize, &Planned)> = planned.iter().enumerate().take(show).collect();
    if let Some(at) = planned.iter().position(whole).filter(|at| *at >= show) {
        shown.push((at, &planned[at]));
    }
    let width = shown.iter().map(|(_, planned)| planned.layout().len()).max().unwrap_or(0).max(6);
    let mut text =
        format!("     {:width$}  mean wait    longest   makespan  at once  to CPU\n", "layout");
    for (at, planned) in shown {
        text += &format!(
            "{:>3}  {:width$} {:>10} {:>10} {:>10} {:>8} {:>7}\n",
            at + 1,
            planned.layout(),
            duration(planned.wait_mean),
            duration(planned.wait_max),
            duration(planned.makespan),
            planned.leases_max,
            planned.fallbacks,
        );
    }
    text
}

fn tell(sheet: &Sheet, best: &Planned, refused: &[(String, String)]) {
    let mut text = String::new();
    if let Some((layout, why)) = refused.first() {
        text += &format!("{} layouts can't do; {layout}: {why}\n", refused.len());
    }
    text += "a job is taken to last as long on a slice as on the whole card; where it does not, \
             write its `time` on a slice, or a `profile`, and ask again\n\n";
    for (device, cut) in sheet.devices.iter().zip(&best.cuts) {
        let name = printable(&device.name);
        match cut {
            Some(profiles) => {
                let gpu = device.gpu.name;
                text += &format!(
                    "{name}: mig = [\"{}\"]\n{name}: lineside mig commands {gpu} {}\n",
                    profiles.join("\", \""),
                    profiles.join(" ")
                );
            }
            None => text += &format!("{name}: leave it whole\n"),
        }
    }
    terminal::talk(&text);
}
