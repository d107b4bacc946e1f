//! The line file: TOML in, checked jobs and units out. No I/O of its own.

mod line;

pub use line::*;
