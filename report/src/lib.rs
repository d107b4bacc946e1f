//! What a plan or a run shows people and other tools. No I/O: a record in, text out.
//!
//! A [`Record`] says what happened, in the order of the rules; a [`lineside_line::Line`] says what
//! its numbers stand for. Every output is drawn from one reading of the two, so that a chart and a
//! table cannot disagree, and every one of them is linear in the record but for a sort.
//!
//! | for | output |
//! |---|---|
//! | programs | [`summary`], the object of `--json`; [`metrics`] for Prometheus |
//! | people at a terminal | [`terminal`]; [`advice`], what to change |
//! | people with a browser | [`report_html`], one page; [`gantt_svg`], one picture |
//! | other viewers | [`perfetto`], [`mermaid`], [`dot`] |
//!
//! Records that were cut short, or name what isn't there, are read as far as they go: nothing here
//! panics or fails, but for [`mermaid`] where nobody would draw the chart. Names are text in every
//! output, whatever they hold.
//!
//! ```
//! use lineside_report::{Entry, Record, What, summary};
//!
//! let line = lineside_line::Line::default();
//! let mut record = Record::default();
//! record.entries.push(Entry { t: 5, what: What::Ready { job: 0, ticket: 0 } });
//! assert_eq!(summary(&line, &record).makespan_ns, 5);
//! ```

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
pub use record::{CpuUse, Entry, Record, What};
pub use summary::{JobState, JobSummary, StuckJob, Summary, UnitSummary, WaitSummary, summary};
pub use svg::gantt_svg;
pub use terminal::terminal;
