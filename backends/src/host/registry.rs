//! The built-in tools, by name.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use std::path::Path;

use lineside_line::{Action, Job, KernelFault, Line, Setting};

use super::tool::{Sleep, Tool};

/// A tool for every job of the line.
///
/// # Errors
///
/// Every job that can't be run on the host, in words.
pub fn tools(
    line: &Line,
    folder: &Path,
    results: &Path,
) -> Result<Vec<Box<dyn Tool>>, Vec<String>> {
    let mut tools = Vec::with_capacity(line.jobs.len());
    let mut faults = Vec::new();
    for job in &line.jobs {
        match tool(job, folder, results) {
            Ok(tool) => tools.push(tool),
            Err(fault) => faults.push(format!("job `{}`: {fault}", job.name)),
        }
    }
    if faults.is_empty() { Ok(tools) } else { Err(faults) }
}

fn tool(job: &Job, folder: &Path, results: &Path) -> Result<Box<dyn Tool>, String> {
    let _ = (folder, results);
    match &job.action {
        // Only laid out so far: it takes the time it is planned to take.
        Action::None => Ok(Box::new(Sleep { nanos: job.time.clone() })),
        Action::Kernel { tool, .. } => match tool.as_str() {
            "sleep" => Ok(Box::new(Sleep { nanos: job.time.clone() })),
            other => Err(format!("there is no tool `{other}`")),
        },
        Action::Run { .. } => Err("this version runs no processes yet".into()),
        Action::Worker { .. } => Err("this version runs no workers yet".into()),
    }
}

/// What is wrong with a `kernel`, for the checks of the line file.
pub fn kernel_faults(
    tool: &str,
    settings: &BTreeMap<String, Setting>,
    folder: &Path,
) -> Vec<KernelFault> {
    let _ = (tool, settings, folder);
    Vec::new()
}
