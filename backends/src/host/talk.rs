//! What a runner and a worker say to each other: a line of JSON each. No I/O here.
//!
//! `docs/workers.md` says what the lines mean.

use alloc::borrow::ToOwned;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use serde::{Deserialize, Serialize};

/// The version of these lines.
pub const TALK_VERSION: u32 = 1;

/// Bytes of a line at most; a longer one is not read to its end.
pub const LINE_MAX: usize = 1 << 20;

/// What a worker is told.
///
/// ```
/// use lineside_backends::host::ToWorker;
/// assert_eq!(ToWorker::Leave.line(), "{\"type\":\"leave\"}\n");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum ToWorker {
    /// Work on these images.
    Start {
        /// The version of the lines.
        version: u32,
        /// Names this start; comes back with the answer.
        start: u64,
        /// Whose.
        job: String,
        /// The number of the lease.
        lease: u64,
        /// How often the first image has been tried, with this time.
        attempt: u32,
        /// The images.
        images: Vec<ImageOfStart>,
        /// The folder for what is made.
        out: String,
        /// The folders of what the upstreams have made, by the names of their jobs.
        #[serde(rename = "in")]
        inputs: BTreeMap<String, String>,
    },
    /// Give up this start, and answer it: its units are asked back.
    Stop {
        /// Which.
        start: u64,
    },
    /// Unload and end.
    Leave,
}

/// An image of a start.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ImageOfStart {
    /// Its number, from 0.
    pub index: u32,
    /// Its file, if it has one.
    pub file: Option<String>,
}

impl ToWorker {
    /// As it is written, with its end.
    pub fn line(&self) -> String {
        let mut line = serde_json::to_string(self).unwrap_or_default();
        line.push('\n');
        line
    }
}

/// What a worker says.
///
/// ```
/// use lineside_backends::host::{FromWorker, parse_line};
/// let said = parse_line(br#"{"type": "done", "start": 7, "seconds": 0.1}"#);
/// assert_eq!(said, Ok(FromWorker::Done { start: 7 }));
/// assert!(parse_line(b"Loading model...").is_err());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum FromWorker {
    /// It can take starts.
    Ready {
        /// The version of the lines that it speaks.
        version: u32,
    },
    /// A start is done.
    Done {
        /// Which.
        start: u64,
    },
    /// A start has failed; the worker goes on.
    Fail {
        /// Which.
        start: u64,
        /// Why, in words.
        #[serde(default)]
        reason: String,
        /// The image to blame, if it is one.
        #[serde(default)]
        image: Option<u32>,
        /// The unit is to blame, and can be used no more.
        #[serde(default)]
        lost: bool,
    },
    /// So far it has come.
    Progress {
        /// Which start.
        start: u64,
        /// Images done.
        done: u32,
    },
    /// Something for its log.
    Log {
        /// What.
        text: String,
    },
}

/// A line that is none of those that a worker may say.
///
/// ```
/// let nonsense = lineside_backends::host::parse_line(b"hello").unwrap_err();
/// assert!(nonsense.to_string().contains("hello"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Nonsense {
    text: String,
}

impl fmt::Display for Nonsense {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Reads a line, without its end.
///
/// # Errors
///
/// What is wrong with it, in words.
pub fn parse_line(line: &[u8]) -> Result<FromWorker, Nonsense> {
    let nonsense = |text: String| Err(Nonsense { text });
    let Ok(text) = core::str::from_utf8(line) else {
        return nonsense("it said something that is not UTF-8".to_string());
    };
    match serde_json::from_str(text) {
        Ok(FromWorker::Ready { version }) if version != TALK_VERSION => nonsense(format!(
            "it speaks version {version} of the lines, and this runner speaks {TALK_VERSION}"
        )),
        Ok(said) => Ok(said),
        Err(error) => {
            // What it says is in the error too.
            let (text, error) = (short(text), short(&error.to_string()));
            nonsense(format!("it said `{text}`: {error}"))
        }
    }
}

/// Not too long, and nothing that would steer a terminal.
fn short(text: &str) -> String {
    const CHARACTERS_MAX: usize = 120;
    let visible = |c: char| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c };
    let mut short: String = text.chars().take(CHARACTERS_MAX).map(visible).collect();
    if text.chars().nth(CHARACTERS_MAX).is_some() {
        short.push('…');
    }
    short
}

