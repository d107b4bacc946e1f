//! What is here, each thing once.

use crate::identity::{Pci, Uuid};
use crate::seen::Kind;

/// Everything that was found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Inventory {
    /// By PCI address; the slices of a card stand behind it.
    pub devices: Vec<Device>,
    /// What lacks or is odd, in words.
    pub notes: Vec<String>,
}

/// A card, or a MIG slice of one.
///
/// ```
/// let device = lineside_devices::Device::default();
/// assert!(device.is_usable() && device.memory.is_none());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Device {
    /// The name of the card.
    pub card: String,
    /// As it is written: `GPU-...` or `MIG-...` for NVIDIA's, else without a prefix.
    pub uuid: Option<String>,
    /// Where it sits.
    pub pci: Option<Pci>,
    /// What kind it is.
    pub kind: Kind,
    /// Bytes in all; none if nobody knows.
    pub memory: Option<u64>,
    /// Bytes that are in use already, by whomever; none if nobody knows.
    pub used: Option<u64>,
    /// Its driver or drivers, in words.
    pub driver: String,
    /// CUDA can reach it.
    pub cuda: Option<CudaAddress>,
    /// Vulkan can reach it.
    pub vulkan: Option<VulkanAddress>,
    /// The MIG profile, if this is a slice.
    pub profile: Option<String>,
    /// Which of the devices this is a slice of.
    pub parent: Option<usize>,
    /// Why it can't be used.
    pub unusable: Option<String>,
    /// It only plays a GPU, for tests.
    pub stand_in: bool,
}

/// How CUDA reaches a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CudaAddress {
    /// Its number in this process. None: a process of its own reaches it by its UUID.
    pub ordinal: Option<u32>,
}

/// How Vulkan reaches a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VulkanAddress {
    /// The index of the physical device.
    pub index: u32,
    /// The UUID that must be found there.
    pub uuid: Option<Uuid>,
}

impl Device {
    /// Whether it can be leased.
    pub fn is_usable(&self) -> bool {
        self.unusable.is_none()
    }

    /// Bytes that nobody else holds.
    pub fn free(&self) -> Option<u64> {
        Some(self.memory?.saturating_sub(self.used.unwrap_or(0)))
    }

    /// What it is known by, in words.
    pub fn identity(&self) -> String {
        match (&self.uuid, self.pci) {
            (Some(uuid), _) => uuid.clone(),
            (None, Some(pci)) => pci.to_string(),
            (None, None) => self.card.clone(),
        }
    }
}
