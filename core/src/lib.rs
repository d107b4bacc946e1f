//! The allocation rules of Lineside as a state machine.
//!
//! No allocation, no clock, no I/O, no floats, no recursion, no `unsafe`: the same code decides for
//! eight jobs on a microcontroller, for a million in a simulation, and in a browser, and comes to
//! the same trace byte for byte. [`Scheduler`] is the whole of it; the rules are in
//! `docs/semantics.md`.
//!
//! The tables are lent by the caller ([`Storage`]): arrays with capacities known at compile time
//! ([`Memory`]), or vectors. A full table is an error that changes nothing.

#![no_std]
#![forbid(unsafe_code)]

#[cfg(test)]
extern crate std;

mod circle;
mod error;
mod event;
mod grant;
mod id;
mod job;
mod lane;
mod lease;
mod queue;
mod ready;
mod reason;
mod rows;
mod scheduler;
mod search;
mod settle;
mod shape;
mod slot;
mod spec;
mod storage;
mod unit;
mod verify;

pub use error::{AddError, InputError, Table};
pub use event::{Event, Failure, Outcome, RevokeCause, UnitState};
pub use grant::Choice;
pub use id::{JobId, LeaseId, ModelId, ProfileId, StreamId, UnitId};
pub use reason::{OrderRule, Passed, PlacementRule, Reason, Shortage, Wait};
pub use scheduler::{Scheduler, Units};
pub use slot::{
    EdgeSlot, JobSlot, LaneSlot, LeaseSlot, ModelSlot, ResidencySlot, ShapeSlot, StreamSlot,
    UnitSlot,
};
pub use spec::{
    Edge, Fallback, JobSpec, Kind, Mode, ModelSpec, Nanos, Needs, On, Order, Phase, Place,
    Placement, Policy, Pool, StreamSpec, UnitSpec,
};
pub use storage::{Memory, Storage};
