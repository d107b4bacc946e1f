//! Ctrl-C: once, finish what runs; twice, end it; three times, at once.

use std::process::exit;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use lineside_backends::host::{self, Waker};

use crate::{INTERRUPTED, terminal};

/// How often it was asked to stop.
#[derive(Clone)]
pub(crate) struct Interrupts {
    count: Arc<AtomicU32>,
    waker: Waker,
}

impl Interrupts {
    /// Listens to Ctrl-C.
    pub(crate) fn listen(waker: Waker) -> Self {
        let interrupts = Interrupts { count: Arc::default(), waker };
        let asked = interrupts.clone();
        // Without a handler Ctrl-C just ends the program.
        let _ = ctrlc::set_handler(move || terminal::talk(&format!("\n{}\n", asked.ask())));
        interrupts
    }

    /// Asks once more, and says what that does. The third time the program ends.
    pub(crate) fn ask(&self) -> &'static str {
        let told = match self.count.fetch_add(1, Ordering::Relaxed) {
            0 => "stopping: what runs is finished, nothing more is started (Ctrl-C again ends it)",
            1 => "ending what runs (Ctrl-C again kills it)",
            _ => {
                host::kill_all();
                exit(i32::from(INTERRUPTED));
            }
        };
        self.waker.wake();
        told
    }

    /// So often.
    pub(crate) fn count(&self) -> u32 {
        self.count.load(Ordering::Relaxed)
    }
}
