//! `cargo xtask outputs`: what we write for other tools, read by those tools.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::Args;

use crate::command::{Fault, cargo, output_of, root, tally};
use crate::need::{self, Install};

const CLIENT: &str = "prometheus-client==0.23.1";

/// Lines with names, ends and shapes that a format may stumble over.
const LINES: [&str; 8] = [
    "tests/cases/08-prefetch-depth.toml",
    "tests/cases/09-mig-slices.toml",
    "tests/cases/11-warm-models.toml",
    "tests/cases/13-device-lost.toml",
    "tests/cases/14-failure-skips-dependents.toml",
    "tests/cases/15-timeout-and-cancel.toml",
    "tests/cases/21-yolo-dag.toml",
    "tests/outputs/names.toml",
];

/// How to check the outputs.
#[derive(Args, Default)]
pub(crate) struct Options {
    /// Get by apt, npm or pip what is missing
    #[arg(long)]
    install: bool,
}

/// The layer of `cargo xtask test`.
pub(crate) fn layer(install: Install) -> Result<(), Fault> {
    outputs(&Options { install: install == Install::Yes })
}

/// Plans some lines, and has every output read by the tool that it is for.
pub(crate) fn outputs(options: &Options) -> Result<(), Fault> {
    let install = Install::new(options.install);
    let python = python(install)?;
    need::npm("tests/outputs", install)?;
    graphviz(install)?;
    let folder = root().join("target/outputs");
    // What an earlier version has written would be checked, too.
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    cargo(&["build", "--quiet", "--package", "lineside"])?;
    for line in LINES {
        write_all(line, &folder)?;
    }
    let shown = folder.display().to_string();
    say(&output_of(&python.display().to_string(), &["tests/outputs/check.py", &shown])?)?;
    say(&output_of("node", &["tests/outputs/check.mjs", &shown])?)
}

/// The outputs of one line; its graph is drawn at once.
fn write_all(line: &str, folder: &Path) -> Result<(), Fault> {
    let stem = Path::new(line).file_stem().unwrap_or_default();
    let path = |ending: &str| folder.join(stem).with_extension(ending).display().to_string();
    let (metrics, perfetto) = (path("prom"), path("json"));
    let files = ["--metrics", &metrics, "--perfetto", &perfetto];
    for (print, ending) in [("--mermaid", "mmd"), ("--dot", "dot")] {
        let printed = plan(&[&["plan", line, print], &files[..]].concat())?;
        let path = path(ending);
        fs::write(&path, printed).map_err(|error| format!("{path}: {error}"))?;
    }
    let drawn = output_of("dot", &["-Tsvg", &path("dot")])?;
    if drawn.contains("<svg") { Ok(()) } else { Err(Fault::Failed(format!("{line}: no graph"))) }
}

/// What the command prints. A job that fails is no fault of the outputs.
fn plan(arguments: &[&str]) -> Result<Vec<u8>, Fault> {
    let lineside = root().join("target/debug/lineside");
    let output = Command::new(lineside).args(arguments).current_dir(root()).output();
    let output = output.map_err(|error| format!("lineside can't be started: {error}"))?;
    match output.status.code() {
        Some(0 | 1 | 3) if !output.stdout.is_empty() => Ok(output.stdout),
        _ => Err(Fault::Failed(String::from_utf8_lossy(&output.stderr).into_owned())),
    }
}

fn say(text: &str) -> Result<(), Fault> {
    Ok(text.lines().try_for_each(tally)?)
}

/// A Python with the client of Prometheus.
fn python(install: Install) -> Result<PathBuf, Fault> {
    let python = |venv: &Path| venv.join("bin/python").display().to_string();
    let is_there =
        |venv: &Path| need::output(&python(venv), &["-c", "import prometheus_client"]).is_some();
    let venv = need::python("target/outputs-venv", &[CLIENT], is_there, install)?;
    Ok(venv.join("bin/python"))
}

fn graphviz(install: Install) -> Result<(), Fault> {
    // Its other options want a graph.
    if need::output("dot", &["-V"]).is_some() {
        return Ok(());
    }
    need::packages("Graphviz", &["graphviz"], install)
}
