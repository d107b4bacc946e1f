//! Programs that a chore needs and that Rust does not bring.

use std::process::Command;

use crate::command::{Fault, run};

/// May missing things be installed?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Install {
    /// By apt.
    Yes,
    /// It is said what is missing.
    No,
}

impl Install {
    /// As the option `--install` says.
    pub(crate) fn new(install: bool) -> Self {
        if install { Install::Yes } else { Install::No }
    }
}

/// Sees to it that a program is there that a package brings.
pub(crate) fn program(name: &str, package: &str, install: Install) -> Result<(), Fault> {
    if output(name, &["--version"]).is_some() {
        return Ok(());
    }
    packages(&format!("{name}; on Debian"), &[package], install)?;
    match output(name, &["--version"]) {
        Some(_) => Ok(()),
        None => Err(Fault::Failed(format!("{package} is installed, but brings no `{name}`"))),
    }
}

/// Installs packages, or says that they are missing.
pub(crate) fn packages(what: &str, names: &[&str], install: Install) -> Result<(), Fault> {
    if install == Install::No {
        let names = names.join(" ");
        return Err(Fault::Missing(format!("install {what}: apt-get install {names}")));
    }
    apt(&["update", "--quiet"])?;
    let mut arguments = vec!["install", "--quiet", "--yes", "--no-install-recommends"];
    arguments.extend(names);
    apt(&arguments)
}

fn apt(arguments: &[&str]) -> Result<(), Fault> {
    let is_root = output("id", &["-u"]).is_some_and(|id| id.trim() == "0");
    let done = if is_root {
        run("apt-get", arguments)
    } else {
        run("sudo", &[&["apt-get"], arguments].concat())
    };
    done.map_err(Fault::Failed)
}

/// What a program prints; none if it is not there or fails.
pub(crate) fn output(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}
