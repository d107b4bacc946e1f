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

/// Reads TOML into a tree with places, with every fault of syntax that the parser can get past.
///
/// ```
/// let document = lineside_line::document("[[job]]\nname = \"a\"\n");
/// assert_eq!(document.root().entries[0].key, "job");
/// ```
pub fn document(text: &str) -> Document<'_> {
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

#[cfg(test)]
mod tests {
    use toml::Spanned;
    use toml::de::{DeTable, DeValue};

    use super::document;
    use crate::tree::{Bytes, Table, Value};

    /// Every value with its path and place, by key.
    fn ours(path: &str, table: &Table<'_>, lines: &mut Vec<String>) {
        let mut entries: Vec<_> = table.entries.iter().collect();
        entries.sort_by(|one, other| one.key.cmp(&other.key));
        for entry in entries {
            let path = format!("{path}.{:?}@{:?}", entry.key, entry.key_at.range());
            our_value(&path, &entry.node.value, entry.node.at, lines);
        }
    }

    fn our_value(path: &str, value: &Value<'_>, at: Bytes, lines: &mut Vec<String>) {
        let mut line = |value: String| lines.push(format!("{path} = {value} at {:?}", at.range()));
        match value {
            Value::Text(text) => line(format!("{text:?}")),
            Value::Integer(number) => line(format!("{number:?}")),
            Value::Float(number) => line(format!("{number:?}")),
            Value::Bool(flag) => line(flag.to_string()),
            Value::Date => line("date".into()),
            Value::List(items) => {
                line(format!("list of {}", items.len()));
                for item in items {
                    our_value(&format!("{path}[]"), &item.value, item.at, lines);
                }
            }
            Value::Table(table) => {
                line("table".into());
                ours(path, table, lines);
            }
        }
    }

    fn theirs(path: &str, table: &DeTable<'_>, lines: &mut Vec<String>) {
        for (key, value) in table {
            their_value(&format!("{path}.{:?}@{:?}", key.get_ref(), key.span()), value, lines);
        }
    }

    fn their_value(path: &str, node: &Spanned<DeValue<'_>>, lines: &mut Vec<String>) {
        let at = node.span();
        let mut line = |value: String| lines.push(format!("{path} = {value} at {at:?}"));
        match node.get_ref() {
            DeValue::String(text) => line(format!("{text:?}")),
            DeValue::Integer(number) => {
                let number = i128::from_str_radix(number.as_str(), number.radix()).ok();
                line(format!("{number:?}"));
            }
            DeValue::Float(number) => {
                line(format!("{:?}", number.as_str().parse::<f64>().unwrap()))
            }
            DeValue::Boolean(flag) => line(flag.to_string()),
            DeValue::Datetime(_) => line("date".into()),
            DeValue::Array(items) => {
                line(format!("list of {}", items.len()));
                for item in items {
                    their_value(&format!("{path}[]"), item, lines);
                }
            }
            DeValue::Table(table) => {
                line("table".into());
                theirs(path, table, lines);
            }
        }
    }

    #[test]
    fn the_tree_is_what_the_toml_crate_makes_of_it() {
        let texts = [
            "",
            "a = 1\nb.c = -2\nb.d = 0x1F\nb.'e f'.g = 1_000\n\"h\\n\" = 0b1\n",
            "a = [1, [2, 'x'], { b = 3, c.d = \"\\u00e9\" }, []]\nb = {}\n",
            "[a]\nx = 1\n[a.b]\ny = 2\n[c.d.e]\nz = 3\n[c]\nw = 4\n[c.d]\nv = 5\n",
            "[[a]]\nx = 1\n[[a]]\n[a.b]\ny = 2\n[[a.c]]\n[[a.c]]\nz = 3\n[d]\n",
            "[a.b]\nx = 1\n[[a.c]]\ny = 2\n[a]\nz.q = 3\nz.r = 4\n",
            "f = 1.5\ng = 6.02e23\nh = inf\ni = -nan\nj = true\nk = false\n",
            "d = 2026-11-30\nt = 07:32:00\n",
            "s = \"\"\"\na \\\n   b\"\"\"\nt = '''\n'x''''\nu = 'C:\\x'\n",
            "\u{feff}a = 1 # x\r\n[b] # y\r\nc = [ # z\r\n  1, # w\r\n]\r\n",
            "a = {\n b = 1,\n}\n",
        ];
        for text in texts {
            let document = document(text);
            assert!(!document.syntax.has_errors(), "{text}");
            let (mut our_lines, mut their_lines) = (Vec::new(), Vec::new());
            ours("", &document.root, &mut our_lines);
            theirs("", DeTable::parse(text).unwrap().get_ref(), &mut their_lines);
            assert_eq!(our_lines, their_lines, "{text}");
        }
    }

    #[test]
    fn what_toml_forbids_is_refused() {
        let texts = [
            "a.b = 1\n[a]\n",
            "[a]\nb.c = 1\n[a.b]\n",
            "a = 1\na.b = 2\n",
            "a = { b = 1 }\na.c = 2\n",
            "a = { b = 1 }\n[a.c]\n",
            "a = []\n[[a]]\n",
            "[[a]]\n[a]\n",
            "[a]\n[[a]]\n",
            "[a.b]\n[a]\nb.c = 1\n",
            "a = { b = 1, b = 2 }\n",
            "a = { b.c = 1, b = 2 }\n",
            "[a.b.c]\nz = 1\n[a]\nb.c.t = 2\n",
            "a = 1 b = 2\n",
            "[a] b = 1\n",
            "[]\n",
            "[a.]\n",
            "= 1\n",
            "a = 01\n",
            "a = 1__0\n",
            "a = .5\n",
            "a = \"\\x\"\n",
            "a = \"x\ny\"\n",
            "a = {,}\n",
            "a = [,]\n",
            "a = \"\u{1}\"\n",
            "# \u{1}\n",
            "a = 1\rb = 2\n",
            "\"\"\"a\"\"\" = 1\n",
        ];
        for text in texts {
            assert!(DeTable::parse(text).is_err(), "{text}");
            assert!(document(text).syntax.has_errors(), "{text}");
        }
    }
}
