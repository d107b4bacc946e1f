//! CUDA and NVML. Both libraries are looked for when they are first asked.

mod discovery;
mod dispatch;
mod driver;
mod memory;
mod module;
mod nvml;
mod track;

pub use discovery::ask;
pub use dispatch::CudaGpu;
