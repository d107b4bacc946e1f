//! What faults of syntax say to people, and what they did to the tree.
//!
//! The parser goes on after a fault. What it makes of the rest is right for most faults; for the
//! others this module says which keys and tables may be missing, so that nobody is blamed for
//! what only follows from the fault.

use toml::de::Error;

use crate::problem::Code;
use crate::report::{Finding, Report};
use crate::tree::Bytes;

/// The faults of syntax of one text, and what they damaged.
#[derive(Debug, Default)]
pub(super) struct Damage {
    /// By place.
    faults: Vec<Fault>,
    /// Where the headers of tables start; sorted by `settle`.
    headers: Vec<u32>,
    /// Those of `headers` whose table lost entries; sorted.
    broken: Vec<u32>,
    /// Text that an unclosed bracket or quote swallowed; sorted.
    swallowed: Vec<Bytes>,
    /// The root table lost entries.
    pub(super) root: bool,
    /// Tables may have been lost.
    pub(super) lost: bool,
}

#[derive(Debug)]
struct Fault {
    at: Bytes,
    message: String,
    /// The value that it is in: that value is damaged, its key is not.
    leaf: Option<Bytes>,
    /// The outermost list or table that is not closed here.
    unclosed: Option<Bytes>,
}

impl Fault {
    fn is_unclosed(&self) -> bool {
        self.message.starts_with("unclosed") || self.message.contains("multi-line")
    }
}

