//! Who gets what, and when.

use std::collections::BTreeSet;

use lineside_registry::{Ask, Book, Entry, Holder, Identity, Processes, Ticket, Unit, Wanted};

const GIB: u64 = 1 << 30;

fn units(count: u32) -> Vec<Unit> {
    let unit =
        |at| Unit { key: format!("gpu{at}"), places: vec!["cuda".into()], memory: Some(8 * GIB) };
    (0..count).map(unit).collect()
}

fn holder(pid: u32) -> Holder {
    Holder { identity: Identity { pid, started: u64::from(pid), boot: "b".into() }, user: 0 }
}

fn any(count: u32) -> Ask {
    Ask { wanted: Wanted::Any(count), ..Ask::default() }
}

fn part(gib: u64) -> Ask {
    Ask { memory: Some(gib * GIB), ..Ask::default() }
}

/// A book in which some have asked, in this order, by the processes 0, 1, 2, ...
fn asked(units: &[Unit], asks: &[Ask]) -> (Book, Vec<Ticket>) {
    let mut book = Book::default();
    let enter = |(pid, ask): (usize, &Ask)| {
        book.enter(units, ask.clone(), holder(pid as u32), 0).expect("it fits")
    };
    let tickets = asks.iter().enumerate().map(enter).collect();
    book.grant(units);
    (book, tickets)
}

fn held(book: &Book, ticket: Ticket) -> Vec<String> {
    book.entry(ticket).and_then(|entry| entry.units.clone()).unwrap_or_default()
}

#[test]
fn a_unit_goes_to_one_and_then_to_the_next_in_the_queue() {
    let units = units(1);
    let (mut book, tickets) = asked(&units, &[any(1), any(1), any(1)]);
    for at in 0..3 {
        for (other, &ticket) in tickets.iter().enumerate() {
            let expected = if other == at { vec!["gpu0"] } else { vec![] };
            assert_eq!(held(&book, ticket), expected, "{other} while {at} holds it");
        }
        book.leave(tickets[at]);
        book.grant(&units);
    }
    assert!(book.entries().is_empty());
}

#[test]
fn who_asks_for_several_is_not_passed_for_ever_by_those_who_ask_for_one() {
    let units = units(2);
    let (mut book, tickets) = asked(&units, &[any(1), any(2), any(1)]);
    assert_eq!(held(&book, tickets[0]), ["gpu0"]);
    assert!(held(&book, tickets[1]).is_empty());
    assert!(held(&book, tickets[2]).is_empty(), "gpu1 is kept for the one before it");
    book.leave(tickets[0]);
    book.grant(&units);
    assert_eq!(held(&book, tickets[1]), ["gpu0", "gpu1"]);
}

#[test]
fn who_could_not_use_what_is_waited_for_does_not_wait_behind() {
    let units = units(2);
    let these = |key: &str| Ask { wanted: Wanted::These(vec![key.into()]), ..Ask::default() };
    let (book, tickets) = asked(&units, &[these("gpu0"), these("gpu0"), these("gpu1")]);
    assert!(held(&book, tickets[1]).is_empty());
    assert_eq!(held(&book, tickets[2]), ["gpu1"]);
}

#[test]
fn memory_is_shared_to_the_byte_and_not_with_who_wants_a_unit_alone() {
    let units = units(1);
    let (book, tickets) = asked(&units, &[part(5), part(3), part(1)]);
    assert_eq!(held(&book, tickets[0]), ["gpu0"]);
    assert_eq!(held(&book, tickets[1]), ["gpu0"]);
    assert!(held(&book, tickets[2]).is_empty());
    let (book, tickets) = asked(&units, &[part(1), any(1)]);
    assert!(held(&book, tickets[1]).is_empty());
    let (book, tickets) = asked(&units, &[any(1), part(1)]);
    assert!(held(&book, tickets[1]).is_empty());
}

#[test]
fn a_unit_that_is_shared_is_filled_before_another_is_begun() {
    let units = units(2);
    let second = Ask { wanted: Wanted::These(vec!["gpu1".into()]), ..part(2) };
    let (book, tickets) = asked(&units, &[second, part(2)]);
    assert_eq!(held(&book, tickets[1]), ["gpu1"]);
}