/// Lines out of pieces of bytes, as they come.
///
/// ```
/// use lineside_backends::host::Lines;
/// let mut lines = Lines::default();
/// lines.push(b"one\ntw").unwrap();
/// assert_eq!(lines.next_line().as_deref(), Some(&b"one"[..]));
/// assert_eq!(lines.next_line(), None);
/// lines.push(b"o\n").unwrap();
/// assert_eq!(lines.next_line().as_deref(), Some(&b"two"[..]));
/// ```
#[derive(Debug, Default)]
pub struct Lines {
    bytes: Vec<u8>,
    /// Where the next line begins.
    from: usize,
    /// Up to here there is no end of that line.
    looked: usize,
}

/// A line that is longer than [`LINE_MAX`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooLong;

impl fmt::Display for TooLong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "it said a line of more than {} KiB", LINE_MAX >> 10)
    }
}

impl Lines {
    /// Takes some bytes. To be called with small pieces: a piece is kept whole.
    ///
    /// # Errors
    ///
    /// [`TooLong`] if a line is, as soon as that is known. Nothing more can be read then.
    pub fn push(&mut self, piece: &[u8]) -> Result<(), TooLong> {
        self.bytes.drain(..self.from);
        self.looked -= self.from;
        self.from = 0;
        self.bytes.extend_from_slice(piece);
        let mut longest = self.bytes.split(|&byte| byte == b'\n').map(<[u8]>::len);
        if longest.any(|length| length > LINE_MAX) { Err(TooLong) } else { Ok(()) }
    }

    /// The next whole line, without its end.
    pub fn next_line(&mut self) -> Option<Vec<u8>> {
        let end = self.bytes[self.looked..].iter().position(|&byte| byte == b'\n');
        let Some(end) = end.map(|end| self.looked + end) else {
            self.looked = self.bytes.len();
            return None;
        };
        let line = self.bytes[self.from..end].to_owned();
        self.from = end + 1;
        self.looked = self.from;
        Some(line.strip_suffix(b"\r").map(<[u8]>::to_owned).unwrap_or(line))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_lines_are_refused_in_words() {
        let deep = "[".repeat(100_000);
        let long = "x".repeat(5_000);
        let variant = alloc::format!("{{\"type\": \"{}\\n\"}}", "y".repeat(5_000));
        let lines: [&[u8]; 15] = [
            b"",
            b" ",
            b"null",
            b"[]",
            b"{}",
            b"{\"type\": 1}",
            b"{\"type\": \"dance\"}",
            b"{\"type\": \"done\"}",
            b"{\"type\": \"done\", \"start\": -1}",
            b"{\"type\": \"done\", \"start\": 1e300}",
            b"{\"type\": \"ready\", \"version\": 2}",
            b"\xff\xfe",
            deep.as_bytes(),
            long.as_bytes(),
            variant.as_bytes(),
        ];
        for line in lines {
            let text = parse_line(line).expect_err("it is nonsense").to_string();
            assert!(text.len() < 1_000 && !text.is_empty() && !text.contains('\n'), "{text}");
        }
    }

    #[test]
    fn whatever_else_a_line_says_is_passed_over() {
        let line = br#"{"type":"fail","start":3,"reason":"dark","lost":true,"x":{"y":[1,2]}}"#;
        let fail = FromWorker::Fail { start: 3, reason: "dark".into(), image: None, lost: true };
        assert_eq!(parse_line(line), Ok(fail));
    }

    #[test]
    fn a_line_without_end_is_given_up_before_it_fills_memory() {
        let mut lines = Lines::default();
        let piece = [b'x'; 1 << 14];
        let taken = (0..).take_while(|_| lines.push(&piece).is_ok()).count();
        assert_eq!(taken, LINE_MAX / piece.len());
        assert!(lines.bytes.len() <= LINE_MAX + piece.len());
    }

    #[test]
    fn lines_come_whole_however_they_are_cut() {
        let text = b"a\n\nbc\r\nd";
        for cut in 0..=text.len() {
            let mut lines = Lines::default();
            let mut seen = Vec::new();
            for piece in [&text[..cut], &text[cut..]] {
                lines.push(piece).expect("short");
                seen.extend(core::iter::from_fn(|| lines.next_line()));
            }
            assert_eq!(seen, [&b"a"[..], b"", b"bc"], "{cut}");
        }
    }
}
