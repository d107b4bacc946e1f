//! Lines and records for the tests: the cases of the rules, hand-made ones, and very large ones.

#![allow(dead_code)]

mod cases;
mod made;

pub use cases::{CASES, case, cases};
pub use made::{Script, crowd, job, line, unit};
