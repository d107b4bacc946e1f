//! Running other programs.

use std::fmt;
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
    let status = Command::new(program).args(arguments).current_dir(root()).status();
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
