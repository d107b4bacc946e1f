//! Programs that a chore needs and that Rust does not bring.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::command::{Fault, root, run};

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

/// A Python of its own in a folder below `target`, with these packages. `is_there` says whether
/// they have come already.
pub(crate) fn python(
    folder: &str,
    packages_of_pip: &[&str],
    is_there: impl Fn(&Path) -> bool,
    install: Install,
) -> Result<PathBuf, Fault> {
    let venv = root().join(folder);
    if is_there(&venv) {
        return Ok(venv);
    }
    if install == Install::No {
        let what = packages_of_pip.join(" ");
        return Err(Fault::Missing(format!("install by pip, in {folder}: {what}")));
    }
    if output("python3", &["-c", "import ensurepip"]).is_none() {
        packages("Python", &["python3-venv"], install)?;
    }
    run("python3", &["-m", "venv", folder])?;
    let pip = venv.join("bin/pip").display().to_string();
    run(&pip, &[&["install", "--quiet", "--no-deps"], packages_of_pip].concat())?;
    Ok(venv)
}

/// The packages of npm in a folder, as its lock file names them.
pub(crate) fn npm(folder: &str, install: Install) -> Result<(), Fault> {
    program("node", "nodejs", install)?;
    let changed = |path: &str| {
        let file = fs::metadata(root().join(folder).join(path));
        file.and_then(|it| it.modified()).ok()
    };
    let installed = changed("node_modules/.package-lock.json");
    if installed.is_some() && installed >= changed("package-lock.json") {
        return Ok(());
    }
    let how = ["ci", "--prefix", folder, "--ignore-scripts", "--no-audit", "--no-fund"];
    if install == Install::No && installed.is_none() {
        return Err(Fault::Missing(format!("packages: npm {}", how.join(" "))));
    }
    program("npm", "npm", install)?;
    Ok(run("npm", &how)?)
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
