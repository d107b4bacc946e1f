//! `cargo xtask bench`: figures with their peers beside them.

use std::path::PathBuf;

use clap::Args;

use crate::command::cargo;

/// What to make of the figures.
#[derive(Args)]
pub(crate) struct Options {
    /// Also write them as JSON
    #[arg(long, value_name = "PATH")]
    json: Option<PathBuf>,
    /// Also measure how the cost grows, and draw it as SVG
    #[arg(long, value_name = "PATH")]
    plot: Option<PathBuf>,
}

/// Builds and runs the benchmark. SimPy and valgrind are used where they are there.
pub(crate) fn bench(options: &Options) -> Result<(), String> {
    let mut words = vec!["run", "--release", "--quiet", "--package", "lineside-bench", "--"];
    let path = |path: &Option<PathBuf>| path.as_ref().map(|path| path.display().to_string());
    let (json, plot) = (path(&options.json), path(&options.plot));
    for (flag, path) in [("--json", &json), ("--plot", &plot)] {
        if let Some(path) = path {
            words.extend([flag, path]);
        }
    }
    cargo(&words)
}
