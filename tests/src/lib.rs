//! Lineside, checked from outside.
//!
//! [`model`] holds the allocation rules a second time, written from `semantics.md` alone: slow,
//! obvious, and independent of the product. [`generate`] makes lines to compare the two on.

pub mod generate;
pub mod model;
