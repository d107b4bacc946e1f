//! The rules in the browser: the text of a line file in, what happens and why out.
//!
//! It is the reader, the core and the simulator of the command, so what it shows is what
//! `lineside plan` says. Numbers go out as typed arrays, everything else as JSON; sentences are
//! made by the page, in the reader's language.

mod columns;
mod json;
mod line_json;
mod outline;
mod plan;
mod problems;
mod replay;
mod why;

use wasm_bindgen::prelude::wasm_bindgen;

pub use crate::columns::{Columns, EVENTS};
pub use crate::plan::{Budget, Plan, plan};

/// The version of the rules' implementation.
#[wasm_bindgen]
pub fn version() -> String {
    env!("CARGO_PKG_VERSION").to_owned()
}

/// The problems of a line file, as JSON: those that `lineside check --json` prints.
///
/// ```
/// assert!(lineside_wasm::check("[policy]\nplacemnt = \"pack\"\n").contains("unknown-key"));
/// ```
#[wasm_bindgen]
pub fn check(text: &str) -> String {
    problems::json(text, &lineside_line::read(text, &lineside_line::NoFiles))
}

/// The tables of a line file with the places of their keys and values, as JSON: what a form needs
/// to change the text without touching the rest of it.
///
/// ```
/// let outline = lineside_wasm::outline("[[job]]\nname = \"a\" # first\n");
/// assert!(outline.contains(r#""key":"name""#));
/// ```
#[wasm_bindgen]
pub fn outline(text: &str) -> String {
    outline::json(text)
}
