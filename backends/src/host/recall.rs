//! How a running start learns that its units are asked back.

use core::fmt;
use core::sync::atomic::{AtomicBool, Ordering};
use core::time::Duration;
use std::sync::{Condvar, Mutex, PoisonError};

/// Is off until the units of a start are asked back.
///
/// ```
/// use lineside_backends::host::Recall;
/// let recall = Recall::default();
/// assert!(!recall.is_on());
/// recall.switch_on();
/// assert!(recall.is_on());
/// ```
#[derive(Default)]
pub struct Recall {
    on: AtomicBool,
    state: Mutex<Option<Alarm>>,
    changed: Condvar,
}

/// What else is to be done at a recall.
type Alarm = alloc::boxed::Box<dyn FnOnce() + Send>;

impl Recall {
    /// The units are asked back: a tool that takes long looks now and then, and returns early.
    pub fn is_on(&self) -> bool {
        self.on.load(Ordering::Acquire)
    }

    /// Asks the units back.
    pub fn switch_on(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        self.on.store(true, Ordering::Release);
        self.changed.notify_all();
        if let Some(alarm) = state.take() {
            alarm();
        }
    }

    /// Sleeps, but not beyond a recall; true if there is one.
    pub fn wait(&self, most: Duration) -> bool {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let asleep = |_: &mut Option<Alarm>| !self.is_on();
        drop(self.changed.wait_timeout_while(state, most, asleep));
        self.is_on()
    }

    /// Has something done at a recall, or now if there was one already: for a tool that waits for
    /// something else. It must not block.
    pub fn at_recall(&self, alarm: impl FnOnce() + Send + 'static) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if self.is_on() {
            alarm();
        } else {
            *state = Some(alloc::boxed::Box::new(alarm));
        }
    }
}

impl fmt::Debug for Recall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recall").field("on", &self.is_on()).finish_non_exhaustive()
    }
}
