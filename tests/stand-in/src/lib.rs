//! A stand-in for NVIDIA's driver: the calls of CUDA and NVML that Lineside makes.
//!
//! Under the names `libcuda.so.1` and `libnvidia-ml.so.1` on the library path it is taken for the
//! driver. It runs our kernels in their Rust form, and does what the environment variable
//! `LINESIDE_STAND_IN` says: how many cards there are, and what goes wrong on them. See [`spec`].
//! Its cards say of themselves that they are none.

#![allow(clippy::missing_safety_doc, reason = "the functions are those of NVIDIA's headers")]
#![allow(missing_docs, reason = "as above")]
#![allow(unsafe_op_in_unsafe_fn, reason = "every one of them is unsafe from its first line on")]

pub mod cuda;
pub mod kernels;
pub mod nvml;
pub mod spec;
pub mod state;
