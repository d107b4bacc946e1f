//! The line file of Lineside: TOML in, checked jobs and units out.
//!
//! [`read`] takes the text of a line file and gives a [`Checked`] line, or every fault of the file
//! at once, each with its place and what to write instead. It does no I/O: what a line file refers
//! to outside of itself comes through [`Surroundings`].
//!
//! - [`mod@line`]: what a checked line says.
//! - [`render`]: problems as people read them in a terminal.
//! - [`trace`]: the trace of a plan or a run, written and read back.
//! - `bundle`, a feature: a line and all that it needs, in one file.
//! - [`mig`]: which slices a GPU can be cut into.
//! - [`quantity`]: durations and amounts of memory.
//! - [`tree`]: for those who bring their own parser.

#![forbid(unsafe_code)]

#[cfg(feature = "bundle")]
pub mod bundle;
mod circles;
mod drain;
mod fields;
mod fit;
mod graph;
pub mod line;
pub mod mig;
mod near;
mod problem;
mod program;
pub mod quantity;
mod read;
mod render;
mod report;
mod span;
#[cfg(feature = "toml")]
mod toml_tree;
pub mod trace;
pub mod tree;
mod vocabulary;
mod warnings;

pub use crate::line::*;
pub use crate::problem::{Code, Problem, Related, Severity};
pub use crate::program::{Part, Program, Template};
pub use crate::read::{Checked, DeviceHere, KernelFault, NoFiles, Surroundings, check};
#[cfg(feature = "toml")]
pub use crate::read::{read, read_bytes};
pub use crate::render::{Look, render};
pub use crate::span::Span;
#[cfg(feature = "toml")]
pub use crate::toml_tree::document;
