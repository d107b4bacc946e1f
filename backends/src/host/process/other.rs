//! Systems on which no programs are run: there is nothing to find and nothing to end.

use alloc::string::String;
use core::time::Duration;

use super::{Identity, Remains};

/// Has what loses its parent become our child. It can't be had here.
pub fn watch_over_orphans() -> bool {
    false
}

/// Which start of the machine this is.
pub fn boot_id() -> &'static str {
    ""
}

/// Who we are.
pub fn this_process() -> Identity {
    Identity { pid: std::process::id(), started: 0, boot: String::new() }
}

/// Ends a process of a runner that is gone.
///
/// # Errors
///
/// None: no runner has started one.
pub fn end_orphan(_: &Identity, _: Duration) -> Result<(), Remains> {
    Ok(())
}

/// Ends every process whose marker is of this run.
///
/// # Errors
///
/// None: no runner has started one.
pub fn end_marked(_: &str, _: Duration) -> Result<(), Remains> {
    Ok(())
}

/// Ends every process that we have started.
pub fn kill_all() {}
