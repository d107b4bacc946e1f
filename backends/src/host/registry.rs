//! The built-in tools, by name.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use std::path::{Path, PathBuf};

use lineside_line::{Action, Job, KernelFault, Line, Setting};

use super::pcb::{Classify, Detect, Load, Report, Save, boxed, known_defects};
use super::program::Site;
use super::programs::{Programs, Register};
use super::tool::{Sleep, Tool};
use crate::devices::{MODULE, OnlyOnGpus, module_faults};

/// What a setting of a tool holds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Need {
    /// A picture that must be given, relative to the line file.
    Picture,
    /// A table of known defects, if there is one.
    TableIfAny,
}

/// Each tool, with its settings.
const TOOLS: &[(&str, &[(&str, Need)])] = &[
    ("sleep", &[]),
    ("load", &[]),
    ("detect", &[("golden", Need::Picture)]),
    ("classify", &[]),
    ("report", &[("truth", Need::TableIfAny)]),
    ("save", &[]),
];

/// A tool for every job of the line. Each process that is started is told to `register`.
///
/// # Errors
///
/// Every job that can't be run on the host, in words.
pub fn tools(
    line: &Line,
    site: &Arc<Site>,
    register: &Arc<Register>,
) -> Result<Vec<Box<dyn Tool>>, Vec<String>> {
    let mut tools = Vec::with_capacity(line.jobs.len());
    let mut faults = Vec::new();
    let mut programs = Programs::new(line, site, register);
    for (at, job) in line.jobs.iter().enumerate() {
        let tool = match &job.action {
            // Only laid out so far: it takes the time that it is planned to take.
            Action::None => Ok(boxed(Sleep { nanos: job.time.clone() })),
            Action::Kernel { tool, settings } => kernel(job, tool, settings, site),
            Action::Run(program) => programs.run(at as u32, program),
            Action::Worker(program) => programs.worker(at as u32, program),
        };
        match tool {
            Ok(tool) => tools.push(tool),
            Err(fault) => faults.push(format!("job `{}`: {fault}", job.name)),
        }
    }
    if faults.is_empty() { Ok(tools) } else { Err(faults) }
}

fn kernel(
    job: &Job,
    name: &str,
    settings: &BTreeMap<String, Setting>,
    site: &Site,
) -> Result<Box<dyn Tool>, String> {
    let folder = &site.folder;
    if let Some(fault) = kernel_faults(name, settings, folder).into_iter().next() {
        return Err(fault.message);
    }
    let file = |key: &str| match settings.get(key) {
        Some(Setting::Text(path)) => Some(folder.join(path)),
        _ => None,
    };
    Ok(match name {
        "load" => boxed(Load { files: job.files.iter().map(|file| folder.join(file)).collect() }),
        "detect" => boxed(Detect::new(&file("golden").unwrap_or_default())?),
        "classify" => boxed(Classify),
        "save" => boxed(Save { results: site.results() }),
        MODULE => boxed(OnlyOnGpus),
        "report" => boxed(Report { results: site.results(), truth: file("truth") }),
        _ => boxed(Sleep { nanos: job.time.clone() }),
    })
}

/// What is wrong with a `kernel`, for the checks of a line file in this folder.
pub fn kernel_faults(
    tool: &str,
    settings: &BTreeMap<String, Setting>,
    folder: &Path,
) -> Vec<KernelFault> {
    if tool == MODULE {
        return module_faults(settings, folder);
    }
    let Some((_, known)) = TOOLS.iter().find(|(name, _)| *name == tool) else {
        let names: Vec<String> = TOOLS.iter().map(|(name, _)| format!("`{name}`")).collect();
        return Vec::from([KernelFault {
            setting: None,
            message: format!("there is no tool `{tool}`"),
            help: Some(format!("write one of {}", names.join(", "))),
        }]);
    };
    let given =
        settings.iter().filter_map(|(key, setting)| setting_fault(known, key, setting, folder));
    let missing =
        known.iter().filter(|(key, need)| *need == Need::Picture && !settings.contains_key(*key));
    let missing = missing.map(|(key, _)| KernelFault {
        setting: None,
        message: format!("`{tool}` needs the setting `{key}`"),
        help: Some(format!("add `{key} = \"a file\"`, relative to the line file")),
    });
    given.chain(missing).collect()
}

fn setting_fault(
    known: &[(&str, Need)],
    key: &str,
    setting: &Setting,
    folder: &Path,
) -> Option<KernelFault> {
    let fault = |message: String, help: Option<String>| {
        Some(KernelFault { setting: Some(key.to_string()), message, help })
    };
    let Some((_, need)) = known.iter().find(|(name, _)| *name == key) else {
        let names: Vec<String> = known.iter().map(|(name, _)| format!("`{name}`")).collect();
        let help = match names.is_empty() {
            true => "it has no settings".to_string(),
            false => format!("it knows {}", names.join(", ")),
        };
        return fault(format!("the tool has no setting `{key}`"), Some(help));
    };
    let Setting::Text(path) = setting else {
        return fault(format!("`{key}` must be the path of a file"), None);
    };
    let path: PathBuf = folder.join(path);
    let (read, help) = match need {
        Need::Picture => (Detect::new(&path).map(drop), "name a PNG, relative to the line file"),
        Need::TableIfAny => {
            (known_defects(&path).map(drop), "name a table like truth.csv, or leave it out")
        }
    };
    fault(read.err()?, Some(help.to_string()))
}
