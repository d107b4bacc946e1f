//! The rules: who is next, and what is free.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::process::{Identity, Processes};

/// Counts everyone who ever asked, from 0; lower is earlier.
pub type Ticket = u64;

/// A GPU of this machine.
///
/// ```
/// use lineside_registry::Unit;
/// let unit = Unit { key: "GPU-5f3c".into(), places: vec!["cuda".into()], memory: Some(8 << 30) };
/// assert!(unit.memory.is_some());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unit {
    /// What tells it from all others: its UUID.
    pub key: String,
    /// How it can be reached: `cuda`, `vulkan`, `cpu`.
    pub places: Vec<String>,
    /// Bytes, if that is known.
    pub memory: Option<u64>,
}

/// Which units.
///
/// ```
/// use lineside_registry::Wanted;
/// assert_ne!(Wanted::Any(1), Wanted::These(vec!["GPU-5f3c".into()]));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Wanted {
    /// So many, whichever they are.
    Any(u32),
    /// Those with these keys.
    These(Vec<String>),
}

/// What somebody asks for.
///
/// ```
/// use lineside_registry::{Ask, Wanted};
/// let half = Ask { wanted: Wanted::Any(1), memory: Some(4 << 30), ..Ask::default() };
/// assert!(half.place.is_none());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ask {
    /// Which units.
    pub wanted: Wanted,
    /// Bytes on each of them, to be shared with others who say how much they need. Without, each
    /// unit is wanted for oneself.
    pub memory: Option<u64>,
    /// Only units of this place.
    pub place: Option<String>,
    /// For people: what it is for.
    pub label: String,
}

impl Default for Ask {
    fn default() -> Self {
        Ask { wanted: Wanted::Any(1), memory: None, place: None, label: String::new() }
    }
}

/// Whose it is.
///
/// ```
/// use lineside_registry::{Holder, Identity};
/// let identity = Identity { pid: 42, started: 7, boot: "b".into() };
/// assert_eq!(Holder { identity, user: 1000 }.identity.pid, 42);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holder {
    /// The process.
    pub identity: Identity,
    /// The number of its user.
    pub user: u32,
}

/// Somebody who waits, or holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Its place in the queue.
    pub ticket: Ticket,
    /// Whose it is.
    pub holder: Holder,
    /// What is asked for.
    pub ask: Ask,
    /// The keys of the units that it holds; none while it waits.
    pub units: Option<Vec<String>>,
    /// When it came, in seconds since 1970.
    pub since: u64,
}

/// No set of the units that are here could ever hold it.
///
/// ```
/// use lineside_registry::NeverFits;
/// let why = NeverFits { wanted: 2, usable: 1 };
/// assert_eq!(why.to_string(), "2 units are asked for, and 1 of those here would do");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NeverFits {
    /// How many units are asked for.
    pub wanted: usize,
    /// How many of those here would do.
    pub usable: usize,
}

impl fmt::Display for NeverFits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (wanted, usable) = (self.wanted, self.usable);
        write!(f, "{wanted} units are asked for, and {usable} of those here would do")
    }
}

/// Everyone who waits or holds, by ticket.
///
/// ```
/// use lineside_registry::{Ask, Book, Holder, Identity, Unit};
///
/// let units = [Unit { key: "GPU-1".into(), places: vec!["cuda".into()], memory: None }];
/// let holder = |pid| Holder { identity: Identity { pid, started: 1, boot: "b".into() }, user: 0 };
/// let mut book = Book::default();
/// let first = book.enter(&units, Ask::default(), holder(1), 0)?;
/// let second = book.enter(&units, Ask::default(), holder(2), 0)?;
/// book.grant(&units);
/// assert!(book.entry(first).unwrap().units.is_some());
/// assert!(book.entry(second).unwrap().units.is_none());
/// book.leave(first);
/// book.grant(&units);
/// assert!(book.entry(second).unwrap().units.is_some());
/// # Ok::<(), lineside_registry::NeverFits>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Book {
    next: Ticket,
    entries: Vec<Entry>,
}

