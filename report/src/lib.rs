//! What a plan or a run shows people and other tools. No I/O: a record in, text out.

#![forbid(unsafe_code)]

mod colour;
mod duration;
mod record;
mod summary;
mod svg;
mod text;
mod timeline;
mod words;

pub use duration::duration;
pub use record::{Cause, EndCause, Entry, Record, State, UnitState, What};
pub use summary::{JobState, JobSummary, StuckJob, Summary, UnitSummary, WaitSummary, summary};
pub use svg::gantt_svg;
