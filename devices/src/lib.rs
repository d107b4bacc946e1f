//! Which GPUs are here, and kernels on them.
//!
//! [`discover`] asks CUDA, NVML and Vulkan, each only if its library is there, and [`merge`] makes
//! of the answers what is here, each card once.

mod device;
mod discover;
pub mod fault;
mod gpu;
mod identity;
pub mod kernels;
mod merge;
mod open;
#[cfg(any(feature = "cuda", feature = "vulkan"))]
mod probe;
mod seen;

#[cfg(feature = "cuda")]
pub mod cuda;
#[cfg(feature = "vulkan")]
pub mod vulkan;

pub use device::{CudaAddress, Device, Inventory, VulkanAddress};
pub use discover::{ask, ask_memory, discover};
pub use fault::{Blame, Fault};
pub use gpu::{Buffer, Code, Dispatch, Gpu, Kernel, Module, SharedGpu, Track, Work};
pub use identity::{Pci, Uuid, matches};
pub use merge::{Wishes, merge};
pub use open::{Api, Opener};
pub use seen::{Answer, CudaSeen, Kind, NvmlSeen, Seen, SliceSeen, VulkanSeen};

/// What is wrong with a module, as far as that can be seen without a device: for WGSL every fault
/// with file, line and column.
pub fn module_fault(module: &Module) -> Option<String> {
    match &module.code {
        #[cfg(feature = "vulkan")]
        Code::Wgsl(source) => vulkan::wgsl_faults(module, source),
        _ => None,
    }
}
