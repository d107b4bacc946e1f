//! One pass over a line: planned, or run.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use lineside_line::{Line, Place};
use lineside_report::summary;
use serde_json::Value;
use tempfile::{NamedTempFile, TempDir};

use super::search::Pass;
use super::settings::Settings;
use super::write;
use crate::hardware::Cores;
use crate::plan::{EVENTS, simulate};
use crate::{DONE, REFUSED, Refusal, file};

/// Passes in virtual time.
pub(super) struct Plans<'l> {
    pub(super) line: &'l Line,
}

impl Plans<'_> {
    pub(super) fn pass(&mut self, settings: &Settings) -> Result<Pass, String> {
        let line = settings.applied(self.line);
        let planned = simulate(&line, false, EVENTS).map_err(|Refusal(text)| text)?;
        let numbers = summary(&line, &planned.record);
        let units = numbers.units.iter().map(|unit| (unit.busy_ns, unit.held_ns));
        let (busy, held, shared) = shares(&line, units.collect(), numbers.makespan_ns);
        let complete = planned.code == DONE;
        let time = numbers.makespan_ns as f64;
        Ok(Pass { time, busy, held, shared, core: None, memory: 0.0, complete })
    }
}

/// Passes on this machine, each a run of its own, with its results in a folder that goes again.
pub(super) struct Runs<'l> {
    line: &'l Line,
    /// What this box is called.
    here: String,
    file: PathBuf,
    text: String,
    program: PathBuf,
    out: TempDir,
    passes: u32,
}

impl<'l> Runs<'l> {
    pub(super) fn new(path: &Path, line: &'l Line, here: String) -> Result<Self, Refusal> {
        let cannot = |error: std::io::Error| Refusal(format!("error: can't run lines: {error}"));
        Ok(Runs {
            line,
            here,
            file: path.to_owned(),
            text: file::read_text(path)?,
            program: std::env::current_exe().map_err(cannot)?,
            out: tempfile::tempdir().map_err(cannot)?,
            passes: 0,
        })
    }

    pub(super) fn pass(&mut self, settings: &Settings) -> Result<Pass, String> {
        let text = write::with_settings(&self.text, self.line, &self.here, settings, "")?;
        // Beside the line file, since paths in it are relative to it.
        let file = NamedTempFile::with_prefix_in(".lineside-tune-", file::folder_of(&self.file))
            .map_err(|error| error.to_string())?;
        fs::write(file.path(), text).map_err(|error| error.to_string())?;
        self.passes += 1;
        let out = self.out.path().join(self.passes.to_string());
        let mut command = Command::new(&self.program);
        command.arg("run").arg(file.path()).arg("--json").arg("--out").arg(&out);
        let before = Cores::now();
        let output = command.stdin(Stdio::null()).output().map_err(|error| error.to_string())?;
        let core = before.zip(Cores::now()).and_then(|(then, now)| now.since(&then));
        let _ = fs::remove_dir_all(&out);
        let said = String::from_utf8_lossy(&output.stderr);
        let Some(code @ (0 | 1 | 3)) = output.status.code() else {
            let code = output.status.code().unwrap_or(i32::from(REFUSED));
            let last = said.trim_end().lines().rev().take(3).collect::<Vec<_>>();
            let last = last.into_iter().rev().collect::<Vec<_>>().join("\n");
            return Err(format!("a run ended with exit code {code}:\n{last}"));
        };
        let numbers: Value = serde_json::from_slice(&output.stdout)
            .map_err(|error| format!("a run has no summary: {error}"))?;
        let number = |value: &Value| value.as_u64().unwrap_or(0);
        let units = numbers["units"].as_array().into_iter().flatten();
        let units = units.map(|unit| (number(&unit["busy_ns"]), number(&unit["held_ns"])));
        let time = number(&numbers["makespan_ns"]);
        let (busy, held, shared) = shares(self.line, units.collect(), time);
        Ok(Pass {
            time: time as f64,
            busy,
            held,
            shared,
            core: core.map(|cpu| f64::from(cpu.busiest) / 1000.0),
            memory: 0.0,
            complete: code == i32::from(DONE),
        })
    }
}

/// Busy and held shares of the units that count, and whether one of them takes several leases: GPUs
/// that were used; where none was, CPU places.
fn shares(line: &Line, units: Vec<(u64, u64)>, time: u64) -> (f64, f64, bool) {
    let all = || line.units.iter().zip(&units);
    let gpus: Vec<_> =
        all().filter(|(unit, times)| unit.place != Place::Cpu && times.1 > 0).collect();
    let counted = match gpus.is_empty() {
        true => all().filter(|(_, times)| times.1 > 0).collect(),
        false => gpus,
    };
    let share = |of: &dyn Fn(&(u64, u64)) -> u64| {
        let sum: u64 = counted.iter().map(|(_, times)| of(times)).sum();
        match time.saturating_mul(counted.len() as u64) {
            0 => 0.0,
            whole => sum as f64 / whole as f64,
        }
    };
    let shared = counted.iter().any(|(unit, _)| unit.slots > 1);
    (share(&|times| times.0), share(&|times| times.1), shared)
}
