//! CUDA and NVML. Both libraries are looked for when they are first asked.

mod discovery;
mod driver;
mod nvml;

pub use discovery::ask;
