//! `cargo xtask fuzz`: the corpus first, then whatever chance finds.

use std::fs;

use clap::Args;

use crate::command::{Fault, cargo, root, run};
use crate::need::{self, Install};

const TARGETS: [&str; 5] = ["bundle", "calls", "line_file", "line_structured", "trace"];

/// Long enough to see that a target is broken.
const SECONDS: u64 = 30;

/// What to fuzz, and for how long.
#[derive(Args)]
pub(crate) struct Options {
    /// Fuzz each target for so many minutes, instead of half a minute
    #[arg(long, value_name = "N")]
    minutes: Option<u64>,
    /// Get cargo-fuzz by cargo, and nightly by rustup, if they are missing
    #[arg(long)]
    install: bool,
    /// Only these targets: bundle, calls, line_file, line_structured, trace
    #[arg(value_name = "TARGET", value_parser = TARGETS)]
    targets: Vec<String>,
}

/// Replays the corpus, which any compiler can; then fuzzes, which takes nightly.
pub(crate) fn fuzz(options: &Options) -> Result<(), Fault> {
    cargo(&["test", "--package", "lineside-tests", "--test", "corpus", "--quiet"])?;
    need_fuzzer(Install::new(options.install))?;
    let seconds = options.minutes.map_or(SECONDS, |minutes| minutes.saturating_mul(60));
    for target in TARGETS {
        if options.targets.is_empty() || options.targets.iter().any(|it| it == target) {
            fuzz_target(target, seconds)?;
        }
    }
    Ok(())
}

fn need_fuzzer(install: Install) -> Result<(), Fault> {
    let has_nightly = || need::output("rustup", &["run", "nightly", "rustc", "--version"]);
    if has_nightly().is_none() {
        if install == Install::No {
            let how = "rustup toolchain install nightly --profile minimal";
            return Err(Fault::Missing(format!("the corpus was replayed; to fuzz: {how}")));
        }
        run("rustup", &["toolchain", "install", "nightly", "--profile", "minimal"])?;
    }
    if need::output("cargo", &["fuzz", "--version"]).is_none() {
        if install == Install::No {
            let how = "cargo install cargo-fuzz --locked";
            return Err(Fault::Missing(format!("the corpus was replayed; to fuzz: {how}")));
        }
        cargo(&["install", "cargo-fuzz", "--locked"])?;
    }
    Ok(())
}

/// New inputs go to a folder of their own, so that the corpus grows by intent only; those that
/// show a fault go to `fuzz/artifacts`.
fn fuzz_target(target: &str, seconds: u64) -> Result<(), Fault> {
    let found = root().join("fuzz/target/found").join(target);
    fs::create_dir_all(&found).map_err(|error| format!("{}: {error}", found.display()))?;
    let corpus = root().join("fuzz/corpus").join(target);
    let time = format!("-max_total_time={seconds}");
    let arguments = [
        // There is no unsafe code, so a sanitizer would find nothing, ten times as slowly.
        &["run", "nightly", "cargo", "fuzz", "run", "--sanitizer", "none", target][..],
        &[&found.display().to_string(), &corpus.display().to_string()],
        &["--", &time, "-max_len=4096", "-timeout=30", "-rss_limit_mb=2048"],
    ];
    run("rustup", &arguments.concat()).map_err(Fault::Failed)
}