#[test]
fn what_never_fits_is_refused_and_changes_nothing() {
    let units = units(2);
    let (mut book, _) = asked(&units, &[any(1)]);
    let before = book.clone();
    let vulkan = Ask { place: Some("vulkan".into()), ..Ask::default() };
    let unknown = Ask { wanted: Wanted::These(vec!["gpu9".into()]), ..Ask::default() };
    for ask in [any(3), part(9), vulkan, unknown] {
        let refused = book.enter(&units, ask.clone(), holder(9), 0);
        assert!(refused.is_err(), "{ask:?}");
        assert_eq!(book, before);
    }
}

/// Some that live, and some markers that processes carry.
#[derive(Default)]
struct Living(BTreeSet<u32>, BTreeSet<String>);

impl Processes for Living {
    fn is_alive(&self, identity: &Identity) -> bool {
        self.0.contains(&identity.pid) && identity.started == u64::from(identity.pid)
    }

    fn has_marked(&self, marker: &str) -> bool {
        self.1.contains(marker)
    }
}

/// https://github.com/russellb/canhazgpu/issues/30
#[test]
fn who_is_gone_holds_nothing_and_waits_for_nothing() {
    let units = units(1);
    let (mut book, tickets) = asked(&units, &[any(1), any(1), any(1)]);
    book.strike(&Living([2].into(), BTreeSet::new()));
    book.grant(&units);
    let left: Vec<Ticket> = book.entries().iter().map(|entry| entry.ticket).collect();
    assert_eq!(left, [tickets[2]]);
    assert_eq!(held(&book, tickets[2]), ["gpu0"]);
}

#[test]
fn a_lease_lasts_as_long_as_any_program_that_uses_it() {
    let units = units(1);
    let (mut book, tickets) = asked(&units, &[any(1), any(1)]);
    let marker = book.entry(tickets[0]).map(Entry::marker).expect("it is there");
    book.strike(&Living([1].into(), [marker].into()));
    book.grant(&units);
    assert!(held(&book, tickets[1]).is_empty(), "a child of the first still lives");
    book.strike(&Living([1].into(), BTreeSet::new()));
    book.grant(&units);
    assert_eq!(held(&book, tickets[1]), ["gpu0"]);
}

/// Whatever is done in whatever order: no unit is given twice, and none lies idle while the first
/// in the queue could have it.
#[test]
fn no_unit_is_ever_given_twice() {
    let mut state = 1_u64;
    let mut chance = move |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) % below
    };
    let units = units(3);
    let (mut book, mut grants) = (Book::default(), 0);
    for step in 0..20_000 {
        match chance(3) {
            0 | 1 if book.entries().len() < 12 => {
                let wanted = Wanted::Any(1 + chance(3) as u32);
                let memory = (chance(2) == 0).then(|| (1 + chance(8)) * GIB);
                let ask = Ask { wanted, memory, ..Ask::default() };
                book.enter(&units, ask, holder(step), 0).expect("it fits");
            }
            _ => {
                let at = chance(12) as usize;
                if let Some(ticket) = book.entries().get(at).map(|entry| entry.ticket) {
                    book.leave(ticket);
                }
            }
        }
        book.grant(&units);
        check(&book, &units);
        grants += book.entries().iter().filter(|entry| entry.units.is_some()).count();
    }
    assert!(grants > 10_000, "only {grants} were held: nothing is shown");
}

fn check(book: &Book, units: &[Unit]) {
    let mut idle = 0;
    for unit in units {
        let holds = |entry: &&Entry| entry.units.iter().flatten().any(|key| *key == unit.key);
        let holders: Vec<&Entry> = book.entries().iter().filter(holds).collect();
        let alone = holders.iter().filter(|entry| entry.ask.memory.is_none()).count();
        assert!(alone == 0 || holders.len() == 1, "{}: {holders:?}", unit.key);
        let memory: u64 = holders.iter().filter_map(|entry| entry.ask.memory).sum();
        assert!(memory <= 8 * GIB, "{}: {holders:?}", unit.key);
        idle += usize::from(holders.is_empty());
    }
    if let Some(first) = book.entries().iter().find(|entry| entry.units.is_none()) {
        assert!(first.ask.count() > idle, "{first:?} waits, though {idle} units are idle");
    }
}
