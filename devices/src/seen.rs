//! What CUDA, NVML and Vulkan say is here, as plain data. Nothing in it is to be trusted.

use serde::Serialize;

use crate::identity::{Pci, Uuid};

/// What came of asking for something.
///
/// "Not supported" is neither nothing nor without a bound: it is not known.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Answer<T> {
    /// This.
    Known(T),
    /// The driver can't tell.
    #[default]
    NotSupported,
    /// It went wrong, in words.
    Failed(String),
}

impl<T> Answer<T> {
    /// The answer, if there was one.
    pub fn known(&self) -> Option<&T> {
        match self {
            Answer::Known(value) => Some(value),
            Answer::NotSupported | Answer::Failed(_) => None,
        }
    }
}

/// Everything that was said.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Seen {
    /// CUDA, in its own order; none if CUDA is not here.
    pub cuda: Option<Vec<CudaSeen>>,
    /// NVML, in its own order.
    pub nvml: Vec<NvmlSeen>,
    /// Vulkan, in its own order.
    pub vulkan: Vec<VulkanSeen>,
    /// What lacks or went wrong, in words: a library, an instance.
    pub notes: Vec<String>,
    /// `CUDA_VISIBLE_DEVICES`, if it is set.
    pub visible: Option<String>,
    /// Bytes that the machine could still hand out, where that is known: what a GPU without
    /// memory of its own has.
    pub system_memory: Option<u64>,
}

/// One device of CUDA.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CudaSeen {
    /// CUDA's own number; it depends on the environment.
    pub ordinal: u32,
    /// The name.
    pub name: String,
    /// Of the card, or of the MIG slice.
    pub uuid: Answer<Uuid>,
    /// Where it sits.
    pub pci: Answer<Pci>,
    /// Bytes in all.
    pub memory: Answer<u64>,
    /// It shares the memory of the machine.
    pub integrated: bool,
    /// The version of the driver's CUDA, as 12040.
    pub version: u32,
    /// It only plays a GPU, for tests.
    pub stand_in: bool,
}

/// One card of NVML.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NvmlSeen {
    /// The name.
    pub name: String,
    /// The UUID.
    pub uuid: Answer<Uuid>,
    /// Where it sits.
    pub pci: Answer<Pci>,
    /// Bytes in all, and in use by anyone.
    pub memory: Answer<(u64, u64)>,
    /// Whether MIG is on.
    pub mig: Answer<bool>,
    /// The slices.
    pub slices: Vec<SliceSeen>,
    /// The version of the driver.
    pub driver: String,
}

/// One MIG slice of a card of NVML.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SliceSeen {
    /// `MIG-...`, as a process has to name it.
    pub uuid: String,
    /// As `1g.10gb`.
    pub profile: Option<String>,
    /// Bytes in all, and in use.
    pub memory: Answer<(u64, u64)>,
}

/// One physical device of Vulkan.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct VulkanSeen {
    /// Vulkan's own number.
    pub index: u32,
    /// The name.
    pub name: String,
    /// Of the card.
    pub uuid: Answer<Uuid>,
    /// Where it sits.
    pub pci: Answer<Pci>,
    /// What kind it is.
    pub kind: Kind,
    /// Who made it.
    pub vendor: u32,
    /// The driver in words.
    pub driver: String,
    /// It passes work on to another API, so that a driver of the card itself is better.
    pub layered: bool,
    /// Bytes in all in device-local memory, and in use by anyone.
    pub memory: Answer<u64>,
    /// Bytes in use by anyone.
    pub used: Answer<u64>,
    /// What it lacks for our kernels, in words.
    pub lacks: Option<String>,
}

/// What kind of device Vulkan says that it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A card of its own.
    Discrete,
    /// Part of the processor; it shares the memory of the machine.
    Integrated,
    /// Lent by a hypervisor.
    Virtual,
    /// A program on the CPU that plays a GPU.
    Software,
    /// Something else.
    #[default]
    Other,
}

impl Kind {
    /// In words.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Discrete => "discrete",
            Kind::Integrated => "integrated",
            Kind::Virtual => "virtual",
            Kind::Software => "software",
            Kind::Other => "other",
        }
    }
}
