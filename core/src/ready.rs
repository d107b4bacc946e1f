//! Which images may start (semantics, section 2).

use crate::id::NONE;
use crate::scheduler::Scheduler;
use crate::slot::{EdgeSlot, JobSlot, Stage};

/// An image-grain job starts no image this far beyond its leading done images.
pub(crate) const WINDOW: u32 = 64;

impl JobSlot {
    /// The lowest image neither done nor in flight (whole grain: with nothing in flight).
    #[inline]
    pub(crate) fn head(&self) -> u32 {
        self.prefix + (self.done | self.busy).trailing_ones()
    }

    /// These images, which were in flight, are done.
    #[inline]
    pub(crate) fn mark_done(&mut self, first: u32, count: u32) {
        // Most often they are all that was begun.
        if !self.image_grain || first == self.prefix && self.done == 0 && self.busy >> 1 == 0 {
            self.prefix = first + count;
            self.busy = 0;
            return;
        }
        let images = bits(first - self.prefix, count);
        self.busy &= !images;
        self.done |= images;
        let leading = self.done.trailing_ones();
        self.prefix += leading;
        // All 64 may be done at once.
        self.done = self.done.checked_shr(leading).unwrap_or(0);
        self.busy = self.busy.checked_shr(leading).unwrap_or(0);
    }

    /// These images are in flight.
    #[inline]
    pub(crate) fn begin(&mut self, first: u32, count: u32) {
        if self.image_grain {
            self.busy |= bits(first - self.prefix, count);
        }
        self.taken = self.taken.max(first + count);
    }

    /// Holds as many leases as it may at once.
    #[inline]
    pub(crate) fn is_leased_up(&self) -> bool {
        self.leases >= self.inflight
    }
}

impl Scheduler<'_> {
    /// May this job have an entry in the queue?
    pub(crate) fn is_ready(&self, job: u32) -> bool {
        let slot = self.job(job);
        slot.stage == Stage::Arrived && !slot.is_leased_up() && slot.head() < self.limit(slot)
    }

    /// The images that the next start of a queued job takes: the first, and how many. It can take
    /// one, since what is ready stays ready.
    #[inline]
    pub(crate) fn next_images(&self, slot: &JobSlot) -> (u32, u32) {
        if slot.batch == 1 {
            return (slot.head(), 1);
        }
        self.startable(slot).expect("a queued job can start an image")
    }

    /// The images that the next start would take: the first, and how many.
    pub(crate) fn startable(&self, slot: &JobSlot) -> Option<(u32, u32)> {
        let first = slot.head();
        let limit = self.limit(slot);
        if first >= limit {
            return None;
        }
        let most = slot.batch.min(limit - first);
        if !slot.image_grain {
            return Some((first, most));
        }
        let ahead = (slot.done | slot.busy) >> (first - slot.prefix);
        Some((first, most.min(ahead.trailing_zeros())))
    }

    /// The first image that edges, feeds, back-pressure and the window keep it from.
    #[inline(always)]
    pub(crate) fn limit(&self, slot: &JobSlot) -> u32 {
        let mut limit = self.available(slot);
        if slot.streams_out != NONE {
            limit = limit.min(self.room(slot));
        }
        if slot.image_grain { limit.min(slot.prefix.saturating_add(WINDOW)) } else { limit }
    }

    /// The first image that its edges, or its camera, do not give it yet.
    #[inline]
    fn available(&self, slot: &JobSlot) -> u32 {
        if slot.barriers > 0 {
            return 0;
        }
        if slot.streams_in { self.given(slot) } else { slot.fed }
    }

    /// The first image that its stream edges, or its camera, do not give it yet.
    fn given(&self, slot: &JobSlot) -> u32 {
        let mut available = slot.fed;
        let mut next = slot.edges_in;
        while let Some(edge) = self.edge(next) {
            if let Some(upstream) = self.stream_upstream(edge) {
                available = available.min(self.job(upstream).prefix);
            }
            next = edge.next_in;
        }
        available
    }

    /// The first image that back-pressure does not let it start yet.
    fn room(&self, slot: &JobSlot) -> u32 {
        let mut room = u32::MAX;
        let mut next = slot.streams_out;
        while let Some(edge) = self.edge(next) {
            if let Some(bound) = self.bound(edge) {
                room = room.min(bound);
            }
            next = edge.next_out;
        }
        room
    }

    /// The first image that the downstream of this edge does not let its upstream start.
    pub(crate) fn bound(&self, edge: &EdgeSlot) -> Option<u32> {
        let downstream = self.job(edge.to);
        let bounded = edge.depth > 0 && downstream.stage != Stage::Ended;
        bounded.then(|| downstream.taken.saturating_add(edge.depth))
    }

    /// The upstream of a stream edge, unless it is done and removed.
    pub(crate) fn stream_upstream(&self, edge: &EdgeSlot) -> Option<u32> {
        (edge.stream && edge.from != NONE).then_some(edge.from)
    }

    pub(crate) fn edge(&self, at: u32) -> Option<&EdgeSlot> {
        if at == NONE { None } else { self.tables.edges.get(at as usize) }
    }
}

/// `count` ones from bit `from`; at most 64 in all.
#[inline]
pub(crate) fn bits(from: u32, count: u32) -> u64 {
    let ones = if count >= 64 { u64::MAX } else { (1 << count) - 1 };
    ones.checked_shl(from).unwrap_or(0)
}
