//! Which processes came after one.

use alloc::vec::Vec;
use std::fs;
use std::sync::OnceLock;

use lineside_registry::proc::pids;

/// Every process that can have been started after this one, not long ago. Numbers are given out in
/// a circle, so these are the ones between it and the last that was given.
pub(super) fn pids_since(pid: u32) -> Vec<u32> {
    /// Of more it is cheaper to ask who is there.
    const PIDS_MAX: u32 = 200;
    let (Some(last), Some(most)) = (last_pid(), pid_max()) else { return pids() };
    let between = if last >= pid { last - pid } else { (most - pid).saturating_add(last) };
    if between > PIDS_MAX {
        return pids();
    }
    (1..=between)
        .map(|step| if pid + step < most { pid + step } else { pid + step - most })
        .collect()
}

/// The number that was given out last.
fn last_pid() -> Option<u32> {
    fs::read_to_string("/proc/loadavg").ok()?.split_ascii_whitespace().last()?.parse().ok()
}

fn pid_max() -> Option<u32> {
    static MOST: OnceLock<Option<u32>> = OnceLock::new();
    let read = || fs::read_to_string("/proc/sys/kernel/pid_max").ok()?.trim().parse().ok();
    *MOST.get_or_init(read)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_are_looked_at_than_there_are() {
        assert!(pids_since(std::process::id()).len() <= pids().len().max(200));
    }
}
