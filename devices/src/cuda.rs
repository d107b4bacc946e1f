//! CUDA and NVML. Both libraries are looked for when they are first asked.

mod discovery;
mod dispatch;
mod driver;
mod lane;
mod memory;
mod module;
mod nvml;

pub use discovery::ask;
pub use dispatch::CudaGpu;
