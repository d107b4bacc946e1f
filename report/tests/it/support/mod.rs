//! Lines and records for the tests: the cases of the rules, hand-made ones, and very large ones.

#![allow(dead_code, unused_imports, unreachable_pub)]

mod cases;
mod made;

pub use cases::{CASES, case, cases};
pub use made::{EVIL, Script, chinese, crowd, evil, job, line, slower, unit};
