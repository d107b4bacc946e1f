//! What a plan or a run shows people and other tools. No I/O: a record in, text out.

#![forbid(unsafe_code)]

mod record;

pub use record::{Cause, EndCause, Entry, Record, State, UnitState, What};
