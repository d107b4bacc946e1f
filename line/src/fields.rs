//! Reading the keys of a table: each getter takes a key, checks it, and reports what is wrong.

use std::borrow::Cow;

use crate::near;
use crate::problem::Code;
use crate::quantity::{self, QuantityError};
use crate::report::{Finding, Report};
use crate::tree::{Bytes, Entry, Node, Table, Value};
use crate::vocabulary::{CLOSED, SYNONYMS, Vocabulary};

/// What a key of a table gave.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Given<T> {
    /// The key is not there.
    Absent,
    /// The key is there, or was meant to be, but its value has been refused.
    Bad,
    /// A sound value, and its place.
    Good(T, Bytes),
}

impl<T> Given<T> {
    pub(crate) fn good(&self) -> Option<&T> {
        match self {
            Given::Good(value, _) => Some(value),
            Given::Absent | Given::Bad => None,
        }
    }

    pub(crate) fn at(&self) -> Option<Bytes> {
        match self {
            Given::Good(_, at) => Some(*at),
            Given::Absent | Given::Bad => None,
        }
    }

    pub(crate) fn is_bad(&self) -> bool {
        matches!(self, Given::Bad)
    }

    pub(crate) fn is_absent(&self) -> bool {
        matches!(self, Given::Absent)
    }

    pub(crate) fn map<U>(self, change: impl FnOnce(T) -> U) -> Given<U> {
        match self {
            Given::Good(value, at) => Given::Good(change(value), at),
            Given::Absent => Given::Absent,
            Given::Bad => Given::Bad,
        }
    }
}

impl<T: Clone> Given<T> {
    /// The value, or the default of a key that is not there; none if it has been refused.
    pub(crate) fn or(&self, default: T) -> Option<T> {
        match self {
            Given::Good(value, _) => Some(value.clone()),
            Given::Absent => Some(default),
            Given::Bad => None,
        }
    }
}

/// The keys of one table.
pub(crate) struct Fields<'d, 't> {
    table: &'d Table<'t>,
    vocabulary: &'static Vocabulary,
    /// Unknown keys that were plainly meant as one that is not there.
    slips: Vec<(&'static str, &'d Entry<'t>)>,
}

impl<'d, 't> Fields<'d, 't> {
    /// Keys that the vocabulary does not have are passed over.
    pub(crate) fn lenient(table: &'d Table<'t>, vocabulary: &'static Vocabulary) -> Self {
        Fields { table, vocabulary, slips: Vec::new() }
    }

    /// Keys that the vocabulary does not have are reported.
    pub(crate) fn new(
        table: &'d Table<'t>,
        vocabulary: &'static Vocabulary,
        report: &mut Report,
    ) -> Self {
        let mut fields = Fields::lenient(table, vocabulary);
        if !vocabulary.open {
            for entry in &table.entries {
                if !vocabulary.keys.contains(&entry.key.as_ref()) {
                    fields.unknown(entry, report);
                }
            }
        }
        fields
    }

    /// Where the table stands.
    pub(crate) fn at(&self) -> Bytes {
        self.table.at
    }

    pub(crate) fn find(&self, key: &'static str) -> Option<&'d Entry<'t>> {
        debug_assert!(self.vocabulary.keys.contains(&key), "{key} is not in the vocabulary");
        let found = self.table.entries.iter().find(|entry| entry.key == key);
        found.or_else(|| self.slips.iter().find(|(meant, _)| *meant == key).map(|(_, e)| *e))
    }

    /// Reads a key with `read`, which reports what is wrong.
    pub(crate) fn read<T>(
        &self,
        key: &'static str,
        read: impl FnOnce(&'d Node<'t>) -> Option<T>,
    ) -> Given<T> {
        match self.find(key) {
            Some(entry) => match read(&entry.node) {
                Some(value) => Given::Good(value, entry.node.at),
                None => Given::Bad,
            },
            None if self.table.broken => Given::Bad,
            None => Given::Absent,
        }
    }

