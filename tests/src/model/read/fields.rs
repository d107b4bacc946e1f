//! Tables of the file, field by field, and tables of names.

use std::ops::RangeInclusive;

use toml::{Table, Value};

use super::super::{Fallback, Time};
use super::values;

/// What `fallback` can be, in the policy and in a job.
pub(super) const FALLBACKS: [(&str, Fallback); 2] =
    [("forbid", Fallback::Forbid), ("allow", Fallback::Allow)];

/// A table of the file, of which all keys are known.
pub(super) struct Fields<'a> {
    table: &'a Table,
    /// What the table is called in refusals.
    place: String,
}

impl<'a> Fields<'a> {
    /// Refuses a key that is not known, with the nearest known one.
    pub(super) fn new(
        table: &'a Table,
        place: impl Into<String>,
        known: &[&str],
    ) -> Result<Fields<'a>, String> {
        let place = place.into();
        for key in table.keys() {
            if !known.contains(&key.as_str()) {
                let nearest = known.iter().min_by_key(|other| distance(key, other));
                let nearest = nearest.map_or("", |other| other);
                return Err(format!("{place}: unknown key `{key}`; did you mean `{nearest}`?"));
            }
        }
        Ok(Fields { table, place })
    }

    pub(super) fn refuse<T>(&self, key: &str, expected: &str) -> Result<T, String> {
        Err(format!("{}: `{key}` is not {expected}", self.place))
    }

    pub(super) fn value(&self, key: &str) -> Option<&'a Value> {
        self.table.get(key)
    }

    /// A table within.
    pub(super) fn table(&self, key: &str) -> Result<Option<&'a Table>, String> {
        match self.value(key) {
            None => Ok(None),
            Some(Value::Table(table)) => Ok(Some(table)),
            Some(_) => self.refuse(key, "a table"),
        }
    }

    /// A list of tables within; empty if it is left out.
    pub(super) fn tables(&self, key: &str) -> Result<Vec<&'a Table>, String> {
        let list = match self.value(key) {
            None => return Ok(Vec::new()),
            Some(Value::Array(list)) => list,
            Some(_) => return self.refuse(key, "a list of tables"),
        };
        let tables: Option<Vec<&Table>> = list.iter().map(Value::as_table).collect();
        tables.map_or_else(|| self.refuse(key, "a list of tables"), Ok)
    }

    pub(super) fn text(&self, key: &str) -> Result<Option<&'a str>, String> {
        match self.value(key) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => self.refuse(key, "a string"),
        }
    }

    pub(super) fn name(&self) -> Result<&'a str, String> {
        match self.text("name")? {
            None | Some("") => Err(format!("{}: a `name` is missing", self.place)),
            Some(name) => Ok(name),
        }
    }

    pub(super) fn whole(
        &self,
        key: &str,
        range: RangeInclusive<u64>,
    ) -> Result<Option<u64>, String> {
        let value = match self.value(key) {
            None => return Ok(None),
            Some(Value::Integer(value)) => u64::try_from(*value).ok(),
            Some(_) => None,
        };
        match value.filter(|value| range.contains(value)) {
            Some(value) => Ok(Some(value)),
            None => self.refuse(key, &format!("a whole number in {range:?}")),
        }
    }

    /// Section 1: counts are at least 1.
    pub(super) fn count(&self, key: &str) -> Result<Option<u64>, String> {
        self.whole(key, 1..=u64::from(u32::MAX))
    }

    pub(super) fn choice<T: Copy>(
        &self,
        key: &str,
        choices: &[(&str, T)],
    ) -> Result<Option<T>, String> {
        let Some(text) = self.text(key)? else { return Ok(None) };
        match choices.iter().find(|(name, _)| *name == text) {
            Some((_, choice)) => Ok(Some(*choice)),
            None => {
                let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
                self.refuse(key, &format!("one of {}", names.join(", ")))
            }
        }
    }

    /// A duration of at least `least` nanoseconds.
    pub(super) fn duration(&self, key: &str, least: Time) -> Result<Option<Time>, String> {
        let Some(value) = self.value(key) else { return Ok(None) };
        let duration = self.one_duration(key, value)?;
        match duration >= least {
            true => Ok(Some(duration)),
            false => self.refuse(key, "at least 1ns"),
        }
    }

    /// One duration, or a list of them that is not empty.
    pub(super) fn durations(&self, key: &str) -> Result<Option<Vec<Time>>, String> {
        let list = match self.value(key) {
            None => return Ok(None),
            Some(Value::Array(list)) if list.is_empty() => {
                return self.refuse(key, "a list with anything in it");
            }
            Some(Value::Array(list)) => list.as_slice(),
            Some(one) => std::slice::from_ref(one),
        };
        let list: Result<Vec<Time>, String> =
            list.iter().map(|value| self.one_duration(key, value)).collect();
        list.map(Some)
    }

    fn one_duration(&self, key: &str, value: &Value) -> Result<Time, String> {
        let Value::String(text) = value else { return self.refuse(key, "a duration") };
        values::duration(text).map_err(|refusal| format!("{}: `{key}`: {refusal}", self.place))
    }

    /// Whole bytes, or a string with a unit.
    pub(super) fn memory(&self, key: &str) -> Result<Option<u64>, String> {
        match self.value(key) {
            Some(Value::String(text)) => values::memory(text)
                .map(Some)
                .map_err(|refusal| format!("{}: `{key}`: {refusal}", self.place)),
            Some(_) | None => self.whole(key, 0..=u64::MAX),
        }
    }
}

/// Things with names, which are unique.
pub(super) struct Named<T> {
    /// What they are, for refusals.
    what: &'static str,
    pub(super) names: Vec<String>,
    pub(super) items: Vec<T>,
}

impl<T> Named<T> {
    pub(super) fn new(what: &'static str) -> Named<T> {
        Named { what, names: Vec::new(), items: Vec::new() }
    }

    pub(super) fn add(&mut self, name: &str, item: T) -> Result<(), String> {
        if self.names.iter().any(|other| other == name) {
            return Err(format!("there are two of {} `{name}`", self.what));
        }
        self.names.push(name.to_string());
        self.items.push(item);
        Ok(())
    }

    /// The index of a name that is referred to.
    pub(super) fn find(&self, name: &str) -> Result<usize, String> {
        let found = self.names.iter().position(|other| other == name);
        found.ok_or_else(|| format!("there is no {} `{name}`", self.what))
    }
}

/// How many single letters must be changed, added, or removed to get from one to the other.
fn distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (i, letter) in from.chars().enumerate() {
        let above = row.clone();
        row[0] = i + 1;
        for j in 0..to.len() {
            let changed = above[j] + usize::from(to[j] != letter);
            row[j + 1] = changed.min(above[j + 1] + 1).min(row[j] + 1);
        }
    }
    row[to.len()]
}
