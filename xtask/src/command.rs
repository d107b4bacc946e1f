//! Running other programs.

use std::collections::BTreeSet;
use std::fmt;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder of the workspace.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the workspace").to_owned()
}

/// Runs a command in the workspace and shows it; an exit code other than 0 is an error.
pub(crate) fn run(program: &str, arguments: &[&str]) -> Result<(), String> {
    let shown = format!("{program} {}", arguments.join(" "));
    eprintln!("$ {shown}");
    let mut command = Command::new(program);
    command.args(arguments).current_dir(root()).env("LINESIDE_TALLY", tally_path());
    let status = command.status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("`{shown}` ended with {status}")),
        Err(error) => Err(format!("`{program}` can't be started: {error}")),
    }
}

/// The cargo that runs this.
pub(crate) fn cargo(arguments: &[&str]) -> Result<(), String> {
    run(&std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned()), arguments)
}

/// What a command in the workspace prints; an exit code other than 0 is an error.
pub(crate) fn output_of(program: &str, arguments: &[&str]) -> Result<String, String> {
    let shown = format!("{program} {}", arguments.join(" "));
    eprintln!("$ {shown}");
    let output = Command::new(program).args(arguments).current_dir(root()).output();
    let output = output.map_err(|error| format!("`{program}` can't be started: {error}"))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(format!("`{shown}` ended with {}:\n{}", output.status, said.trim_end()))
}

/// Where tests, and layers, say what they have run.
pub(crate) fn tally_path() -> PathBuf {
    root().join("target/tally.txt")
}

/// Says what a layer has run.
pub(crate) fn tally(what: &str) -> Result<(), String> {
    println!("{what}");
    let file = OpenOptions::new().create(true).append(true).open(tally_path());
    let written = file.and_then(|mut file| writeln!(file, "{what}"));
    written.map_err(|error| format!("{}: {error}", tally_path().display()))
}

/// What was said since this was last asked, each thing once.
pub(crate) fn take_tally() -> Vec<String> {
    let text = fs::read_to_string(tally_path()).unwrap_or_default();
    // If it is not there, nothing was said.
    let _ = fs::remove_file(tally_path());
    let lines: BTreeSet<String> = text.lines().map(str::to_owned).collect();
    lines.into_iter().collect()
}

/// Why a chore was not done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Fault {
    /// This has to be installed first.
    Missing(String),
    /// It went wrong.
    Failed(String),
}

impl From<String> for Fault {
    fn from(text: String) -> Self {
        Fault::Failed(text)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Missing(text) | Fault::Failed(text) => f.write_str(text),
        }
    }
}
