//! Cuts a line file down to the least that still shows something.

use toml::{Table, Value};

/// So many files are tried at most.
const TRIES_MAX: u32 = 4_000;

/// The tables of a file, in the order in which they are written.
const KINDS: [&str; 5] = ["device", "model", "stream", "job", "fault"];

/// Drops tables, keys and entries of lists, and makes numbers and times smaller, as long as the
/// file still shows what it is to show.
///
/// ```
/// use lineside_tests::shrink::shrink;
///
/// let text = "[[job]]\nname = \"a\"\n[[job]]\nname = \"b\"\nimages = 8\nafter = [\"a\"]\n";
/// let least = shrink(text, |text| text.contains("images") && text.contains("\"b\""));
/// assert_eq!(least, "[[job]]\nname = \"b\"\nimages = 0\n");
/// ```
pub fn shrink(text: &str, shows: impl Fn(&str) -> bool) -> String {
    let Ok(file) = text.parse::<Table>() else { return text.to_owned() };
    if !shows(&write(&file)) {
        return text.to_owned();
    }
    let mut cutter = Cutter { file, tries: 0, shows };
    while cutter.pass() && cutter.tries < TRIES_MAX {}
    write(&cutter.file)
}

struct Cutter<S> {
    file: Table,
    tries: u32,
    shows: S,
}

impl<S: Fn(&str) -> bool> Cutter<S> {
    /// Tries every cut once; whether one was made.
    fn pass(&mut self) -> bool {
        let mut cut = false;
        // From the end: what comes later is most often not needed by what comes before.
        for kind in KINDS.iter().rev() {
            let mut at = count(&self.file, kind);
            while at > 0 {
                at -= 1;
                cut |= self.attempt(|file| drop_table(file, kind, at));
            }
        }
        for place in places(&self.file) {
            cut |= self.cut_table(&place);
        }
        cut
    }

    /// Keeps what the change makes of the file, if that still shows it.
    fn attempt(&mut self, change: impl FnOnce(&mut Table)) -> bool {
        let mut smaller = self.file.clone();
        change(&mut smaller);
        if self.tries >= TRIES_MAX || smaller == self.file {
            return false;
        }
        self.tries += 1;
        let shows = (self.shows)(&write(&smaller));
        if shows {
            self.file = smaller;
        }
        shows
    }

    fn cut_table(&mut self, place: &Place) -> bool {
        let mut cut = false;
        let Some(keys) = place.of(&mut self.file).map(|table| keys(table)) else { return false };
        for key in keys {
            let dropped = self.attempt(|file| {
                place.of(file).map(|table| table.remove(&key));
            });
            cut |= dropped || self.cut_value(place, &key);
        }
        cut
    }

    /// Tries to make do with less in one value: the smallest first.
    fn cut_value(&mut self, place: &Place, key: &str) -> bool {
        let value = place.of(&mut self.file).and_then(|table| table.get(key).cloned());
        let smaller = value.map_or(Vec::new(), |value| smaller_values(&value));
        let mut cut = false;
        for value in smaller {
            cut |= self.attempt(|file| {
                place.of(file).map(|table| table.insert(key.to_owned(), value));
            });
            if cut {
                break;
            }
        }
        cut
    }
}

/// A table of the file: `[policy]`, or the so many-th of a kind.
#[derive(Debug, Clone)]
enum Place {
    Policy,
    Listed(&'static str, usize),
}

impl Place {
    fn of<'f>(&self, file: &'f mut Table) -> Option<&'f mut Table> {
        match self {
            Place::Policy => file.get_mut("policy")?.as_table_mut(),
            Place::Listed(kind, at) => {
                file.get_mut(*kind)?.as_array_mut()?.get_mut(*at)?.as_table_mut()
            }
        }
    }
}

fn places(file: &Table) -> Vec<Place> {
    let listed = KINDS.iter().flat_map(|&kind| {
        let count = count(file, kind);
        (0..count).map(move |at| Place::Listed(kind, at))
    });
    std::iter::once(Place::Policy).chain(listed).collect()
}

fn count(file: &Table, kind: &str) -> usize {
    file.get(kind).and_then(Value::as_array).map_or(0, Vec::len)
}

fn keys(table: &Table) -> Vec<String> {
    table.keys().filter(|key| *key != "name").cloned().collect()
}

