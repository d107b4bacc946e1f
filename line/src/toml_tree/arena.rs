//! Tables and lists while they grow: numbered, so that any of them can be found again.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::tree::{Bytes, Entry, Node, Table, Value};

/// Entries of a table from which on it is worth an index.
const INDEXED_FROM: usize = 16;

/// A key of a path, where it stands.
#[derive(Debug, Clone)]
pub(super) struct Key<'t> {
    pub(super) text: Cow<'t, str>,
    pub(super) at: Bytes,
    /// The key itself is refused.
    pub(super) broken: bool,
}

/// Why a key cannot go where it is written.
#[derive(Debug, Clone, Copy)]
pub(super) enum Clash {
    /// It is there already: first here.
    Twice {
        /// The key that is there again.
        at: Bytes,
        first: Bytes,
    },
    /// A part of its path is a value.
    Value {
        /// The part.
        at: Bytes,
        first: Bytes,
    },
}

/// Number of the root table.
pub(super) const ROOT: u32 = 0;

/// All tables and lists. A child always has a higher number than its parent.
pub(super) struct Arena<'t> {
    containers: Vec<Container<'t>>,
}

enum Container<'t> {
    Table(GrowingTable<'t>),
    List(GrowingList<'t>),
}

#[derive(Default)]
struct GrowingTable<'t> {
    /// Entries that are containers have a placeholder for a value.
    table: Table<'t>,
    /// Those entries and their containers, ascending.
    children: Vec<(u32, u32)>,
    /// The entry of each key, once there are many.
    by_key: Option<HashMap<Cow<'t, str>, u32>>,
    /// Made by a path that leads through it, not by a header of its own.
    implicit: bool,
    /// Made or entered by a dotted key.
    dotted: bool,
    /// Written in braces: nothing can be added from outside.
    inline: bool,
}

#[derive(Default)]
struct GrowingList<'t> {
    items: Vec<Node<'t>>,
    children: Vec<(u32, u32)>,
    /// Written as `[[key]]`.
    of_tables: bool,
}

/// What a value is, on its way into a table or list.
pub(super) enum Held<'t> {
    Leaf(Value<'t>),
    Container(u32),
}

impl<'t> Arena<'t> {
    pub(super) fn new() -> Self {
        Arena { containers: vec![Container::Table(GrowingTable::default())] }
    }

    pub(super) fn add_list(&mut self) -> u32 {
        self.add(Container::List(GrowingList::default()))
    }

    /// A table in braces.
    pub(super) fn add_inline_table(&mut self, start: Bytes) -> u32 {
        let table = Table { at: start, ..Table::default() };
        self.add(Container::Table(GrowingTable { table, inline: true, ..GrowingTable::default() }))
    }

    /// A table that hangs nowhere: for what stands below a header that is refused.
    pub(super) fn add_loose_table(&mut self) -> u32 {
        self.add(Container::Table(GrowingTable::default()))
    }

