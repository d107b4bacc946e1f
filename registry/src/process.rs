//! Which processes live.

use serde::{Deserialize, Serialize};

/// The variable that programs with a lease carry in their environment.
pub const MARKER: &str = "LINESIDE_HOLDS";

/// A process, and no other that gets its number later.
///
/// ```
/// use lineside_registry::Identity;
/// let one = Identity { pid: 42, started: 7, boot: "b".into() };
/// assert_ne!(one, Identity { started: 8, ..one.clone() });
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    /// Its number.
    pub pid: u32,
    /// When it was started, in the ticks of the system.
    pub started: u64,
    /// Since which start of the machine numbers and ticks count.
    pub boot: String,
}

/// The processes of a machine.
pub trait Processes {
    /// Does this one live?
    fn is_alive(&self, identity: &Identity) -> bool;

    /// Does any live that carries this value of [`MARKER`]?
    fn has_marked(&self, marker: &str) -> bool;
}

/// The processes of this machine. Needs a `/proc` as Linux has it; elsewhere there is no identity,
/// and so no registry.
#[derive(Debug, Clone, Copy)]
pub struct ThisMachine;

#[cfg(target_os = "linux")]
mod linux {
    use std::fs;

    use super::{Identity, MARKER, Processes, ThisMachine};

    impl ThisMachine {
        /// Who is asking.
        pub fn this_process(self) -> Option<Identity> {
            let pid = std::process::id();
            Some(Identity { pid, started: started(pid)?, boot: boot()? })
        }

        /// The number of the user who is asking.
        pub fn this_user(self) -> u32 {
            use std::os::unix::fs::MetadataExt;
            fs::metadata("/proc/self").map_or(u32::MAX, |metadata| metadata.uid())
        }
    }

    impl Processes for ThisMachine {
        fn is_alive(&self, identity: &Identity) -> bool {
            boot().is_some_and(|boot| boot == identity.boot)
                && started(identity.pid) == Some(identity.started)
        }

        fn has_marked(&self, marker: &str) -> bool {
            let wanted = format!("{MARKER}={marker}");
            let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
            let mut environments = entries.filter_map(|entry| {
                let pid: u32 = entry.file_name().to_str()?.parse().ok()?;
                // What is not ours to read is not ours either.
                started(pid).and_then(|_| fs::read(entry.path().join("environ")).ok())
            });
            environments.any(|environment| {
                environment.split(|&byte| byte == 0).any(|entry| entry == wanted.as_bytes())
            })
        }
    }

    fn boot() -> Option<String> {
        let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
        Some(boot.trim().to_owned())
    }

    /// When a process was started; none if it is gone, or only waits to be reaped.
    fn started(pid: u32) -> Option<u64> {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        // The name, in parentheses, may hold anything.
        let mut fields = stat.get(stat.rfind(')')? + 1..)?.split_whitespace();
        let state = fields.next()?;
        if matches!(state, "Z" | "X") { None } else { fields.nth(18)?.parse().ok() }
    }
}

#[cfg(not(target_os = "linux"))]
mod elsewhere {
    use super::{Identity, Processes, ThisMachine};

    impl ThisMachine {
        /// Who is asking: can't be told here.
        pub fn this_process(self) -> Option<Identity> {
            None
        }

        /// The number of the user who is asking.
        pub fn this_user(self) -> u32 {
            0
        }
    }

    impl Processes for ThisMachine {
        fn is_alive(&self, _: &Identity) -> bool {
            false
        }

        fn has_marked(&self, _: &str) -> bool {
            false
        }
    }
}