/// Drops a table, and what refers to it.
fn drop_table(file: &mut Table, kind: &str, at: usize) {
    let Some(tables) = file.get_mut(kind).and_then(Value::as_array_mut) else { return };
    let dropped = tables.remove(at);
    if tables.is_empty() {
        file.remove(kind);
    }
    let Some(name) = dropped.get("name").and_then(Value::as_str) else { return };
    for other in ["job", "fault"] {
        let tables = file.get_mut(other).and_then(Value::as_array_mut);
        let tables = tables.into_iter().flatten().filter_map(Value::as_table_mut);
        tables.for_each(|table| forget(table, kind, name));
    }
    if let Some(faults) = file.get_mut("fault").and_then(Value::as_array_mut) {
        faults.retain(|fault| fault.get("unit").or(fault.get("job")).is_some());
    }
}

/// Takes a name out of a table that may refer to it.
fn forget(table: &mut Table, kind: &str, name: &str) {
    let key = if kind == "device" { "unit" } else { kind };
    let slice = format!("{name}/");
    let is_named = |value: &Value| {
        value.as_str().is_some_and(|text| text == name || key == "unit" && text.starts_with(&slice))
    };
    if table.get(key).is_some_and(is_named) {
        table.remove(key);
    }
    let after = if kind == "job" { table.get_mut("after") } else { None };
    if let Some(edges) = after.and_then(Value::as_array_mut) {
        edges
            .retain(|edge| edge.as_str().or(edge.get("job").and_then(Value::as_str)) != Some(name));
    }
}

/// Values that say less than this one, the least first.
fn smaller_values(value: &Value) -> Vec<Value> {
    match value {
        Value::Integer(number) => {
            let mut numbers = vec![0, 1, number / 2, number - 1];
            numbers.retain(|smaller| (0..*number).contains(smaller));
            numbers.into_iter().map(Value::Integer).collect()
        }
        Value::String(text) => smaller_times(text).into_iter().map(Value::String).collect(),
        Value::Array(list) => smaller_lists(list).into_iter().map(Value::Array).collect(),
        Value::Table(table) => smaller_tables(table).into_iter().map(Value::Table).collect(),
        Value::Float(_) | Value::Boolean(_) | Value::Datetime(_) => Vec::new(),
    }
}

/// Shorter times than a time in plain milliseconds; a plainer way to write others.
fn smaller_times(text: &str) -> Vec<String> {
    let Some(number) = text.strip_suffix("ms") else {
        return if text.ends_with("us") { vec!["1ms".to_owned()] } else { Vec::new() };
    };
    let number: u64 = number.parse().unwrap_or(u64::MAX);
    let numbers = [0, 1, number / 2, number.saturating_sub(1)];
    let smaller = numbers.into_iter().filter(|&smaller| smaller < number);
    smaller.map(|number| format!("{number}ms")).collect()
}

fn smaller_lists(list: &[Value]) -> Vec<Vec<Value>> {
    let mut lists = Vec::new();
    for at in (0..list.len()).rev() {
        let mut shorter = list.to_vec();
        shorter.remove(at);
        lists.push(shorter);
    }
    for at in 0..list.len() {
        for smaller in smaller_values(&list[at]) {
            let mut list = list.to_vec();
            list[at] = smaller;
            lists.push(list);
        }
    }
    lists
}

fn smaller_tables(table: &Table) -> Vec<Table> {
    let mut tables = Vec::new();
    for (key, value) in table {
        let mut smaller = table.clone();
        smaller.remove(key);
        tables.push(smaller);
        for value in smaller_values(value) {
            let mut smaller = table.clone();
            smaller.insert(key.clone(), value);
            tables.push(smaller);
        }
    }
    tables
}

/// A file as text, a key a line, `name` first.
pub fn write(file: &Table) -> String {
    let mut text = String::new();
    if let Some(policy) = file.get("policy").and_then(Value::as_table).filter(|it| !it.is_empty()) {
        text += "[policy]\n";
        write_table(&mut text, policy);
    }
    for kind in KINDS {
        for table in file.get(kind).and_then(Value::as_array).into_iter().flatten() {
            text += &format!("[[{kind}]]\n");
            table.as_table().into_iter().for_each(|table| write_table(&mut text, table));
        }
    }
    text
}

fn write_table(text: &mut String, table: &Table) {
    let name = table.get_key_value("name");
    let others = table.iter().filter(|(key, _)| *key != "name");
    for (key, value) in name.into_iter().chain(others) {
        *text += &format!("{key} = {value}\n");
    }
}
