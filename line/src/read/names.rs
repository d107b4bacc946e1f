//! Names, each unique in its own table.

use std::borrow::Cow;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

use crate::fields::{Given, cut};
use crate::near;
use crate::problem::Code;
use crate::report::{Finding, Report};
use crate::tree::Bytes;

/// The names of one kind of thing.
pub(crate) struct Names<'t> {
    /// For people: `job`.
    kind: &'static str,
    /// The thing of each name and where it is named; the first of equals.
    things: HashMap<Cow<'t, str>, (u32, Bytes)>,
    /// In file order, for suggestions that do not depend on hashing.
    ordered: Vec<Cow<'t, str>>,
}

impl<'t> Names<'t> {
    /// For about so many names.
    pub(crate) fn new(kind: &'static str, count: usize) -> Self {
        Names { kind, things: HashMap::with_capacity(count), ordered: Vec::with_capacity(count) }
    }

    /// Takes the name of thing `index`; a second of that name is refused.
    pub(crate) fn add(&mut self, name: &Given<Cow<'t, str>>, index: usize, report: &mut Report) {
        let Given::Good(name, at) = name else {
            return;
        };
        match self.things.entry(name.clone()) {
            Entry::Vacant(free) => {
                free.insert((index as u32, *at));
                self.ordered.push(name.clone());
            }
            Entry::Occupied(taken) => {
                let message = format!("another {} named `{}`", self.kind, cut(name));
                report.add(
                    Finding::error(Code::DuplicateName, *at, message)
                        .related(taken.get().1, "the first one")
                        .help("give it a name of its own"),
                );
            }
        }
    }

    /// The thing of that name.
    pub(crate) fn find(&self, name: &str) -> Option<u32> {
        self.things.get(name).map(|(index, _)| *index)
    }

    /// Where a thing is named.
    pub(crate) fn place(&self, name: &str) -> Option<Bytes> {
        self.things.get(name).map(|(_, at)| *at)
    }

    /// What to write instead of a name that is not here.
    pub(crate) fn help(&self, name: &str, report: &mut Report) -> String {
        let kind = self.kind;
        if self.ordered.is_empty() {
            return format!("there is no {kind}: write `[[{kind}]]` and a name for it");
        }
        // Looking through all names for each of many unknown ones would be quadratic.
        let compared = report.may_compare(self.ordered.len());
        let ordered = self.ordered.iter().map(|name| name.as_ref());
        match compared.then(|| near::slip(name, ordered.clone())).flatten() {
            Some(meant) => format!("did you mean \"{}\"?", cut(meant)),
            None if self.ordered.len() <= 5 => {
                let all: Vec<_> = ordered.map(cut).collect();
                format!("write one of \"{}\"", all.join("\", \""))
            }
            None => format!("write the name of one of the {} {kind}s", self.ordered.len()),
        }
    }
}
