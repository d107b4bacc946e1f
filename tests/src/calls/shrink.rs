//! Cuts a script down to the least that still shows a difference.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::{Difference, Script, play};
use crate::compare::words_of;

/// What differs between the two, a panic of either among it.
pub fn differs(script: &Script) -> Option<Difference> {
    match catch_unwind(AssertUnwindSafe(|| play(script))) {
        Ok(played) => played.err(),
        Err(panic) => {
            let text = format!("panic: {}", words_of(&*panic));
            Some(Difference { call: script.calls.len().saturating_sub(1), text })
        }
    }
}

/// Drops calls, many at once first, as long as a difference is left.
pub fn shrink(script: &Script) -> Script {
    let mut best = script.clone();
    if let Some(difference) = differs(&best) {
        best.calls.truncate(difference.call + 1);
    }
    let mut size = best.calls.len() / 2;
    while size > 0 {
        let mut from = 0;
        while from < best.calls.len() {
            let mut smaller = best.clone();
            let to = (from + size).min(smaller.calls.len());
            smaller.calls.drain(from..to);
            if differs(&smaller).is_some() {
                best = smaller;
            } else {
                from += size;
            }
        }
        size /= 2;
    }
    best
}
