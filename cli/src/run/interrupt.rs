//! Ctrl-C: once, finish what runs; twice, end it; three times, at once.

use std::process::exit;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use lineside_backends::host::{self, Waker};

use crate::{INTERRUPTED, terminal};

/// How often it was asked to stop.
#[derive(Clone)]
pub(crate) struct Interrupts(Arc<AtomicU32>);

impl Interrupts {
    /// Listens to Ctrl-C.
    pub(crate) fn listen(waker: Waker) -> Self {
        let count = Arc::new(AtomicU32::new(0));
        let counts = count.clone();
        // Without a handler Ctrl-C just ends the program.
        let _ = ctrlc::set_handler(move || {
            match counts.fetch_add(1, Ordering::Relaxed) {
                0 => terminal::talk(
                    "\nstopping: what runs is finished, nothing more is started \
                     (Ctrl-C again ends it)\n",
                ),
                1 => terminal::talk("\nending what runs (Ctrl-C again kills it)\n"),
                _ => {
                    host::kill_all();
                    exit(i32::from(INTERRUPTED));
                }
            }
            waker.wake();
        });
        Interrupts(count)
    }

    /// So often.
    pub(crate) fn count(&self) -> u32 {
        self.0.load(Ordering::Relaxed)
    }
}
