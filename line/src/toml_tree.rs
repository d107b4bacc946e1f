//! TOML into the tree. The one module that knows the `toml` crate.

mod syntax;

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeArray, DeInteger, DeString, DeTable, DeValue};

use self::syntax::Damage;
use crate::report::Report;
use crate::tree::{Bytes, Document, Entry, Node, Table, Value};

/// Reads TOML, with every fault of syntax that the parser can get past.
pub(crate) fn document(text: &str) -> Document<'_> {
    let (root, errors) = DeTable::parse_recoverable(text);
    let mut report = Report::default();
    let mut damage = Damage::new(text, &errors);
    if !damage.is_empty() {
        survey(text, root.get_ref(), &mut damage);
        damage.settle(text);
        damage.describe(text, &mut report);
    }
    let lost = damage.lost;
    Document { root: convert(text, root.into_inner(), &damage), syntax: report, lost }
}

/// Shows each value to the damage assessment, which only sees places.
fn survey(text: &str, root: &DeTable<'_>, damage: &mut Damage) {
    let mut pending: Vec<&Spanned<DeValue<'_>>> = root.values().collect();
    while let Some(node) = pending.pop() {
        let at = bytes(node.span());
        match node.get_ref() {
            DeValue::Array(items) => {
                damage.container(at);
                pending.extend(items.iter());
            }
            DeValue::Table(table) => {
                if is_header(text, at) {
                    damage.header(at);
                } else {
                    damage.container(at);
                }
                pending.extend(table.values());
            }
            DeValue::String(_)
            | DeValue::Integer(_)
            | DeValue::Float(_)
            | DeValue::Boolean(_)
            | DeValue::Datetime(_) => damage.leaf(at),
        }
    }
}

fn is_header(text: &str, at: Bytes) -> bool {
    text.as_bytes().get(at.start as usize) == Some(&b'[')
}

/// A table or list whose children are still being converted.
struct Frame<'t> {
    /// The key that it stands under, unless it is an item of a list.
    key: Option<Spanned<DeString<'t>>>,
    at: Bytes,
    children: Children<'t>,
}

enum Children<'t> {
    Table { left: <DeTable<'t> as IntoIterator>::IntoIter, done: Vec<Entry<'t>> },
    List { left: <DeArray<'t> as IntoIterator>::IntoIter, done: Vec<Node<'t>> },
}

type Child<'t> = (Option<Spanned<DeString<'t>>>, Spanned<DeValue<'t>>);

impl<'t> Frame<'t> {
    fn table(key: Option<Spanned<DeString<'t>>>, at: Bytes, table: DeTable<'t>) -> Self {
        let done = Vec::with_capacity(table.len());
        Frame { key, at, children: Children::Table { left: table.into_iter(), done } }
    }

    fn list(key: Option<Spanned<DeString<'t>>>, at: Bytes, list: DeArray<'t>) -> Self {
        let done = Vec::with_capacity(list.len());
        Frame { key, at, children: Children::List { left: list.into_iter(), done } }
    }

    fn next(&mut self) -> Option<Child<'t>> {
        match &mut self.children {
            Children::Table { left, .. } => left.next().map(|(key, value)| (Some(key), value)),
            Children::List { left, .. } => left.next().map(|value| (None, value)),
        }
    }

    fn take(&mut self, key: Option<Spanned<DeString<'t>>>, node: Node<'t>) {
        match &mut self.children {
            Children::Table { done, .. } => {
                // The children of a table come with their keys.
                if let Some(key) = key {
                    let key_at = bytes(key.span());
                    done.push(Entry { key: key.into_inner(), key_at, node });
                }
            }
            Children::List { done, .. } => done.push(node),
        }
    }

    fn finish(self, text: &str, damage: &Damage) -> (Option<Spanned<DeString<'t>>>, Node<'t>) {
        let Frame { key, at, children } = self;
        let value = match children {
            Children::Table { mut done, .. } => {
                // The parser sorts them by key.
                done.sort_by_key(|entry| entry.key_at);
                let broken =
                    if is_header(text, at) { damage.has_header(at) } else { damage.touches(at) };
                Value::Table(Table { entries: done, at, broken })
            }
            Children::List { done, .. } => Value::List(done),
        };
        let broken = !is_header(text, at) && damage.touches(at);
        (key, Node { value, at, broken })
    }
}

/// Converts without recursion: the nesting of the text is not the depth of our stack.
fn convert<'t>(text: &str, root: DeTable<'t>, damage: &Damage) -> Table<'t> {
    let mut open = Frame::table(None, Bytes::default(), root);
    let mut outer: Vec<Frame<'t>> = Vec::new();
    loop {
        match open.next() {
            Some((key, value)) => {
                let at = bytes(value.span());
                match value.into_inner() {
                    DeValue::Table(table) => {
                        outer.push(std::mem::replace(&mut open, Frame::table(key, at, table)));
                    }
                    DeValue::Array(list) => {
                        outer.push(std::mem::replace(&mut open, Frame::list(key, at, list)));
                    }
                    scalar => {
                        let node = Node { value: leaf(scalar), at, broken: damage.touches(at) };
                        open.take(key, node);
                    }
                }
            }
            None => match outer.pop() {
                Some(parent) => {
                    let finished = std::mem::replace(&mut open, parent);
                    let (key, node) = finished.finish(text, damage);
                    open.take(key, node);
                }
                None => return finish_root(open, damage),
            },
        }
    }
}

fn finish_root<'t>(frame: Frame<'t>, damage: &Damage) -> Table<'t> {
    let mut entries = match frame.children {
        Children::Table { done, .. } => done,
        Children::List { .. } => Vec::new(),
    };
    entries.sort_by_key(|entry| entry.key_at);
    Table { entries, at: Bytes::default(), broken: damage.root }
}

fn leaf(value: DeValue<'_>) -> Value<'_> {
    match value {
        DeValue::String(text) => Value::Text(text),
        DeValue::Integer(integer) => Value::Integer(whole(&integer)),
        DeValue::Float(float) => Value::Float(float.as_str().parse().unwrap_or(f64::NAN)),
        DeValue::Boolean(flag) => Value::Bool(flag),
        DeValue::Datetime(_) => Value::Date,
        // `convert` opens a frame for these.
        DeValue::Array(_) => Value::List(Vec::new()),
        DeValue::Table(_) => Value::Table(Table::default()),
    }
}

fn whole(integer: &DeInteger<'_>) -> Option<i128> {
    i128::from_str_radix(integer.as_str(), integer.radix()).ok()
}

fn bytes(range: Range<usize>) -> Bytes {
    Bytes::new(range.start, range.end)
}
