//! What goes wrong on a device, as data: whose fault it is, and what is left.

use std::fmt;

/// Whose fault it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Blame {
    /// The job's: its kernel is wrong. The device is fine.
    Job,
    /// Memory that should have been there was not.
    Memory,
    /// The device's, or nobody knows whose: it may work the next time.
    Device,
    /// The device is gone, and with it everything that ran on it.
    Lost,
}

/// Something that went wrong on a device.
///
/// ```
/// use lineside_devices::{Blame, Fault};
/// let fault = Fault::new(Blame::Job, "no entry point `main`");
/// assert_eq!(fault.to_string(), "no entry point `main`");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Whose fault it is.
    pub blame: Blame,
    /// What else ran on the device is lost too, and it has to be opened anew.
    pub spoils: bool,
    /// In words.
    pub text: String,
}

impl Fault {
    /// A fault after which the device goes on.
    pub fn new(blame: Blame, text: impl Into<String>) -> Self {
        Fault { blame, spoils: blame == Blame::Lost, text: text.into() }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.text)
    }
}

impl std::error::Error for Fault {}

/// One row of a table of results: its number, whose fault it is, and whether what else runs on
/// the device is lost with it.
pub type Row = (i64, Blame, bool);

/// Results of CUDA's driver. What is not here is [`UNKNOWN`].
///
/// The results from 700 on spoil the context: no call in it works any more.
pub const CUDA: &[Row] = &[
    (1, Blame::Job, false),     // invalid value
    (2, Blame::Memory, false),  // out of memory
    (3, Blame::Lost, true),     // not initialised
    (4, Blame::Lost, true),     // the driver is shutting down
    (46, Blame::Device, false), // another process has it for itself
    (100, Blame::Lost, true),   // no device
    (101, Blame::Lost, true),   // the device is gone
    (200, Blame::Job, false),   // no kernel image
    (201, Blame::Lost, true),   // the context is gone
    (209, Blame::Job, false),   // no kernel for this GPU
    (214, Blame::Lost, true),   // an ECC error that could not be corrected
    (218, Blame::Job, false),   // bad PTX
    (220, Blame::Lost, true),   // NVLink
    (221, Blame::Job, false),   // no compiler for PTX
    (222, Blame::Job, false),   // PTX newer than the driver
    (226, Blame::Device, true), // contained: what ran is lost, the device is not
    (300, Blame::Job, false),   // bad source
    (400, Blame::Job, false),   // bad handle
    (500, Blame::Job, false),   // not found: no such entry
    (700, Blame::Job, true),    // address out of bounds
    (701, Blame::Job, false),   // more threads or registers than there are
    (702, Blame::Device, true), // the watchdog ended it
    (709, Blame::Lost, true),   // the context is gone
    (710, Blame::Job, true),    // an assertion of the kernel
    (714, Blame::Device, true), // stack error of the hardware
    (715, Blame::Job, true),    // bad instruction
    (716, Blame::Job, true),    // bad alignment
    (717, Blame::Job, true),    // bad address space
    (718, Blame::Job, true),    // bad program counter
    (719, Blame::Device, true), // launch failed, nobody knows why
    (801, Blame::Job, false),   // not supported
    (802, Blame::Device, false),
    (999, Blame::Device, true),
];

/// Results of Vulkan.
pub const VULKAN: &[Row] = &[
    (-1, Blame::Memory, false),             // no memory of the host
    (-2, Blame::Memory, false),             // no memory of the device
    (-3, Blame::Device, false),             // did not start
    (-4, Blame::Lost, true),                // device lost
    (-5, Blame::Device, false),             // memory can't be mapped
    (-8, Blame::Job, false),                // a feature that the device lacks
    (-10, Blame::Memory, false),            // too many objects
    (-12, Blame::Memory, false),            // a pool is cut to pieces
    (-13, Blame::Device, false),            // unknown
    (-1_000_012_000, Blame::Job, false),    // a shader that is not legal
    (-1_000_069_000, Blame::Memory, false), // a pool is empty
];

/// Events that NVIDIA's driver logs by number ("Xid"). What is not here is [`UNKNOWN`].
pub const XID: &[Row] = &[
    (13, Blame::Job, false),    // graphics engine exception
    (31, Blame::Job, false),    // page fault
    (43, Blame::Job, false),    // the channel was stopped
    (45, Blame::Job, false),    // cleaned up after another fault
    (48, Blame::Lost, true),    // two bits wrong in memory
    (63, Blame::Device, false), // a row is to be replaced
    (64, Blame::Lost, true),    // no row is left to replace it
    (68, Blame::Job, false),    // video decoder
    (74, Blame::Lost, true),    // NVLink
    (79, Blame::Lost, true),    // fell off the bus
    (94, Blame::Device, true),  // contained: what ran is lost, the device is not
    (95, Blame::Lost, true),    // not contained
    (109, Blame::Job, false),   // the switch of contexts took too long
    (119, Blame::Lost, true),   // the GPU's own processor does not answer
    (120, Blame::Lost, true),   // the GPU's own processor failed
];

/// What a number means that no table has: nobody knows whose fault it is, so the device is asked.
pub const UNKNOWN: (Blame, bool) = (Blame::Device, true);

/// Looks a number up.
///
/// ```
/// use lineside_devices::{Blame, fault};
/// assert_eq!(fault::class(fault::XID, 79), (Blame::Lost, true));
/// assert_eq!(fault::class(fault::XID, 31), (Blame::Job, false));
/// assert_eq!(fault::class(fault::XID, 12345), fault::UNKNOWN);
/// ```
pub fn class(table: &[Row], number: i64) -> (Blame, bool) {
    let row = table.iter().find(|row| row.0 == number);
    row.map_or(UNKNOWN, |&(_, blame, spoils)| (blame, spoils))
}