    /// A key that must be there.
    pub(crate) fn required<T>(
        &self,
        key: &'static str,
        given: Given<T>,
        report: &mut Report,
    ) -> Given<T> {
        if !given.is_absent() {
            return given;
        }
        let people = self.vocabulary.people;
        report.add(
            Finding::error(Code::MissingKey, self.at(), format!("{people} without `{key}`"))
                .help(format!("write `{key} = ...` below")),
        );
        Given::Bad
    }

    pub(crate) fn text(&self, key: &'static str, report: &mut Report) -> Given<Cow<'t, str>> {
        self.read(key, |node| text(node, key, report))
    }

    /// A name: text that is not empty.
    pub(crate) fn name(&self, report: &mut Report) -> Given<Cow<'t, str>> {
        let name = self.text("name", report);
        let name = self.required("name", name, report);
        match name {
            Given::Good(name, at) if name.is_empty() => {
                report.add(Finding::error(Code::EmptyName, at, "a name has at least a character"));
                Given::Bad
            }
            name => name,
        }
    }

    /// One of some words.
    pub(crate) fn word<T: Copy>(
        &self,
        key: &'static str,
        words: &[(&'static str, T)],
        report: &mut Report,
    ) -> Given<T> {
        self.read(key, |node| {
            let word = text(node, key, report)?;
            if let Some((_, value)) = words.iter().find(|(known, _)| *known == word) {
                return Some(*value);
            }
            refuse(node, report, || {
                let known: Vec<&str> = words.iter().map(|(known, _)| *known).collect();
                let slip = near::slip(&word, known.iter().copied());
                let help = match slip {
                    Some(slip) => format!("write \"{slip}\""),
                    None => format!("write one of \"{}\"", known.join("\", \"")),
                };
                let message = format!("`{key}` cannot be \"{}\"", cut(&word));
                Finding::error(Code::UnknownValue, node.at, message).help(help)
            })
        })
    }

    /// A whole number from `least` to `most`.
    pub(crate) fn number(
        &self,
        key: &'static str,
        least: i64,
        most: i64,
        report: &mut Report,
    ) -> Given<i64> {
        self.read(key, |node| number(node, key, least, most, report))
    }

    /// A whole number from `least`, of 32 bits.
    pub(crate) fn count(&self, key: &'static str, least: u32, report: &mut Report) -> Given<u32> {
        self.number(key, i64::from(least), i64::from(u32::MAX), report)
            .map(|count| u32::try_from(count).unwrap_or(u32::MAX))
    }

    /// A duration of at least `least` nanoseconds.
    pub(crate) fn duration(
        &self,
        key: &'static str,
        least: u64,
        report: &mut Report,
    ) -> Given<u64> {
        self.read(key, |node| duration(node, key, least, report))
    }

    pub(crate) fn memory(&self, key: &'static str, report: &mut Report) -> Given<u64> {
        self.read(key, |node| memory(node, key, report))
    }

    /// A list of texts that is not empty.
    pub(crate) fn texts(&self, key: &'static str, report: &mut Report) -> Given<Vec<Cow<'t, str>>> {
        self.read(key, |node| {
            let items = list(node, key, "a list of texts", report)?;
            let texts: Vec<_> = items.iter().map(|item| text(item, key, report)).collect();
            texts.into_iter().collect()
        })
    }

    /// Reports an unknown key, and remembers what it was meant as.
    fn unknown(&mut self, entry: &'d Entry<'t>, report: &mut Report) {
        let key = entry.key.as_ref();
        let Vocabulary { people, keys, .. } = self.vocabulary;
        let synonym = SYNONYMS.iter().find(|(other, ours)| *other == key && keys.contains(ours));
        let nearest = near::nearest(key, keys.iter().copied());
        let meant = match (synonym, nearest) {
            (Some((_, ours)), _) => Some(*ours),
            (None, Some((nearest, distance))) if near::is_slip(key, distance) => Some(nearest),
            (None, _) => None,
        };
        let belongs = CLOSED.iter().find(|other| other.keys.contains(&key));
        let there = |key: &str| self.table.entries.iter().any(|other| other.key == key);
        let help = match (meant, belongs, nearest) {
            (Some(meant), _, _) if there(meant) => format!("`{meant}` is there already"),
            (Some(meant), _, _) => format!("write `{meant}`"),
            (None, Some(other), Some((nearest, _))) => {
                let place = other.written;
                format!("`{key}` is a key of {place}; the nearest key here is `{nearest}`")
            }
            (None, None, Some((nearest, _))) => {
                format!("the nearest key is `{nearest}`; {people} has `{}`", keys.join("`, `"))
            }
            (None, _, None) => format!("{people} has `{}`", keys.join("`, `")),
        };
        if let Some(meant) = meant.filter(|meant| !there(meant)) {
            self.slips.push((meant, entry));
        }
        let message = format!("{people} has no key `{}`", cut(key));
        report.add(Finding::error(Code::UnknownKey, entry.key_at, message).help(help));
    }
}

/// Reports a finding, unless the value is what a fault of syntax left.
pub(crate) fn refuse<T>(
    node: &Node<'_>,
    report: &mut Report,
    finding: impl FnOnce() -> Finding,
) -> Option<T> {
    if !node.broken {
        report.add(finding());
    }
    None
}

pub(crate) fn wrong_type<T>(
    node: &Node<'_>,
    key: &str,
    wanted: &str,
    report: &mut Report,
    help: Option<String>,
) -> Option<T> {
    refuse(node, report, || {
        let message = format!("`{key}` is {wanted}, not {}", node.value.kind());
        let finding = Finding::error(Code::WrongType, node.at, message);
        match help {
            Some(help) => finding.help(help),
            None => finding,
        }
    })
}

pub(crate) fn text<'t>(node: &Node<'t>, key: &str, report: &mut Report) -> Option<Cow<'t, str>> {
    match &node.value {
        Value::Text(text) => Some(text.clone()),
        Value::Integer(Some(number)) => {
            wrong_type(node, key, "text", report, Some(format!("write \"{number}\"")))
        }
        Value::Integer(None)
        | Value::Float(_)
        | Value::Bool(_)
        | Value::Date
        | Value::List(_)
        | Value::Table(_) => wrong_type(node, key, "text", report, None),
    }
}

/// The items of a list that is not empty.
pub(crate) fn list<'d, 't>(
    node: &'d Node<'t>,
    key: &str,
    wanted: &str,
    report: &mut Report,
) -> Option<&'d [Node<'t>]> {
    match &node.value {
        Value::List(items) if items.is_empty() => refuse(node, report, || {
            Finding::error(Code::EmptyList, node.at, format!("`{key}` is empty"))
                .help("write at least one item, or leave the key out")
        }),
        Value::List(items) => Some(items),
        // The one item alone.
        Value::Text(text) => {
            let help = Some(format!("write `{key} = [\"{}\"]`", cut(text)));
            wrong_type(node, key, wanted, report, help)
        }
        Value::Integer(_) | Value::Float(_) | Value::Bool(_) | Value::Date | Value::Table(_) => {
            wrong_type(node, key, wanted, report, None)
        }
    }
}

pub(crate) fn number(
    node: &Node<'_>,
    key: &str,
    least: i64,
    most: i64,
    report: &mut Report,
) -> Option<i64> {
    match &node.value {
        Value::Integer(number) => {
            let number = number.and_then(|number| i64::try_from(number).ok());
            match number.filter(|number| (least..=most).contains(number)) {
                Some(number) => Some(number),
                None => refuse(node, report, || out_of_range(node, key, least, most)),
            }
        }
        Value::Text(text) => {
            let help = text.parse::<i64>().ok().map(|number| format!("write {number}"));
            wrong_type(node, key, "a whole number", report, help)
        }
        Value::Float(_) | Value::Bool(_) | Value::Date | Value::List(_) | Value::Table(_) => {
            wrong_type(node, key, "a whole number", report, None)
        }
    }
}

fn out_of_range(node: &Node<'_>, key: &str, least: i64, most: i64) -> Finding {
    let below = matches!(node.value, Value::Integer(Some(number)) if number < i128::from(least));
    let message = match (below, most == i64::from(u32::MAX)) {
        (true, true) => format!("`{key}` is at least {least}"),
        (false, true) => format!("`{key}` is at most {most}"),
        (_, false) => format!("`{key}` is from {least} to {most}"),
    };
    let bound = if below { least } else { most };
    Finding::error(Code::OutOfRange, node.at, message).help(format!("write {bound}, for instance"))
}

pub(crate) fn duration(node: &Node<'_>, key: &str, least: u64, report: &mut Report) -> Option<u64> {
    let text = match &node.value {
        Value::Text(text) => text,
        Value::Integer(Some(number)) => {
            let help = format!("write the unit: \"{number}ms\", or whichever it is");
            return wrong_type(node, key, "a duration in quotes", report, Some(help));
        }
        Value::Integer(None)
        | Value::Float(_)
        | Value::Bool(_)
        | Value::Date
        | Value::List(_)
        | Value::Table(_) => {
            let help = Some("write \"10ms\", for instance".into());
            return wrong_type(node, key, "a duration in quotes", report, help);
        }
    };
    match quantity::duration(text) {
        Ok(duration) if duration < least => refuse(node, report, || {
            let least = quantity::write_duration(least);
            Finding::error(Code::OutOfRange, node.at, format!("`{key}` is at least {least}"))
                .help("write a longer one, or leave the key out")
        }),
        Ok(duration) => Some(duration),
        Err(QuantityError::TooLarge) => refuse(node, report, || {
            let message = "a duration is shorter than 2^62 ns, 146 years";
            Finding::error(Code::OutOfRange, node.at, message).help("write a shorter one")
        }),
        Err(QuantityError::Malformed) => refuse(node, report, || {
            let message = format!("\"{}\" is not a duration", cut(text));
            let help = match quantity::meant_duration(text) {
                Some(meant) => format!("write \"{meant}\""),
                None => "write whole numbers with ns, us, ms, s, m or h, without spaces: \
                         \"10ms\", \"1m30s\""
                    .into(),
            };
            Finding::error(Code::BadDuration, node.at, message).help(help)
        }),
    }
}

pub(crate) fn memory(node: &Node<'_>, key: &str, report: &mut Report) -> Option<u64> {
    let too_large = || {
        Finding::error(Code::OutOfRange, node.at, format!("`{key}` is at most 2^64 − 1 bytes"))
            .help("write a smaller amount")
    };
    match &node.value {
        Value::Integer(Some(number)) if *number < 0 => refuse(node, report, || {
            Finding::error(Code::OutOfRange, node.at, format!("`{key}` is at least 0"))
                .help("write 0 or more bytes")
        }),
        Value::Integer(number) => match number.and_then(|number| u64::try_from(number).ok()) {
            Some(bytes) => Some(bytes),
            None => refuse(node, report, too_large),
        },
        Value::Text(text) => match quantity::memory(text) {
            Ok(bytes) => Some(bytes),
            Err(QuantityError::TooLarge) => refuse(node, report, too_large),
            Err(QuantityError::Malformed) => refuse(node, report, || {
                let message = format!("\"{}\" is not an amount of memory", cut(text));
                let help = match quantity::meant_memory(text) {
                    Some(meant) => format!("write \"{meant}\""),
                    None => "write a whole number with B, kB, MB, GB, TB, KiB, MiB, GiB or TiB, \
                             without a space: \"8GiB\""
                        .into(),
                };
                Finding::error(Code::BadMemory, node.at, message).help(help)
            }),
        },
        Value::Float(_) | Value::Bool(_) | Value::Date | Value::List(_) | Value::Table(_) => {
            let help = Some("write \"8GiB\", for instance".into());
            wrong_type(node, key, "an amount of memory", report, help)
        }
    }
}

/// A text of the file as a message quotes it: not too long, and on one line.
pub(crate) fn cut(text: &str) -> String {
    const CHARACTERS_MAX: usize = 40;
    let mut shown: String = text
        .chars()
        .take(CHARACTERS_MAX)
        .map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c })
        .collect();
    if text.chars().nth(CHARACTERS_MAX).is_some() {
        shown.push('…');
    }
    shown
}
