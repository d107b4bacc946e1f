//! Runs on GPUs: on Mesa's software driver with the validation layer looking on, and on a stand-in
//! for NVIDIA's driver that does what goes wrong on request.
//!
//! `LINESIDE_TEST_GPU=cuda` or `=vulkan` runs what can be on the real one of this machine.

mod conformance;
mod devices;
mod faults;
mod kernels;
#[cfg(target_os = "linux")]
mod shared;
mod support;
