//! TOML into the tree. With its modules, the one place that knows the TOML parser.
//!
//! `toml_parser` finds the keys and values and gets past faults of syntax; [`builder`] follows its
//! events and [`arena`] holds the tables that grow out of them; [`syntax`] says in words what was
//! wrong. The `toml` crate would do the same on top of the same parser, but gives up at the first
//! line without a `=`, and takes twice as long.

mod arena;
mod builder;
mod syntax;

use std::cell::RefCell;

use toml_parser::parser::parse_document;
use toml_parser::{ParseError, Source};

use self::builder::Builder;
use crate::report::Report;
use crate::tree::Document;

/// Reads TOML, with every fault of syntax that the parser can get past.
pub(crate) fn document(text: &str) -> Document<'_> {
    let source = Source::new(text);
    let faults = RefCell::new(Vec::new());
    let mut builder = Builder::new(source, &faults);
    let tokens = source.lex().into_vec();
    let mut sink = |error: ParseError| faults.borrow_mut().push(syntax::Fault::parser(&error));
    parse_document(&tokens, &mut builder, &mut sink);
    drop(tokens);
    let (root, lost) = builder.finish();
    let mut report = Report::default();
    syntax::describe(text, faults.into_inner(), &mut report);
    Document { root, syntax: report, lost }
}
