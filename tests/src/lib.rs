//! Lineside, checked from outside.
//!
//! [`model`] holds the allocation rules a second time, written from `semantics.md` alone: slow,
//! obvious, and independent of the product.

pub mod bridge;
pub mod calls;
pub mod generate;
pub mod model;
