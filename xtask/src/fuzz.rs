//! `cargo xtask fuzz`: the corpus first, then whatever chance finds.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use clap::Args;

use crate::command::{Fault, cargo, root, run, tally};
use crate::need::{self, Install};

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
    /// Only these targets: files of `fuzz/fuzz_targets`, without their ending
    #[arg(value_name = "TARGET")]
    targets: Vec<String>,
}

/// The layer of `cargo xtask test`. Its corpus was replayed by the tests.
pub(crate) fn layer(install: Install) -> Result<(), Fault> {
    need_fuzzer(install)?;
    targets()?.iter().try_for_each(|target| fuzz_target(target, SECONDS))
}

/// Replays the corpus, which any compiler can; then fuzzes, which takes nightly.
pub(crate) fn fuzz(options: &Options) -> Result<(), Fault> {
    let chosen = chosen(&options.targets)?;
    cargo(&["test", "--package", "lineside-tests", "--test", "corpus", "--quiet"])?;
    need_fuzzer(Install::new(options.install))?;
    let seconds = options.minutes.map_or(SECONDS, |minutes| minutes.saturating_mul(60));
    chosen.iter().try_for_each(|target| fuzz_target(target, seconds))
}

/// Every target there is.
fn targets() -> Result<Vec<String>, Fault> {
    let folder = root().join("fuzz/fuzz_targets");
    let entries =
        fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let names = entries.flatten().map(|entry| entry.path());
    let names = names.filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned()));
    let mut names: Vec<String> = names.collect();
    names.sort();
    Ok(names)
}

/// Those that were asked for, or all.
fn chosen(asked: &[String]) -> Result<Vec<String>, Fault> {
    let all = targets()?;
    if let Some(unknown) = asked.iter().find(|target| !all.contains(target)) {
        let all = all.join(", ");
        return Err(Fault::Failed(format!("no target `{unknown}`; there are {all}")));
    }
    Ok(if asked.is_empty() { all } else { asked.to_vec() })
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
    let mut command = Command::new("rustup");
    command
        // There is no unsafe code, so a sanitizer would find nothing, ten times as slowly.
        .args(["run", "nightly", "cargo", "fuzz", "run", "--sanitizer", "none", target])
        .args([&found, &corpus])
        .args(["--", &time, "-max_len=4096", "-timeout=60", "-rss_limit_mb=2048"])
        .current_dir(root())
        .stderr(Stdio::piped());
    let executions = watch(command).map_err(|fault| format!("fuzz target {target}: {fault}"))?;
    Ok(tally(&format!("fuzz target {target}: {executions} executions, nothing found"))?)
}

/// Runs the fuzzer, shows what it says, and answers how many inputs it has tried.
fn watch(mut command: Command) -> Result<String, String> {
    eprintln!("$ {command:?}");
    let mut fuzzer = command.spawn().map_err(|error| error.to_string())?;
    let mut executions = None;
    let said = fuzzer.stderr.take().into_iter();
    for line in said.flat_map(|said| BufReader::new(said).lines()).map_while(Result::ok) {
        eprintln!("{line}");
        // "Done 35672 runs in 31 second(s)"
        if let Some(rest) = line.strip_prefix("Done ") {
            executions = rest.split(' ').next().map(str::to_owned);
        }
    }
    let status = fuzzer.wait().map_err(|error| error.to_string())?;
    match executions {
        Some(executions) if status.success() => Ok(executions),
        Some(_) | None => Err(format!("it ended with {status}")),
    }
}
