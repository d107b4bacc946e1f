//! Processes on this machine: one module a platform.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "linux")]
mod linux_proc;
#[cfg(not(target_os = "linux"))]
mod other;

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::time::Duration;
use std::ffi::OsString;
use std::fs::File;
use std::path::PathBuf;

pub use lineside_registry::Identity;
#[cfg(target_os = "linux")]
pub(super) use linux::{Alarm, Child, Woken};
#[cfg(target_os = "linux")]
pub use linux::{boot_id, end_marked, end_orphan, kill_all, this_process, watch_over_orphans};
#[cfg(not(target_os = "linux"))]
pub use other::{boot_id, end_marked, end_orphan, kill_all, this_process, watch_over_orphans};

/// The variable by which everything that a process has started is known to be of it.
pub const MARKER: &str = "LINESIDE_PROCESS";

/// What is to be started.
#[derive(Debug)]
#[cfg_attr(not(target_os = "linux"), allow(dead_code))]
pub(super) struct Launch {
    /// The program and its arguments.
    pub(super) words: Vec<OsString>,
    /// Where it runs.
    pub(super) dir: PathBuf,
    /// What its environment has besides that of the runner.
    pub(super) env: BTreeMap<String, OsString>,
    /// Where stdout and stderr go.
    pub(super) log: File,
    /// Does it talk to us through stdin and stdout?
    pub(super) talks: bool,
    /// The value of [`MARKER`]; no other process has it.
    pub(super) marker: String,
    /// Between asking it to end and making it.
    pub(super) grace: Duration,
}

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// By itself, with this code.
    Code(i32),
    /// By this signal.
    Signal(i32),
}

impl Exit {
    /// It did what it was to do.
    pub fn is_success(self) -> bool {
        self == Exit::Code(0)
    }
}

impl fmt::Display for Exit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Exit::Code(code) => write!(f, "ended with exit code {code}"),
            Exit::Signal(signal) => match signal_name(signal) {
                Some(name) => write!(f, "was ended by {name}"),
                None => write!(f, "was ended by signal {signal}"),
            },
        }
    }
}

/// What could not be ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remains {
    /// Numbers of processes.
    pub pids: Vec<u32>,
}

impl fmt::Display for Remains {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pids: Vec<String> = self.pids.iter().map(|pid| format!("{pid}")).collect();
        let noun = if pids.len() == 1 { "process" } else { "processes" };
        write!(f, "{noun} {} can't be ended, not even by SIGKILL", pids.join(", "))
    }
}

fn signal_name(signal: i32) -> Option<&'static str> {
    const NAMES: [(i32, &str); 11] = [
        (1, "SIGHUP"),
        (2, "SIGINT"),
        (3, "SIGQUIT"),
        (4, "SIGILL"),
        (6, "SIGABRT"),
        (8, "SIGFPE"),
        (9, "SIGKILL"),
        (11, "SIGSEGV"),
        (13, "SIGPIPE"),
        (15, "SIGTERM"),
        (24, "SIGXCPU"),
    ];
    NAMES.iter().find(|(number, _)| *number == signal).map(|(_, name)| *name)
}
