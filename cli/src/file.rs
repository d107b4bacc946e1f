//! Reads a line file, with what lies around it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use lineside_backends::host;
use lineside_line::{
    Checked, DeviceHere, KernelFault, Look, Place, Problem, Setting, Surroundings, Wanted,
    read_bytes, render,
};

use crate::machine::Machine;
use crate::words::printable;
use crate::{Refusal, terminal};

/// A line file that was read and is fine.
pub(crate) struct LineFile {
    pub(crate) checked: Checked,
    pub(crate) folder: PathBuf,
}

/// What `check` found.
pub(crate) struct Verdict {
    pub(crate) result: Result<Checked, Vec<Problem>>,
    pub(crate) folder: PathBuf,
    pub(crate) text: Vec<u8>,
}

impl Verdict {
    /// Errors, or warnings, as people read them.
    pub(crate) fn rendered(&self, file: &Path) -> String {
        let problems = match &self.result {
            Ok(checked) => &checked.warnings,
            Err(problems) => problems,
        };
        let look = Look { colour: terminal::colours_on_stderr(), width: terminal::width() as u32 };
        render(problems, &String::from_utf8_lossy(&self.text), &file.display().to_string(), look)
    }
}

fn name(file: &Path) -> String {
    file.display().to_string()
}

/// Reads a file and checks it, for this machine or for any.
pub(crate) fn judge(file: &Path, machine: Option<&Machine>) -> Result<Verdict, Refusal> {
    let text = fs::read(file)
        .map_err(|error| format!("error: can't read {}: {error}", printable(&name(file))))?;
    let folder = match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    };
    let result = read_bytes(&text, &Folder { path: &folder, machine });
    Ok(Verdict { result, folder, text })
}

/// Reads a file that has to be fine; warnings go to stderr.
pub(crate) fn open(file: &Path) -> Result<LineFile, Refusal> {
    open_for(file, None)
}

/// The same, for a run on this machine.
pub(crate) fn open_here(file: &Path, machine: &Machine) -> Result<LineFile, Refusal> {
    open_for(file, Some(machine))
}

fn open_for(file: &Path, machine: Option<&Machine>) -> Result<LineFile, Refusal> {
    let verdict = judge(file, machine)?;
    let rendered = verdict.rendered(file);
    let Verdict { result, folder, .. } = verdict;
    match result {
        Ok(checked) => {
            terminal::talk(&rendered);
            Ok(LineFile { checked, folder })
        }
        Err(problems) => {
            let faults = if problems.len() == 1 { "1 fault" } else { "faults" };
            let count =
                if problems.len() == 1 { String::new() } else { format!("{} ", problems.len()) };
            Err(Refusal(format!("{rendered}\n{} is refused: {count}{faults}", file.display())))
        }
    }
}

/// So many things, in words.
pub(crate) fn count(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

/// The folder of a line file.
struct Folder<'f> {
    path: &'f Path,
    /// What is here, if that matters.
    machine: Option<&'f Machine>,
}

impl Surroundings for Folder<'_> {
    fn files(&self, pattern: &str) -> Result<Vec<String>, String> {
        let folder = glob::Pattern::escape(&self.path.display().to_string());
        let matches = glob::glob(&format!("{folder}/{pattern}")).map_err(|error| error.msg)?;
        let mut files = Vec::new();
        for path in matches {
            let path = path.map_err(|error| error.to_string())?;
            if path.is_file() {
                let inside = path.strip_prefix(self.path).unwrap_or(&path);
                let text = inside.to_str().map(str::to_owned);
                files.push(text.ok_or_else(|| format!("{} is not UTF-8", inside.display()))?);
            }
        }
        Ok(files)
    }

    fn devices(&self) -> Vec<DeviceHere> {
        self.machine.map_or_else(Vec::new, Machine::devices)
    }

    fn memory(&self, place: Place, wanted: &Wanted) -> Option<u64> {
        self.machine?.memory(place, wanted)
    }

    fn kernel_faults(&self, tool: &str, settings: &BTreeMap<String, Setting>) -> Vec<KernelFault> {
        host::kernel_faults(tool, settings, self.path)
    }
}
