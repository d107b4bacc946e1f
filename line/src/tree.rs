//! The document as a tree with places: what a parser hands over, and all that the checks see.
//!
//! TOML is read into it by this crate (feature `toml`). Another parser can build the same tree and
//! call [`check`](crate::check).

use std::borrow::Cow;

use crate::report::{Finding, Report};
pub use crate::span::Bytes;

/// A document: its root table, and what was wrong with its syntax.
///
/// ```
/// use lineside_line::tree::{Bytes, Document, Entry, Node, Table, Value};
/// use lineside_line::{Code, NoFiles, check};
///
/// // What a parser would make of `jobs = 1`.
/// let entry = Entry {
///     key: "jobs".into(),
///     key_at: Bytes::new(0, 4),
///     node: Node::new(Value::Integer(Some(1)), Bytes::new(7, 8)),
/// };
/// let document = Document::new(Table::new(vec![entry], Bytes::new(0, 0)));
/// let problems = check(document, "jobs = 1", &NoFiles).unwrap_err();
/// assert_eq!(problems[0].code, Code::UnknownKey);
/// ```
#[derive(Debug)]
pub struct Document<'t> {
    pub(crate) root: Table<'t>,
    pub(crate) syntax: Report,
    /// Tables or values were lost to a fault of syntax: what is not there may well be meant.
    pub(crate) lost: bool,
}

impl<'t> Document<'t> {
    /// A document without faults of syntax.
    pub fn new(root: Table<'t>) -> Self {
        Document { root, syntax: Report::default(), lost: false }
    }

    /// Its root table, as far as it could be read.
    pub fn root(&self) -> &Table<'t> {
        &self.root
    }

    /// Adds a fault of syntax, after which parts of the text may not be in the tree: nothing is
    /// then blamed for naming what is not there.
    pub fn fault(&mut self, at: Bytes, message: &str) {
        self.syntax.add(Finding::error(crate::Code::Syntax, at, message));
        self.lost = true;
    }
}

/// A value and its place.
#[derive(Debug, Clone)]
pub struct Node<'t> {
    /// The value.
    pub value: Value<'t>,
    /// Where it stands: quotes and brackets included; of a `[table]` its header.
    pub at: Bytes,
    /// The value is a guess at what a fault of syntax left: it is not blamed again.
    pub broken: bool,
}

impl<'t> Node<'t> {
    /// A value that is sound.
    pub fn new(value: Value<'t>, at: Bytes) -> Self {
        Node { value, at, broken: false }
    }
}

/// A value of a document.
#[derive(Debug, Clone)]
pub enum Value<'t> {
    /// Text.
    Text(Cow<'t, str>),
    /// A whole number; none if it has more digits than any key takes.
    Integer(Option<i128>),
    /// A number with a fraction or an exponent.
    Float(f64),
    /// `true` or `false`.
    Bool(bool),
    /// A date or time.
    Date,
    /// A list.
    List(Vec<Node<'t>>),
    /// A table.
    Table(Table<'t>),
}

impl Value<'_> {
    /// What it is, for people.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Value::Text(_) => "text",
            Value::Integer(_) => "a whole number",
            Value::Float(_) => "a number with a fraction",
            Value::Bool(_) => "true or false",
            Value::Date => "a date",
            Value::List(_) => "a list",
            Value::Table(_) => "a table",
        }
    }
}

/// A table: its entries in file order.
#[derive(Debug, Clone, Default)]
pub struct Table<'t> {
    /// The entries; each key once.
    pub entries: Vec<Entry<'t>>,
    /// Where it stands: the header, or the braces.
    pub at: Bytes,
    /// Entries were lost to a fault of syntax: a key that is not there may well be meant.
    pub broken: bool,
}

impl<'t> Table<'t> {
    /// A table that is sound.
    pub fn new(entries: Vec<Entry<'t>>, at: Bytes) -> Self {
        Table { entries, at, broken: false }
    }
}

/// One key of a table, with its value.
#[derive(Debug, Clone)]
pub struct Entry<'t> {
    /// The key.
    pub key: Cow<'t, str>,
    /// Where the key stands.
    pub key_at: Bytes,
    /// Its value.
    pub node: Node<'t>,
}
