//! Random calls against the core and the reference model, side by side.
//!
//! A [`Script`] is units, models and streams, and a list of calls that name jobs and leases by the
//! order in which they came to be; a call for one that never came to be is passed over. So any
//! part of a script is a script, and one that shows a difference can be cut down to the least.

mod make;
mod play;
mod show;
mod shrink;

pub use make::{script, script_of_bytes, tiny_alphabet, tiny_script};
pub use play::{Difference, Left, Played, play};
pub use show::in_words;
pub use shrink::{differs, shrink};

use crate::model::{self, Edge};

/// A machine, and what is said to it.
#[derive(Debug, Clone)]
pub struct Script {
    /// `[policy]`.
    pub policy: model::Policy,
    /// Models.
    pub models: Vec<model::ModelSpec>,
    /// Streams.
    pub streams: Vec<model::StreamSpec>,
    /// Units.
    pub units: Vec<model::UnitSpec>,
    /// Calls, in order.
    pub calls: Vec<Call>,
}

impl Script {
    /// Adds calls, all at one time.
    pub fn say(&mut self, now: u64, what: impl IntoIterator<Item = What>) {
        self.calls.extend(what.into_iter().map(|what| Call { now, what }));
    }
}

/// One call, at a time. Jobs, leases and units by index, whether they are there or not.
#[derive(Debug, Clone)]
pub struct Call {
    /// What the clock says; it may go back.
    pub now: u64,
    /// What is said.
    pub what: What,
}

/// What is said.
#[derive(Debug, Clone)]
#[allow(missing_docs)]
pub enum What {
    Submit(Box<model::JobSpec>, Vec<Edge>),
    Arrive(usize, u64),
    Feed(usize),
    Cancel(usize),
    Finish(usize),
    Fail(usize),
    GivenBack(usize),
    Down(usize),
    Drain(usize),
    Up(usize),
    /// The first lease whose deadline has come.
    Timeout,
    /// One walk.
    Walk,
    /// Walks until nothing can be granted, then one look for circles.
    Circle,
    /// Give back everything that is revoked, in order.
    GiveAllBack,
    /// Forget a job that has ended. Its slot in the core is used again.
    Remove(usize),
}
