//! Reads a line file, with what lies around it.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::fs;
use std::path::{Path, PathBuf};

use lineside_backends::host;
use lineside_line::{
    Checked, KernelFault, Look, Problem, Setting, Surroundings, read_bytes, render,
};

use crate::arguments::bundle::Trust;
use crate::bundle::{self, Opened};
use crate::machine::{Around, Machine};
use crate::words::printable;
use crate::{Refusal, hardware, terminal};

/// A line file that was read and is fine.
pub(crate) struct LineFile {
    pub(crate) checked: Checked,
    /// What the line refers to is looked for here.
    pub(crate) folder: PathBuf,
    /// The bundle that the line came in. The folder goes with it.
    bundle: Option<Opened>,
}

impl LineFile {
    /// Its files were unpacked just now.
    pub(crate) fn is_unpacked(&self) -> bool {
        self.bundle.is_some()
    }
}

/// What `check` found.
pub(crate) struct Verdict {
    pub(crate) result: Result<Checked, Vec<Problem>>,
    pub(crate) folder: PathBuf,
    pub(crate) text: Vec<u8>,
    bundle: Option<Opened>,
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

/// The folder that a line file is in.
pub(crate) fn folder_of(file: &Path) -> PathBuf {
    match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    }
}

fn cannot_read(file: &Path, error: impl Display) -> Refusal {
    Refusal(format!("error: can't read {}: {error}", printable(&name(file))))
}

/// Reads a file as text, unchecked.
pub(crate) fn read_text(file: &Path) -> Result<String, Refusal> {
    fs::read_to_string(file).map_err(|error| cannot_read(file, error))
}

/// Reads a line file, or the one of a bundle, and checks it.
pub(crate) fn judge(file: &Path, trust: &Trust) -> Result<Verdict, Refusal> {
    judge_for(file, trust, None)
}

/// The same, for a run on this machine.
fn judge_for(file: &Path, trust: &Trust, machine: Option<&Machine>) -> Result<Verdict, Refusal> {
    if bundle::is_bundle(file) {
        let (opened, text) = Opened::open(file, trust)?;
        let (result, folder) =
            (read_bytes(&text, &Around::new(&opened, machine)), opened.folder().to_owned());
        return Ok(Verdict { result, folder, text, bundle: Some(opened) });
    }
    if trust.verify_key.is_some() {
        let file = file.display().to_string();
        let help = "help: a signature is part of a bundle: see `lineside pack`";
        return Err(Refusal(format!("error: {} is not a bundle\n{help}", printable(&file))));
    }
    let text = fs::read(file).map_err(|error| cannot_read(file, error))?;
    let folder = folder_of(file);
    let result = read_bytes(&text, &Around::new(&Folder(&folder), machine));
    Ok(Verdict { result, folder, text, bundle: None })
}

/// Reads a file that has to be fine, and has in its folder what the line uses when it is run.
pub(crate) fn open_to_run(
    file: &Path,
    trust: &Trust,
    machine: &Machine,
) -> Result<LineFile, Refusal> {
    let opened = accept(file, judge_for(file, trust, Some(machine))?)?;
    hardware::tell(&opened.checked.line, machine);
    if let Some(bundle) = &opened.bundle {
        let unpacked = bundle.unpack(&opened.checked.line);
        unpacked.map_err(|error| Refusal(format!("error: {}: {error}", file.display())))?;
    }
    Ok(opened)
}

/// Reads a file that has to be fine; warnings go to stderr.
pub(crate) fn open(file: &Path) -> Result<LineFile, Refusal> {
    open_trusted(file, &Trust::default())
}

/// As [`open`]; a bundle has to be signed as is asked for.
pub(crate) fn open_trusted(file: &Path, trust: &Trust) -> Result<LineFile, Refusal> {
    accept(file, judge(file, trust)?)
}

fn accept(file: &Path, verdict: Verdict) -> Result<LineFile, Refusal> {
    let rendered = verdict.rendered(file);
    let Verdict { result, folder, bundle, .. } = verdict;
    match result {
        Ok(checked) => {
            terminal::talk(&rendered);
            Ok(LineFile { checked, folder, bundle })
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
pub(crate) struct Folder<'f>(pub(crate) &'f Path);

impl Surroundings for Folder<'_> {
    fn files(&self, pattern: &str) -> Result<Vec<String>, String> {
        let folder = glob::Pattern::escape(&self.0.display().to_string());
        let matches = glob::glob(&format!("{folder}/{pattern}")).map_err(|error| error.msg)?;
        let mut files = Vec::new();
        for path in matches {
            let path = path.map_err(|error| error.to_string())?;
            if path.is_file() {
                let inside = path.strip_prefix(self.0).unwrap_or(&path);
                let text = inside.to_str().map(str::to_owned);
                files.push(text.ok_or_else(|| format!("{} is not UTF-8", inside.display()))?);
            }
        }
        Ok(files)
    }

    fn kernel_faults(&self, tool: &str, settings: &BTreeMap<String, Setting>) -> Vec<KernelFault> {
        host::kernel_faults(tool, settings, self.0)
    }
}
