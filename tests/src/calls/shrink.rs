//! Cuts a script down to the least that still shows a difference.

use super::{Script, play};

/// Drops calls, many at once first, as long as a difference is left.
pub fn shrink(script: &Script) -> Script {
    let mut best = script.clone();
    if let Err(difference) = play(&best) {
        best.calls.truncate(difference.call + 1);
    }
    let mut size = best.calls.len() / 2;
    while size > 0 {
        let mut from = 0;
        while from < best.calls.len() {
            let mut smaller = best.clone();
            let to = (from + size).min(smaller.calls.len());
            smaller.calls.drain(from..to);
            if play(&smaller).is_err() {
                best = smaller;
            } else {
                from += size;
            }
        }
        size /= 2;
    }
    best
}