    /// The table that a header `[path]` opens.
    pub(super) fn open_table(&mut self, path: &[Key<'t>], at: Bytes) -> Result<u32, Clash> {
        let Some((key, path)) = path.split_last() else {
            return Ok(self.add_loose_table());
        };
        let parent = self.descend(ROOT, path, false)?;
        let Some((entry, child)) = self.find(parent, &key.text) else {
            let table = Table { at, ..Table::default() };
            let new = self.add(Container::Table(GrowingTable { table, ..GrowingTable::default() }));
            self.insert(parent, key, Held::Container(new), at, false);
            return Ok(new);
        };
        let first = self.key_at(parent, entry);
        match child.map(|child| (child, &mut self.containers[child as usize])) {
            Some((child, Container::Table(table))) if table.implicit && !table.dotted => {
                table.implicit = false;
                table.table.at = at;
                self.set_entry_place(parent, entry, key.at, at);
                Ok(child)
            }
            Some(_) | None => Err(Clash::Twice { at: key.at, first }),
        }
    }

    /// The table that a header `[[path]]` opens.
    pub(super) fn open_item(&mut self, path: &[Key<'t>], at: Bytes) -> Result<u32, Clash> {
        let Some((key, path)) = path.split_last() else {
            return Ok(self.add_loose_table());
        };
        let parent = self.descend(ROOT, path, false)?;
        let list = match self.find(parent, &key.text) {
            Some((entry, child)) => {
                let first = self.key_at(parent, entry);
                child
                    .filter(|child| self.is_list_of_tables(*child))
                    .ok_or(Clash::Twice { at: key.at, first })?
            }
            None => {
                let list = GrowingList { of_tables: true, ..GrowingList::default() };
                let list = self.add(Container::List(list));
                self.insert(parent, key, Held::Container(list), at, false);
                list
            }
        };
        let table = Table { at, ..Table::default() };
        let new = self.add(Container::Table(GrowingTable { table, ..GrowingTable::default() }));
        self.push(list, Held::Container(new), at, false);
        Ok(new)
    }

    /// Puts a value under a path of keys, seen from a table.
    pub(super) fn put(
        &mut self,
        table: u32,
        path: &[Key<'t>],
        held: Held<'t>,
        at: Bytes,
        broken: bool,
    ) -> Result<(), Clash> {
        let Some((key, path)) = path.split_last() else {
            return Ok(());
        };
        let parent = self.descend(table, path, true)?;
        if let Some((entry, _)) = self.find(parent, &key.text) {
            return Err(Clash::Twice { at: key.at, first: self.key_at(parent, entry) });
        }
        if !path.is_empty() && !self.is_implicit(parent) {
            return Err(Clash::Twice { at: key.at, first: self.at(parent) });
        }
        self.insert(parent, key, held, at, broken);
        Ok(())
    }

    /// Adds an item to a list.
    pub(super) fn push(&mut self, list: u32, held: Held<'t>, at: Bytes, broken: bool) {
        let Container::List(list) = &mut self.containers[list as usize] else {
            return;
        };
        let value = placed(held, list.items.len(), &mut list.children);
        list.items.push(Node { value, at, broken });
    }

    /// Says that entries of a table may have been lost.
    pub(super) fn set_broken(&mut self, container: u32) {
        if let Container::Table(table) = &mut self.containers[container as usize] {
            table.table.broken = true;
        }
    }

    /// Gives a table in braces its place, once its end is known.
    pub(super) fn set_place(&mut self, container: u32, at: Bytes) {
        if let Container::Table(table) = &mut self.containers[container as usize] {
            table.table.at = at;
        }
    }

    /// The root table, with everything in it.
    pub(super) fn finish(mut self) -> Table<'t> {
        let mut finished: Vec<Option<Value<'t>>> = Vec::new();
        finished.resize_with(self.containers.len(), || None);
        // Children come after their parents.
        while let Some(container) = self.containers.pop() {
            let own = self.containers.len();
            let mut take = |child: u32| finished[child as usize].take();
            let value = match container {
                Container::Table(GrowingTable { mut table, children, .. }) => {
                    for (entry, child) in children {
                        if let Some(value) = take(child) {
                            table.entries[entry as usize].node.value = value;
                        }
                    }
                    Value::Table(table)
                }
                Container::List(GrowingList { mut items, children, .. }) => {
                    for (item, child) in children {
                        if let Some(value) = take(child) {
                            items[item as usize].value = value;
                        }
                    }
                    Value::List(items)
                }
            };
            finished[own] = Some(value);
        }
        match finished.into_iter().next().flatten() {
            Some(Value::Table(root)) => root,
            Some(_) | None => Table::default(),
        }
    }

    fn add(&mut self, container: Container<'t>) -> u32 {
        self.containers.push(container);
        (self.containers.len() - 1) as u32
    }

    /// Follows a path from a table, through tables that it makes where there are none.
    fn descend(&mut self, from: u32, path: &[Key<'t>], dotted: bool) -> Result<u32, Clash> {
        let mut table = from;
        for key in path {
            let Some((entry, child)) = self.find(table, &key.text) else {
                let new = self.add(Container::Table(GrowingTable {
                    table: Table { at: key.at, ..Table::default() },
                    implicit: true,
                    dotted,
                    ..GrowingTable::default()
                }));
                self.insert(table, key, Held::Container(new), key.at, false);
                table = new;
                continue;
            };
            let first = self.key_at(table, entry);
            let clash = Err(Clash::Value { at: key.at, first });
            let Some(child) = child else {
                return clash;
            };
            table = match &mut self.containers[child as usize] {
                Container::List(list) => match list.children.last() {
                    Some((_, last)) if list.of_tables => *last,
                    Some(_) | None => return clash,
                },
                Container::Table(table) if table.inline => return clash,
                Container::Table(table) if dotted && !table.implicit => {
                    return Err(Clash::Twice { at: key.at, first });
                }
                Container::Table(table) => {
                    table.dotted |= dotted;
                    child
                }
            };
        }
        Ok(table)
    }

    fn insert(&mut self, table: u32, key: &Key<'t>, held: Held<'t>, at: Bytes, broken: bool) {
        let Container::Table(table) = &mut self.containers[table as usize] else {
            return;
        };
        let entries = &mut table.table.entries;
        if entries.len() == INDEXED_FROM {
            let keys = entries.iter().map(|entry| entry.key.clone());
            table.by_key = Some(keys.zip(0..).collect());
        }
        if let Some(by_key) = &mut table.by_key {
            by_key.insert(key.text.clone(), entries.len() as u32);
        }
        let value = placed(held, entries.len(), &mut table.children);
        let node = Node { value, at, broken };
        entries.push(Entry { key: key.text.clone(), key_at: key.at, node });
    }

    /// The entry of a key, and its container if it has one.
    fn find(&self, table: u32, key: &str) -> Option<(u32, Option<u32>)> {
        let Container::Table(table) = &self.containers[table as usize] else {
            return None;
        };
        let entry = match &table.by_key {
            Some(by_key) => *by_key.get(key)?,
            None => table.table.entries.iter().position(|entry| entry.key == key)? as u32,
        };
        let child = table.children.binary_search_by_key(&entry, |(entry, _)| *entry);
        Some((entry, child.ok().map(|child| table.children[child].1)))
    }

    fn key_at(&self, table: u32, entry: u32) -> Bytes {
        match &self.containers[table as usize] {
            Container::Table(table) => table.table.entries[entry as usize].key_at,
            Container::List(_) => Bytes::default(),
        }
    }

    fn set_entry_place(&mut self, table: u32, entry: u32, key_at: Bytes, at: Bytes) {
        if let Container::Table(table) = &mut self.containers[table as usize] {
            let entry = &mut table.table.entries[entry as usize];
            entry.key_at = key_at;
            entry.node.at = at;
        }
    }

    fn at(&self, table: u32) -> Bytes {
        match &self.containers[table as usize] {
            Container::Table(table) => table.table.at,
            Container::List(_) => Bytes::default(),
        }
    }

    fn is_implicit(&self, table: u32) -> bool {
        matches!(&self.containers[table as usize], Container::Table(table) if table.implicit)
    }

    fn is_list_of_tables(&self, list: u32) -> bool {
        matches!(&self.containers[list as usize], Container::List(list) if list.of_tables)
    }
}

/// The value for slot `index`, or a placeholder for a container, which is noted.
fn placed<'t>(held: Held<'t>, index: usize, children: &mut Vec<(u32, u32)>) -> Value<'t> {
    match held {
        Held::Leaf(value) => value,
        Held::Container(container) => {
            children.push((index as u32, container));
            Value::Bool(false)
        }
    }
}
