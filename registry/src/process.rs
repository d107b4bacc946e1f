//! Which processes live.

use serde::{Deserialize, Serialize};

/// The variable that programs with a lease carry in their environment.
pub const MARKER: &str = "LINESIDE_HOLDS";

/// A process, as nothing else on any machine is called.
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
    use super::{Identity, MARKER, Processes, ThisMachine};
    use crate::proc::{Stat, boot_id, pids, stat, variable};

    impl ThisMachine {
        /// Who is asking.
        pub fn this_process(self) -> Option<Identity> {
            let pid = std::process::id();
            Some(Identity { pid, started: living(pid)?.started, boot: boot_id()?.to_owned() })
        }

        /// The number of the user who is asking.
        pub fn this_user(self) -> u32 {
            use std::os::unix::fs::MetadataExt;
            std::fs::metadata("/proc/self").map_or(u32::MAX, |metadata| metadata.uid())
        }
    }

    impl Processes for ThisMachine {
        fn is_alive(&self, identity: &Identity) -> bool {
            boot_id() == Some(identity.boot.as_str())
                && living(identity.pid).is_some_and(|stat| stat.started == identity.started)
        }

        fn has_marked(&self, marker: &str) -> bool {
            // What is not ours to read is not ours either.
            let is_marked = |pid| variable(pid, MARKER).is_some_and(|value| value == marker);
            pids().into_iter().any(|pid| living(pid).is_some() && is_marked(pid))
        }
    }

    /// None if the process is gone, or only waits to be reaped.
    fn living(pid: u32) -> Option<Stat> {
        stat(pid).filter(|stat| !stat.is_over())
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