impl Damage {
    /// The faults, one a line: what a line's second fault says follows from the first.
    pub(super) fn new(text: &str, errors: &[Error]) -> Self {
        let mut faults: Vec<Fault> = errors.iter().map(|error| fault(text, error)).collect();
        faults.sort_by_key(|fault| fault.at.start);
        let mut seen = 0;
        let mut first = true;
        faults.retain(|fault| {
            let start = floor(text, fault.at.start as usize);
            let new_line = first || text.as_bytes()[seen..start].contains(&b'\n');
            first = false;
            seen = start;
            new_line || fault.is_unclosed()
        });
        Damage { faults, ..Damage::default() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.faults.is_empty()
    }

    pub(super) fn header(&mut self, at: Bytes) {
        self.headers.push(at.start);
    }

    pub(super) fn container(&mut self, at: Bytes) {
        for fault in from(&mut self.faults, at.end) {
            if fault.at.start > at.end {
                break;
            }
            let outermost = fault.unclosed.is_none_or(|inner| at.start < inner.start);
            if outermost && fault.message.starts_with("unclosed") {
                fault.unclosed = Some(at);
            }
        }
    }

    pub(super) fn leaf(&mut self, at: Bytes) {
        for fault in from(&mut self.faults, at.start) {
            if fault.at.start > at.end {
                break;
            }
            fault.leaf = Some(at);
            if fault.message.contains("multi-line") && fault.at.start == at.end {
                fault.unclosed = Some(at);
            }
        }
    }

    /// Once everything has been seen: works out what is damaged.
    pub(super) fn settle(&mut self, text: &str) {
        self.headers.sort_unstable();
        let swallowed = self.faults.iter().filter_map(|fault| fault.unclosed);
        self.swallowed = merged(swallowed.collect());
        for fault in &mut self.faults {
            if let Some(open) = fault.unclosed {
                fault.at = Bytes { start: open.start, end: open.start + 1 };
                self.lost = true;
            }
        }
        // Of what is inside swallowed text only the opening itself is told.
        let swallowed = &self.swallowed;
        self.faults.retain(|fault| {
            let inside = swallowed.partition_point(|region| region.start <= fault.at.start);
            let region = inside.checked_sub(1).map(|index| swallowed[index]);
            match region.filter(|region| fault.at.start <= region.end) {
                Some(region) => fault.unclosed == Some(region),
                None => true,
            }
        });
        self.faults.sort_by_key(|fault| fault.at.start);
        for fault in &self.faults {
            let in_header = starts_in_header(text, fault.at.start);
            self.lost |= in_header || fault.message.contains("recur");
            let duplicate = fault.message.starts_with("duplicate key") && !in_header;
            if fault.leaf.is_none() && !duplicate {
                match self.headers.partition_point(|header| *header <= fault.at.start) {
                    0 => self.root = true,
                    after => self.broken.push(self.headers[after - 1]),
                }
            }
        }
        self.root |= self.lost;
    }

    pub(super) fn has_header(&self, at: Bytes) -> bool {
        self.broken.binary_search(&at.start).is_ok()
    }

    /// Whether a fault is in or at the edge of this value.
    pub(super) fn touches(&self, at: Bytes) -> bool {
        let first = self.faults.partition_point(|fault| fault.at.start < at.start);
        let fault = self.faults.get(first).is_some_and(|fault| fault.at.start <= at.end);
        let region = self.swallowed.partition_point(|region| region.end <= at.start);
        fault || self.swallowed.get(region).is_some_and(|region| region.start < at.end)
    }

    /// Says each fault in words.
    pub(super) fn describe(&self, text: &str, report: &mut Report) {
        for fault in &self.faults {
            report.add(finding(text, fault));
        }
    }
}

fn fault(text: &str, error: &Error) -> Fault {
    let (start, end) = match error.span() {
        Some(span) => (floor(text, span.start), floor(text, span.end)),
        None => (0, 0),
    };
    let message = error.message().trim_end_matches(", expected nothing").to_owned();
    Fault { at: Bytes::new(start, end), message, leaf: None, unclosed: None }
}

/// The nearest boundary of a character at or before an offset.
fn floor(text: &str, offset: usize) -> usize {
    text.floor_char_boundary(offset)
}

/// The faults from an offset on.
fn from(faults: &mut [Fault], offset: u32) -> impl Iterator<Item = &mut Fault> {
    let first = faults.partition_point(|fault| fault.at.start < offset);
    faults[first..].iter_mut()
}

/// Regions without those that lie inside others.
fn merged(mut regions: Vec<Bytes>) -> Vec<Bytes> {
    regions.sort_unstable_by_key(|region| (region.start, std::cmp::Reverse(region.end)));
    let mut outer: Vec<Bytes> = Vec::new();
    for region in regions {
        if outer.last().is_none_or(|last| region.start > last.end) {
            outer.push(region);
        }
    }
    outer
}

/// The line up to an offset.
fn line_before(text: &str, offset: u32) -> &str {
    let before = &text[..floor(text, offset as usize)];
    &before[before.rfind('\n').map_or(0, |end| end + 1)..]
}

fn starts_in_header(text: &str, offset: u32) -> bool {
    let before = line_before(text, offset).trim_start();
    before.starts_with('[') && !before.contains('=')
}

/// The words for a fault.
fn finding(text: &str, fault: &Fault) -> Finding {
    let error = |at: Bytes, message: String| Finding::error(Code::Syntax, at, message);
    let raw = &text[fault.at.range()];
    let message = fault.message.as_str();
    if fault.unclosed.is_some() {
        return unclosed(fault);
    }
    if message.starts_with("duplicate key") {
        let finding = Finding::error(Code::DuplicateKey, fault.at, format!("`{raw}` stands twice"));
        return match starts_in_header(text, fault.at.start) {
            true => finding.help(format!(
                "write one `[{raw}]`, or `[[{raw}]]` each time where there can be several"
            )),
            false => finding.help("keep one of them"),
        };
    }
    if let Some(help) = unquoted(message, raw) {
        let message = if raw.is_empty() { "a value is missing here" } else { "not a value" };
        return error(fault.at, message.into()).help(help);
    }
    if message.starts_with("invalid unquoted key") && raw.starts_with(':') {
        return error(fault.at, "`:` after a key".into()).help("write `=`");
    }
    if message.starts_with("key with no value") {
        let key = line_before(text, fault.at.start).trim();
        return error(fault.at, format!("`{key}` has no value"))
            .help(format!("write `{key} = ` and the value"));
    }
    if let (Some(leaf), true) = (fault.leaf, message.starts_with("invalid basic string")) {
        return error(leaf, "this text has no closing quote on its line".into())
            .help("write `\"` at its end");
    }
    error(fault.at, format!("not TOML: {message}"))
}

fn unclosed(fault: &Fault) -> Finding {
    let (message, help) = if fault.message.contains("inline table") {
        ("this `{` is never closed", "write `}` after its last entry")
    } else if fault.message.contains("multi-line") {
        ("this text is never closed", "write the same three quotes at its end")
    } else {
        ("this `[` is never closed", "write `]` after its last item")
    };
    Finding::error(Code::Syntax, fault.at, message).help(help)
}

/// What to write for a word that stands where a value should.
fn unquoted(message: &str, raw: &str) -> Option<String> {
    let word = message.starts_with("string values must be quoted")
        || message.starts_with("invalid float, expected `nan`")
        || message.starts_with("invalid float, expected `inf`");
    if word && raw.is_empty() {
        return Some("write a value after `=`".into());
    }
    if word {
        let text = raw.trim_matches(|quote| matches!(quote, '“' | '”' | '„' | '‘' | '’' | '\''));
        let text: String = text.chars().filter(|c| !c.is_control() && *c != '"').collect();
        return Some(format!("write text in straight quotes: `\"{text}\"`"));
    }
    let flag = message.starts_with("invalid boolean");
    flag.then(|| format!("write `{}`", raw.to_ascii_lowercase()))
}
