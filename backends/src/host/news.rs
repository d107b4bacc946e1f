//! How units are, told by whoever knows.

use alloc::sync::Arc;
use core::sync::atomic::{AtomicU32, Ordering};

use crossbeam_channel::Sender;

use super::Signal;
use crate::backend::News;

/// Tells the host from another thread how its units are.
#[derive(Clone)]
pub struct UnitNews {
    pub(super) signals: Sender<Signal>,
    pub(super) expected: Arc<AtomicU32>,
}

impl UnitNews {
    /// A unit drains, is down, or is up again.
    pub fn tell(&self, news: News) {
        // Nobody listens only if the host is gone.
        let _ = self.signals.send(Signal::Unit(news));
    }

    /// There will be news: meanwhile the line is not over.
    pub fn expect(&self) {
        self.expected.fetch_add(1, Ordering::SeqCst);
    }

    /// The news that was expected has come, or never will.
    pub fn settle(&self) {
        self.expected.fetch_sub(1, Ordering::SeqCst);
        let _ = self.signals.send(Signal::Wake);
    }
}
