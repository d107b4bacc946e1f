//! Threads that are kept for the next errand.

use alloc::string::String;
use alloc::sync::Arc;
use core::sync::atomic::{AtomicUsize, Ordering};
use std::io;
use std::thread;

use crossbeam_channel::{Receiver, Sender, unbounded};

use super::work::Errand;

/// As many threads as there were errands at once. They end when it is dropped.
pub(super) struct Crew {
    errands: (Sender<Errand>, Receiver<Errand>),
    /// Threads that wait for an errand, or are about to, and have not been promised one.
    idle: Arc<AtomicUsize>,
}

impl Crew {
    pub(super) fn new() -> Self {
        Crew { errands: unbounded(), idle: Arc::default() }
    }

    /// Has an errand run, on a thread that waits or on a new one.
    pub(super) fn send(&self, errand: Errand) -> io::Result<()> {
        let promised =
            self.idle.fetch_update(Ordering::AcqRel, Ordering::Acquire, |idle| idle.checked_sub(1));
        if promised.is_ok() {
            // There is a receiver: ours.
            let _ = self.errands.0.send(errand);
            return Ok(());
        }
        let (waiting, idle) = (self.errands.1.clone(), self.idle.clone());
        let work = move || {
            let mut next = Some(errand);
            while let Some(errand) = next {
                errand();
                idle.fetch_add(1, Ordering::AcqRel);
                next = waiting.recv().ok();
            }
        };
        thread::Builder::new().name(String::from("lineside")).spawn(work).map(drop)
    }
}
