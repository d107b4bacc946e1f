//! `run`: a process for each start.

use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use std::fs::{self, File};
use std::path::Path;

use super::process::{Child, Exit, Woken};
use super::program::{For, Launcher, last_lines, unit_names};
use super::programs::Register;
use super::tool::{Product, Tool};
use super::work::{Failure, Work};

/// Runs a process for each start.
pub(super) struct Run {
    pub(super) launcher: Launcher,
    pub(super) register: Arc<Register>,
}

impl Tool for Run {
    fn start(&self, work: &Work<'_>) -> Result<Vec<Product>, Failure> {
        let name = format!("{:06}.{}", work.first, work.attempt);
        let no_log = |error| format!("can't write a log of `{}`: {error}", work.job);
        let (mut log, path) = self.launcher.new_log(&name).map_err(no_log)?;
        let result = self.run(work, &log).map_err(|failure| {
            let said = last_lines(&mut log);
            let more =
                if said.is_empty() { String::new() } else { format!("; see {}", path.display()) };
            Failure { text: format!("{}{more}{said}", failure.text), ..failure }
        });
        drop_if_empty(&log, &path);
        result?;
        Ok(work.nothing())
    }
}

impl Run {
    fn run(&self, work: &Work<'_>, log: &File) -> Result<(), Failure> {
        let copy = log.try_clone().map_err(|error| format!("can't write its log: {error}"))?;
        let launch = self.launcher.launch(&For::Start(work), copy);
        let program = launch.words.first().cloned().unwrap_or_default();
        let spawned = Child::spawn(launch);
        let mut child =
            spawned.map_err(|error| format!("can't start {}: {error}", program.display()))?;
        (self.register)(&child.identity(), work.lease);
        let woken = child.wait(work.recall);
        // Whatever it has left behind goes too, before the units are handed on.
        let ended = child.end();
        let exit = match (ended, woken) {
            (Err(remains), _) => {
                return Err(Failure::of_units(
                    format!("{remains}: {} is out", unit_names(work)),
                    work.unit_ids(),
                ));
            }
            (Ok(_), Ok(Woken::Ended(exit))) => exit,
            (Ok(_), Ok(_)) => return Err(Failure::from(String::from("stopped"))),
            (Ok(_), Err(error)) => {
                return Err(format!("{} can't be waited for: {error}", program.display()).into());
            }
        };
        match exit {
            Exit::Code(0) => Ok(()),
            exit => Err(format!("{} {exit}", program.display()).into()),
        }
    }
}

/// A log in which nothing stands is not kept.
pub(super) fn drop_if_empty(log: &File, path: &Path) {
    if log.metadata().is_ok_and(|it| it.len() == 0) {
        // If it can't be removed it is an empty file.
        let _ = fs::remove_file(path);
    }
}
