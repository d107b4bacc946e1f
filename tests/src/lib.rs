//! Lineside, checked from outside.
//!
//! [`model`] holds the allocation rules a second time, written from `docs/semantics.md` alone:
//! slow, obvious, and independent of the product. [`generate`] makes lines to compare the two on,
//! [`calls`] makes calls, and [`bridge`] translates. [`plan()`](plan::plan) is the product's side.

pub mod bridge;
pub mod calls;
pub mod compare;
pub mod fuzz;
pub mod generate;
pub mod liveness;
pub mod model;
pub mod plan;
pub mod scene;
pub mod seeds;
pub mod shrink;
pub mod tally;
