//! The tables of a line file with their places, for a form that changes the text.

use lineside_line::tree::{Bytes, Table, Value};
use serde::Serialize;
use serde_json::{Value as Json, json};

use crate::json::{self, Utf16};

#[derive(Serialize)]
struct TablePlace {
    /// `line`, `policy`, `device`, `model`, `stream`, `job`, `fault`.
    name: String,
    /// Which of them, from 0.
    index: usize,
    /// Of its header, or its braces.
    at: [usize; 2],
    entries: Vec<EntryPlace>,
}

#[derive(Serialize)]
struct EntryPlace {
    key: String,
    key_at: [usize; 2],
    at: [usize; 2],
    value: Json,
}

pub(crate) fn json(text: &str) -> String {
    let document = lineside_line::document(text);
    let places = Utf16::new(text);
    let mut tables = Vec::new();
    for entry in &document.root().entries {
        match &entry.node.value {
            Value::Table(table) => tables.push(place(&entry.key, 0, table, &places)),
            Value::List(items) => {
                for (index, item) in items.iter().enumerate() {
                    if let Value::Table(table) = &item.value {
                        tables.push(place(&entry.key, index, table, &places));
                    }
                }
            }
            Value::Text(_) | Value::Integer(_) | Value::Float(_) | Value::Bool(_) | Value::Date => {
            }
        }
    }
    json::text(&tables)
}

fn place(name: &str, index: usize, table: &Table<'_>, places: &Utf16<'_>) -> TablePlace {
    let range = |at: Bytes| [places.at(at.start), places.at(at.end)];
    let entries = table.entries.iter().map(|entry| EntryPlace {
        key: entry.key.to_string(),
        key_at: range(entry.key_at),
        at: range(entry.node.at),
        value: plain(&entry.node.value, 0),
    });
    TablePlace { name: name.to_owned(), index, at: range(table.at), entries: entries.collect() }
}

/// What nests deeper than this no form shows.
const DEPTH_MAX: u32 = 8;

fn plain(value: &Value<'_>, depth: u32) -> Json {
    match value {
        _ if depth > DEPTH_MAX => Json::Null,
        Value::Text(text) => json!(text),
        Value::Integer(number) => number.and_then(|it| i64::try_from(it).ok()).into(),
        Value::Float(number) => json!(number),
        Value::Bool(flag) => json!(flag),
        Value::Date => Json::Null,
        Value::List(items) => items.iter().map(|item| plain(&item.value, depth + 1)).collect(),
        Value::Table(table) => {
            let entry = |entry: &lineside_line::tree::Entry<'_>| {
                (entry.key.to_string(), plain(&entry.node.value, depth + 1))
            };
            Json::Object(table.entries.iter().map(entry).collect())
        }
    }
}
