//! Where work runs: a [`Backend`] starts and stops it, a [`Driver`] brings it and the core
//! together, and [`Sim`] is the backend that only pretends, in virtual time.
//!
//! The driver is the same for all of them, so a plan is what the run then does.

#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;
#[cfg(any(test, feature = "host"))]
extern crate std;

mod backend;
#[cfg(feature = "host")]
pub mod devices;
mod driver;
#[cfg(feature = "line")]
mod from_line;
#[cfg(feature = "host")]
pub mod host;
#[cfg(feature = "host")]
pub mod journal;
mod sim;
mod tables;
mod workload;

pub use backend::{Backend, News, Start, Stop};
pub use driver::{Driver, Observer};
pub use sim::Sim;
pub use tables::Tables;
pub use workload::{Class, Happening, Inject, Trouble, WorkEdge, WorkJob, Workload};
