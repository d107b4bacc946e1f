//! The entries of one lane, in order.
//!
//! Nearly every entry comes behind the one that entered before it, so it is put at the end of a
//! list. The few that do not (an older ticket, a lower image, a longer path) go into a pairing
//! heap. The least entry is the lesser of the list's head and the heap's root. Both are linked
//! through the slots of the jobs.

use crate::id::NONE;
use crate::slot::JobSlot;

/// Where a job's entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Home {
    /// Not in the queue.
    None,
    /// In its lane's list.
    List,
    /// In its lane's heap.
    Heap,
    /// By itself: its own leases keep it from units that others of its shape may use.
    Alone,
}

/// A list that is in order, and a heap of what came out of order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct EntryQueue {
    pub(crate) head: u32,
    tail: u32,
    root: u32,
}

impl EntryQueue {
    pub(crate) const EMPTY: EntryQueue = EntryQueue { head: NONE, tail: NONE, root: NONE };

    /// The least entry, or `NONE`.
    #[inline(always)]
    pub(crate) fn least(&self, jobs: &[JobSlot]) -> u32 {
        if self.root == NONE {
            self.head
        } else if self.head == NONE || comes_before(jobs, self.root, self.head) {
            self.root
        } else {
            self.head
        }
    }

    /// Puts an entry in; false if it is certain that others come before it. Amortised O(1).
    pub(crate) fn insert(&mut self, jobs: &mut [JobSlot], entry: u32) -> bool {
        let tail = self.tail;
        if tail != NONE && comes_before(jobs, entry, tail) {
            jobs[entry as usize].home = Home::Heap;
            jobs[entry as usize].child = NONE;
            self.root = meld(jobs, self.root, entry);
            return true;
        }
        self.append(jobs, entry);
        tail == NONE
    }

    /// Puts an entry in that comes behind all others.
    #[inline(always)]
    pub(crate) fn append(&mut self, jobs: &mut [JobSlot], entry: u32) {
        let tail = core::mem::replace(&mut self.tail, entry);
        let slot = &mut jobs[entry as usize];
        slot.home = Home::List;
        slot.prev = tail;
        slot.next = NONE;
        match tail {
            NONE => self.head = entry,
            tail => jobs[tail as usize].next = entry,
        }
    }

    /// Takes an entry out. O(1) from the list, amortised O(log n) from the heap.
    #[inline]
    pub(crate) fn remove(&mut self, jobs: &mut [JobSlot], entry: u32) {
        let slot = &mut jobs[entry as usize];
        let (prev, next) = (slot.prev, slot.next);
        if core::mem::replace(&mut slot.home, Home::None) == Home::Heap {
            return self.remove_from_heap(jobs, entry);
        }
        match prev {
            NONE => self.head = next,
            prev => jobs[prev as usize].next = next,
        }
        match next {
            NONE => self.tail = prev,
            next => jobs[next as usize].prev = prev,
        }
    }

    fn remove_from_heap(&mut self, jobs: &mut [JobSlot], entry: u32) {
        let JobSlot { child, prev, next, .. } = jobs[entry as usize];
        let children = meld_siblings(jobs, child);
        if entry == self.root {
            self.root = children;
            return;
        }
        // `prev` is the parent of a first child, else the sibling to the left.
        if jobs[prev as usize].child == entry {
            jobs[prev as usize].child = next;
        } else {
            jobs[prev as usize].next = next;
        }
        if next != NONE {
            jobs[next as usize].prev = prev;
        }
        self.root = meld(jobs, self.root, children);
    }

    /// An entry to begin a walk over all with: the list in order, then the heap in none.
    pub(crate) fn first(&self) -> u32 {
        if self.head == NONE { self.root } else { self.head }
    }

    /// The entry behind this one in that walk, or `NONE`.
    pub(crate) fn after(&self, jobs: &[JobSlot], entry: u32) -> u32 {
        let JobSlot { home, next, .. } = jobs[entry as usize];
        match (home, next) {
            (Home::Heap, _) => after_in_heap(jobs, entry),
            (_, NONE) => self.root,
            (_, next) => next,
        }
    }

    /// The least entry but one, or `NONE`. O(children of the heap's root).
    pub(crate) fn second(&self, jobs: &[JobSlot]) -> u32 {
        let least = self.least(jobs);
        if least == NONE {
            return NONE;
        }
        let slot = &jobs[least as usize];
        let (listed, mut sibling) = match slot.home {
            Home::Heap => (self.head, slot.child),
            _ => (slot.next, self.root),
        };
        let mut second = listed;
        while sibling != NONE {
            if second == NONE || comes_before(jobs, sibling, second) {
                second = sibling;
            }
            sibling = jobs[sibling as usize].next;
        }
        second
    }
}

