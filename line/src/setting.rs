//! What a `kernel` is given besides its name.

use std::collections::BTreeMap;

/// A setting of a tool.
#[derive(Debug, Clone, PartialEq)]
pub enum Setting {
    /// `true` or `false`.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A number with a fraction.
    Float(f64),
    /// Text.
    Text(String),
    /// A list; only in a kernel with a `module`.
    List(Vec<Setting>),
    /// A table; only in a kernel with a `module`.
    Table(BTreeMap<String, Setting>),
}

impl Setting {
    /// Every text in it.
    pub fn texts(&self) -> Vec<&str> {
        let (mut texts, mut open) = (Vec::new(), vec![self]);
        while let Some(setting) = open.pop() {
            match setting {
                Setting::Text(text) => texts.push(text.as_str()),
                Setting::List(items) => open.extend(items.iter().rev()),
                Setting::Table(table) => open.extend(table.values().rev()),
                Setting::Bool(_) | Setting::Int(_) | Setting::Float(_) => {}
            }
        }
        texts
    }
}
