//! One trace on every machine: what a server, a browser and a controller have in common when they
//! plan a line.
//!
//! [`write_event`] writes the trace of the rules without an allocator. With the feature `plan`,
//! `plan` takes a line in a compact form and writes its whole trace; with `encode`, `encode` makes
//! that form of a checked line file.

#![no_std]
#![forbid(unsafe_code)]

#[cfg(feature = "plan")]
extern crate alloc;

#[cfg(feature = "encode")]
mod encode;
#[cfg(feature = "plan")]
mod plan;
mod trace;

#[cfg(feature = "encode")]
pub use encode::{encode, pack};
#[cfg(feature = "plan")]
pub use plan::{Encoded, PlanError, plan};
pub use trace::{Names, write_event, write_number};
