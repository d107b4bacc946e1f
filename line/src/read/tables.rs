//! Tables and lists of tables, as forgiving as can be about which of the two was written.

use std::slice;

use crate::fields::{self, Fields, refuse, wrong_type};
use crate::problem::Code;
use crate::report::{Finding, Report};
use crate::tree::{Node, Table, Value};

impl<'d, 't> Fields<'d, 't> {
    /// `[key]`: one table.
    pub(super) fn table(&self, key: &'static str, report: &mut Report) -> Option<&'d Table<'t>> {
        let node = &self.find(key)?.node;
        match &node.value {
            Value::Table(table) => Some(table),
            Value::List(items) => {
                let help = Some(format!("write `[{key}]` once"));
                wrong_type::<()>(node, key, "one table", report, help);
                // What it says is checked all the same.
                match &items.first()?.value {
                    Value::Table(table) => Some(table),
                    _ => None,
                }
            }
            _ => {
                let help = Some(format!("write `[{key}]`, and its keys below it"));
                wrong_type(node, key, "a table", report, help)
            }
        }
    }

    /// `[[key]]`: any number of tables.
    pub(super) fn tables(&self, key: &'static str, report: &mut Report) -> Vec<&'d Table<'t>> {
        let Some(entry) = self.find(key) else {
            return Vec::new();
        };
        let node = &entry.node;
        let help = Some(format!("write `[[{key}]]`, and its keys below it"));
        let items: &[Node<'t>] = match &node.value {
            Value::List(items) => items,
            Value::Table(_) => {
                wrong_type::<()>(node, key, "a list of tables", report, help);
                slice::from_ref(node)
            }
            _ => {
                wrong_type::<()>(node, key, "a list of tables", report, help);
                &[]
            }
        };
        items.iter().filter_map(|item| table(item, key, report)).collect()
    }

    /// `key = [...]`, or the one item without its brackets, which is refused.
    pub(super) fn items(&self, key: &'static str, report: &mut Report) -> &'d [Node<'t>] {
        let Some(entry) = self.find(key) else {
            return &[];
        };
        let node = &entry.node;
        match &node.value {
            Value::List(items) => items,
            Value::Text(text) => {
                let help = Some(format!("write `{key} = [\"{}\"]`", fields::cut(text)));
                wrong_type::<()>(node, key, "a list", report, help);
                slice::from_ref(node)
            }
            Value::Table(_) => {
                let help = Some(format!("write `{key} = [{{ ... }}]`"));
                wrong_type::<()>(node, key, "a list", report, help);
                slice::from_ref(node)
            }
            _ => {
                wrong_type::<()>(node, key, "a list", report, None);
                &[]
            }
        }
    }
}

fn table<'d, 't>(
    node: &'d Node<'t>,
    key: &'static str,
    report: &mut Report,
) -> Option<&'d Table<'t>> {
    match &node.value {
        Value::Table(table) => Some(table),
        other => {
            let kind = other.kind();
            refuse(node, report, || {
                let message = format!("an item of `{key}` is a table, not {kind}");
                Finding::error(Code::WrongType, node.at, message)
                    .help(format!("write `[[{key}]]`, and its keys below it"))
            })
        }
    }
}
