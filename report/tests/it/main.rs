//! What the outputs promise, over the cases of the rules and over lines made for it.

mod advice;
mod graphs;
mod metrics;
mod names;
mod page;
mod perfetto;
mod size;
mod summary;
mod support;
mod svg;
mod terminal;
