//! GPUs of a run: which unit of the line is which device, the tools that can use one, and what
//! becomes of a device on which something goes wrong.
//!
//! A line mixes places: a picture is loaded on the CPU, looked at on a GPU, and reported on the
//! CPU. So there is one backend in real time, the [host](crate::host), and a tool whose lease has
//! a GPU dispatches to it.

mod bind;
mod classify;
mod conveyor;
mod detect;
mod gpus;
mod health;
mod module;
mod tools;
mod user;

pub use bind::{Bound, bind, is_meant, put_on, units_here};
pub use gpus::{Gpus, UnitGpu};
pub use tools::{runs_on, with_gpus};

pub(crate) use module::{MODULE, faults as module_faults};
pub(crate) use user::{OnlyOnGpus, Raw};