impl Book {
    /// Everyone, in the order of the tickets.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// One of them.
    pub fn entry(&self, ticket: Ticket) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.ticket == ticket)
    }

    /// Queues up.
    ///
    /// # Errors
    ///
    /// [`NeverFits`] if it would wait for ever; nothing has changed then.
    pub fn enter(
        &mut self,
        units: &[Unit],
        ask: Ask,
        holder: Holder,
        since: u64,
    ) -> Result<Ticket, NeverFits> {
        let usable = units.iter().filter(|unit| ask.could_use(unit)).count();
        let wanted = ask.count();
        if usable < wanted {
            return Err(NeverFits { wanted, usable });
        }
        let ticket = self.next;
        self.next += 1;
        self.entries.push(Entry { ticket, holder, ask, units: None, since });
        Ok(ticket)
    }

    /// Gives back what is held, or stops waiting.
    pub fn leave(&mut self, ticket: Ticket) {
        self.entries.retain(|entry| entry.ticket != ticket);
    }

    /// Strikes out those whose processes are gone.
    pub fn strike(&mut self, processes: &impl Processes) {
        self.entries.retain(|entry| {
            processes.is_alive(&entry.holder.identity)
                || entry.units.is_some() && processes.has_marked(&self_marker(entry))
        });
    }

    /// Gives the units that are free to those who wait, first come, first served: what somebody
    /// who has to wait could use is kept from all who came later.
    pub fn grant(&mut self, units: &[Unit]) {
        let mut free: BTreeMap<&str, Free> =
            units.iter().map(|unit| (unit.key.as_str(), Free::of(unit))).collect();
        for entry in &self.entries {
            for key in entry.units.iter().flatten() {
                if let Some(free) = free.get_mut(key.as_str()) {
                    free.take(entry.ask.memory);
                }
            }
        }
        for entry in self.entries.iter_mut().filter(|entry| entry.units.is_none()) {
            let candidates = units.iter().filter(|unit| entry.ask.could_use(unit));
            let candidates: Vec<&str> = candidates.map(|unit| unit.key.as_str()).collect();
            let fits = |key: &&str| free[key].has(entry.ask.memory);
            let mut fitting: Vec<&str> = candidates.iter().copied().filter(fits).collect();
            // A unit that is shared already is filled up first; the order of the units decides
            // among equals.
            fitting.sort_by_key(|key| !free[key].is_shared);
            fitting.truncate(entry.ask.count());
            if fitting.len() == entry.ask.count() {
                for key in &fitting {
                    free.entry(key).and_modify(|free| free.take(entry.ask.memory));
                }
                entry.units = Some(fitting.iter().map(|&key| key.to_owned()).collect());
            } else {
                for key in candidates {
                    free.entry(key).and_modify(|free| free.is_waited_for = true);
                }
            }
        }
    }
}

/// What the processes that hold a lease carry in their environment, and hand on to their children.
pub(crate) fn self_marker(entry: &Entry) -> String {
    format!("{}-{}", entry.holder.identity.boot, entry.ticket)
}

impl Entry {
    /// The value of [`MARKER`](crate::MARKER) for the programs that use what is held: as long as
    /// one of them lives, it is not given back.
    pub fn marker(&self) -> String {
        self_marker(self)
    }
}

impl Ask {
    /// How many units.
    pub fn count(&self) -> usize {
        match &self.wanted {
            Wanted::Any(count) => *count as usize,
            Wanted::These(keys) => keys.len(),
        }
    }

    fn could_use(&self, unit: &Unit) -> bool {
        let is_wanted = match &self.wanted {
            Wanted::Any(_) => true,
            Wanted::These(keys) => keys.contains(&unit.key),
        };
        let place_fits = self.place.as_ref().is_none_or(|place| unit.places.contains(place));
        // Of a unit whose memory nobody knows nothing can be shared out.
        let memory_fits = match (self.memory, unit.memory) {
            (Some(wanted), Some(memory)) => wanted <= memory,
            (Some(_), None) => false,
            (None, _) => true,
        };
        is_wanted && place_fits && memory_fits
    }
}

/// What is left of a unit.
struct Free {
    memory: u64,
    is_shared: bool,
    is_taken: bool,
    /// Somebody waits for it.
    is_waited_for: bool,
}

impl Free {
    fn of(unit: &Unit) -> Free {
        let memory = unit.memory.unwrap_or(0);
        Free { memory, is_shared: false, is_taken: false, is_waited_for: false }
    }

    fn has(&self, memory: Option<u64>) -> bool {
        if self.is_taken || self.is_waited_for {
            return false;
        }
        memory.map_or(!self.is_shared, |memory| memory <= self.memory)
    }

    fn take(&mut self, memory: Option<u64>) {
        match memory {
            Some(memory) => {
                self.is_shared = true;
                self.memory = self.memory.saturating_sub(memory);
            }
            None => self.is_taken = true,
        }
    }
}