/// The entry behind `entry` in a walk over the whole heap: children first, then siblings.
fn after_in_heap(jobs: &[JobSlot], mut entry: u32) -> u32 {
    if jobs[entry as usize].child != NONE {
        return jobs[entry as usize].child;
    }
    loop {
        let JobSlot { next, .. } = jobs[entry as usize];
        if next != NONE {
            return next;
        }
        entry = parent(jobs, entry);
        if entry == NONE {
            return NONE;
        }
    }
}

fn parent(jobs: &[JobSlot], mut entry: u32) -> u32 {
    loop {
        let left = jobs[entry as usize].prev;
        if left == NONE || jobs[left as usize].child == entry {
            return left;
        }
        entry = left;
    }
}

/// Rank, then ticket. What sorts before the rank is the same within a lane.
pub(crate) fn comes_before(jobs: &[JobSlot], a: u32, b: u32) -> bool {
    let (a, b) = (&jobs[a as usize], &jobs[b as usize]);
    (effective_rank(a), a.ticket) < (effective_rank(b), b.ticket)
}

/// Among overdue entries only the ticket counts.
pub(crate) fn effective_rank(job: &JobSlot) -> u64 {
    if job.overdue { 0 } else { job.rank }
}

/// Makes one heap of two; each root has no siblings afterwards.
fn meld(jobs: &mut [JobSlot], a: u32, b: u32) -> u32 {
    let (root, child) = match (a, b) {
        (NONE, only) | (only, NONE) => (only, NONE),
        (a, b) if comes_before(jobs, b, a) => (b, a),
        (a, b) => (a, b),
    };
    if child != NONE {
        let first = jobs[root as usize].child;
        if first != NONE {
            jobs[first as usize].prev = child;
        }
        jobs[child as usize].next = first;
        jobs[child as usize].prev = root;
        jobs[root as usize].child = child;
    }
    if root != NONE {
        jobs[root as usize].next = NONE;
        jobs[root as usize].prev = NONE;
    }
    root
}

/// Makes one heap of a row of siblings: in pairs from the left, then all from the right.
fn meld_siblings(jobs: &mut [JobSlot], mut first: u32) -> u32 {
    let mut pairs = NONE;
    while first != NONE {
        let second = jobs[first as usize].next;
        let rest = if second == NONE { NONE } else { jobs[second as usize].next };
        let pair = meld(jobs, first, second);
        jobs[pair as usize].next = pairs;
        pairs = pair;
        first = rest;
    }
    let mut root = NONE;
    while pairs != NONE {
        let rest = jobs[pairs as usize].next;
        jobs[pairs as usize].next = NONE;
        root = meld(jobs, root, pairs);
        pairs = rest;
    }
    root
}

#[cfg(test)]
mod tests {
    use std::iter::successors;
    use std::vec::Vec;

    use super::*;

    fn jobs_with_ranks(ranks: &[u64]) -> Vec<JobSlot> {
        let slot = |(ticket, &rank)| JobSlot { rank, ticket: ticket as u64, ..JobSlot::EMPTY };
        ranks.iter().enumerate().map(slot).collect()
    }

    #[test]
    fn entries_leave_in_order_whatever_the_order_they_came_in() {
        let ranks = [5, 3, 9, 9, 1, 7, 0, 2, 2, 8, 4, 6];
        let mut jobs = jobs_with_ranks(&ranks);
        let mut queue = EntryQueue::EMPTY;
        for entry in 0..ranks.len() as u32 {
            queue.insert(&mut jobs, entry);
        }
        let mut left = Vec::new();
        while queue.least(&jobs) != NONE {
            let entry = queue.least(&jobs);
            queue.remove(&mut jobs, entry);
            left.push(ranks[entry as usize]);
        }
        assert!(left.is_sorted());
        assert_eq!(left.len(), ranks.len());
    }

    #[test]
    fn any_entry_can_be_taken_out_and_the_rest_stay() {
        for gone in 0..8 {
            let mut jobs = jobs_with_ranks(&[4, 2, 6, 1, 3, 0, 5, 7]);
            let mut queue = EntryQueue::EMPTY;
            for entry in 0..8 {
                queue.insert(&mut jobs, entry);
            }
            // Gives the heap some depth first.
            let least = queue.least(&jobs);
            let second = queue.second(&jobs);
            queue.remove(&mut jobs, least);
            assert_eq!(queue.least(&jobs), second);
            queue.insert(&mut jobs, least);
            queue.remove(&mut jobs, gone);
            let behind = |&entry: &u32| Some(queue.after(&jobs, entry)).filter(|&it| it != NONE);
            let mut rest: Vec<u32> = successors(Some(queue.first()), behind).collect();
            rest.sort_unstable();
            assert_eq!(rest, (0..8).filter(|&entry| entry != gone).collect::<Vec<_>>());
        }
    }
}
