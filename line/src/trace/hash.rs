//! One number for a whole trace.

use sha2::{Digest, Sha256};

use crate::line::Line;

use super::{Event, write_event};

/// Takes in the events of a trace and says the SHA-256 of its text: what `sha256sum` says of the
/// file that `lineside plan --trace` writes.
///
/// ```
/// use lineside_line::trace::{Event, Hash, What};
/// use lineside_line::{NoFiles, read};
///
/// let line = read("[[device]]\nname = \"g\"\n[[job]]\nname = \"a\"\n", &NoFiles).unwrap().line;
/// let mut hash = Hash::default();
/// hash.take(&line, &Event { t: 0, what: What::Ready { job: 0, ticket: 0 } });
/// assert!(hash.hex().starts_with("94e36859"));
/// ```
#[derive(Debug, Default)]
pub struct Hash {
    sha: Sha256,
    text: String,
}

/// The text is handed over in pieces of about this size.
const PIECE: usize = 1 << 14;

impl Hash {
    /// Takes in the next event.
    ///
    /// # Panics
    ///
    /// If an index of the event is not in the line.
    pub fn take(&mut self, line: &Line, event: &Event<'_>) {
        // Writing to a string can't fail.
        let _ = write_event(&mut self.text, line, event, &[]);
        self.text.push('\n');
        if self.text.len() >= PIECE {
            self.sha.update(self.text.as_bytes());
            self.text.clear();
        }
    }

    /// The hash of all events so far, as 64 hexadecimal digits.
    pub fn hex(mut self) -> String {
        self.sha.update(self.text.as_bytes());
        let nibbles = self.sha.finalize().into_iter().flat_map(|byte| [byte >> 4, byte & 15]);
        nibbles.filter_map(|nibble| char::from_digit(nibble.into(), 16)).collect()
    }
}
