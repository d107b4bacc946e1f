//! Asks every library that is there.

use crate::device::Inventory;
use crate::merge::{Wishes, merge};
use crate::seen::Seen;

/// What is here.
///
/// Nothing is started on a device; a library that lacks is a note.
///
/// ```
/// use lineside_devices::{Wishes, discover};
/// let inventory = discover(Wishes::default());
/// assert!(inventory.devices.len() < 1000);
/// ```
pub fn discover(wishes: Wishes) -> Inventory {
    merge(&ask(), wishes)
}

/// What each library says.
pub fn ask() -> Seen {
    #[allow(unused_mut, reason = "without features there is nobody to ask")]
    let mut seen = Seen {
        visible: std::env::var("CUDA_VISIBLE_DEVICES").ok(),
        system_memory: ask_memory(),
        ..Seen::default()
    };
    #[cfg(feature = "cuda")]
    crate::cuda::ask(&mut seen);
    #[cfg(feature = "vulkan")]
    crate::vulkan::ask(&mut seen);
    seen
}

/// Bytes that Linux could still hand out; elsewhere it is not known.
pub fn ask_memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("MemAvailable:"))?;
    let kibibytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    kibibytes.checked_mul(1024)
}
