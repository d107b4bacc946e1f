//! What a plan or a run shows people and other tools. No I/O: a record in, text out.

#![forbid(unsafe_code)]

mod advice;
mod colour;
mod dot;
mod duration;
mod html;
mod mermaid;
mod metrics;
mod perfetto;
mod record;
mod summary;
mod svg;
mod terminal;
mod text;
mod timeline;
mod words;

pub use advice::{Advice, AdviceCode, advice};
pub use dot::dot;
pub use duration::duration;
pub use html::report_html;
pub use mermaid::{TooLarge, mermaid};
pub use metrics::metrics;
pub use perfetto::perfetto;
pub use record::{Cause, EndCause, Entry, Record, State, UnitState, What};
pub use summary::{JobState, JobSummary, StuckJob, Summary, UnitSummary, WaitSummary, summary};
pub use svg::gantt_svg;
pub use terminal::terminal;
