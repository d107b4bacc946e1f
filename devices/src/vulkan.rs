//! Vulkan, by ash: its library is looked for when it is first asked.

mod discovery;
mod dispatch;
mod instance;
mod memory;
mod module;
mod track;

pub use discovery::ask;
pub use dispatch::{Options, VulkanGpu};
pub use instance::{Instance, Validation};
pub use module::{spirv, wgsl_faults};
