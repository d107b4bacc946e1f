//! `cargo xtask firmware`: the same traces on a Cortex-M3, and what that takes.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use clap::Args;

use crate::command::{Fault, root, tally};
use crate::cross::{Cross, From};
use crate::figures::{self, Figures};
use crate::golden::{self, Golden, difference, read};
use crate::need::{self, Install};

const TARGET: &str = "thumbv7m-none-eabi";
const QEMU: &str = "qemu-system-arm";
/// All cases take a few seconds.
const QEMU_TIME_MAX: Duration = Duration::from_secs(180);

/// How to build and run the firmware.
#[derive(Args, Default)]
pub(crate) struct Options {
    /// Get by rustup or apt what is missing
    #[arg(long)]
    install: bool,
    /// Build `core` from source with Debian's compiler, even if the target is installed
    #[arg(long)]
    from_source: bool,
    /// Write the figures of this compiler to firmware/figures.txt
    #[arg(long)]
    bless: bool,
}

/// The layer of `cargo xtask test`.
pub(crate) fn layer(install: Install) -> Result<(), Fault> {
    firmware(&Options { install: install == Install::Yes, ..Options::default() })
}

/// Builds both images, runs them under QEMU, compares traces and figures.
pub(crate) fn firmware(options: &Options) -> Result<(), Fault> {
    let install = Install::new(options.install);
    need::program(QEMU, "qemu-system-arm", install)?;
    let from = if options.from_source { From::Source } else { From::Anywhere };
    let cross = Cross::find(TARGET, from, install)?;
    check_controller(&cross, options)?;
    check_cases(&cross)
}

/// The small image: its trace is that of its line file, and it stays within its bounds.
fn check_controller(cross: &Cross, options: &Options) -> Result<(), Fault> {
    let image = cross.build("firmware", &["--bin", "controller"])?.join("controller");
    let printed = emulate(&image, &root().join("target"))?;
    let folder = root().join("firmware");
    let planned = golden::trace_of(&folder.join("controller.toml"))?;
    let expected = read(&folder.join("controller.jsonl"))?;
    let (told, trace): (Vec<&str>, Vec<&str>) =
        printed.lines().partition(|line| line.starts_with('#'));
    let trace = trace.iter().map(|line| format!("{line}\n")).collect::<String>();
    for (file, found) in [("controller.toml", &planned), ("controller", &trace)] {
        if let Some(text) = difference(file, found, &expected) {
            return Err(Fault::Failed(text));
        }
    }
    let mut figures: Figures = BTreeMap::new();
    for line in told {
        let words: Vec<&str> = line.split(' ').collect();
        if let ["#", name, bytes] = words[..] {
            figures.insert(name.to_owned(), bytes.parse().map_err(|_| line.to_owned())?);
        }
    }
    let bytes = fs::read(&image).map_err(|error| format!("{}: {error}", image.display()))?;
    figures.insert("flash".to_owned(), figures::flash_of(&bytes)?);
    figures::check(&figures, &cross.compiler(), options.bless)
}

/// The large image: every case.
fn check_cases(cross: &Cross) -> Result<(), Fault> {
    let arguments = ["--bin", "cases", "--features", "cases"];
    let image = cross.build("firmware", &arguments)?.join("cases");
    let Golden { cases, folder } = golden::make()?;
    let printed = emulate(&image, &folder)?;
    let mut found = parts(&printed);
    let mut wrong = Vec::new();
    for case in &cases {
        let (trace, code) = found.remove(case.file.as_str()).unwrap_or_default();
        match difference(&case.file, &trace, &case.trace) {
            Some(text) => wrong.push(text),
            None if code != case.code => {
                wrong.push(format!("{}: exit code {code}, not {}", case.file, case.code));
            }
            None => {}
        }
    }
    if !wrong.is_empty() || !found.is_empty() || cases.is_empty() {
        let count = cases.len();
        return Err(Fault::Failed(format!(
            "{} of {count} differ on the Cortex-M3:\n{}",
            wrong.len(),
            wrong.join("\n")
        )));
    }
    Ok(tally(&format!("Cortex-M3: {} traces, the same bytes", cases.len()))?)
}

/// Traces and exit codes, by file: each begins with `# FILE` and ends with `# exit CODE`.
fn parts(printed: &str) -> BTreeMap<&str, (String, String)> {
    let mut parts = BTreeMap::new();
    let (mut file, mut trace) = ("", String::new());
    for line in printed.lines() {
        if let Some(code) = line.strip_prefix("# exit ") {
            parts.insert(file, (std::mem::take(&mut trace), code.to_owned()));
        } else if let Some(name) = line.strip_prefix("# ") {
            file = name;
        } else {
            trace.push_str(line);
            trace.push('\n');
        }
    }
    parts
}

/// Runs an image in a folder of the host; answers what it prints.
fn emulate(image: &Path, folder: &Path) -> Result<String, Fault> {
    let fault = |error: std::io::Error| Fault::Failed(format!("{QEMU}: {error}"));
    let (out, talk) = (image.with_extension("out"), image.with_extension("err"));
    let mut qemu = Command::new(QEMU)
        .args(["-cpu", "cortex-m3", "-machine", "lm3s6965evb", "-nographic", "-monitor", "none"])
        .args(["-serial", "none", "-semihosting-config", "enable=on,target=native", "-kernel"])
        .arg(image)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(File::create(&out).map_err(fault)?)
        .stderr(File::create(&talk).map_err(fault)?)
        .spawn()
        .map_err(fault)?;
    let began = Instant::now();
    let status = loop {
        if let Some(status) = qemu.try_wait().map_err(fault)? {
            break status;
        }
        if began.elapsed() > QEMU_TIME_MAX {
            qemu.kill().map_err(fault)?;
            break qemu.wait().map_err(fault)?;
        }
        sleep(Duration::from_millis(20));
    };
    let printed = read(&out)?;
    if status.success() {
        return Ok(printed);
    }
    let last = printed.lines().last().unwrap_or_default();
    let talk = read(&talk)?;
    Err(Fault::Failed(format!("{} ended with {status}: {last}\n{talk}", image.display())))
}
