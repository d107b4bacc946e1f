//! Faults of syntax, in words.

use toml_parser::{Expected, ParseError};

use crate::problem::Code;
use crate::report::{Finding, Report};
use crate::tree::Bytes;

/// A fault of syntax.
#[derive(Debug)]
pub(super) struct Fault {
    at: Bytes,
    kind: FaultKind,
}

#[derive(Debug)]
enum FaultKind {
    /// What the parser says, for people who know TOML.
    Parser(String),
    /// As before, about a text that never ends.
    Text(String),
    /// A bracket that is never closed; all behind it is taken for what is in it.
    Unclosed(&'static str),
    /// A key, or the table of a header, that is there already.
    Twice { first: Bytes, header: bool },
    /// A path of keys through what is no table.
    Value { first: Bytes },
    /// More in one another than any line file needs.
    TooDeep,
}

impl Fault {
    pub(super) fn parser(error: &ParseError) -> Self {
        let at = error.unexpected().or(error.context()).unwrap_or_default();
        let at = Bytes::new(at.start(), at.end());
        let open = error.context().map(|open| Bytes::new(open.start(), open.end()));
        let unclosed = match error.description() {
            "unclosed array" => Some("]"),
            "unclosed inline table" => Some("}"),
            _ => None,
        };
        match (unclosed, open) {
            (Some(end), Some(open)) => Fault { at: open, kind: FaultKind::Unclosed(end) },
            (_, _) => Fault { at, kind: FaultKind::Parser(message(error)) },
        }
    }

    pub(super) fn twice(at: Bytes, first: Bytes, header: bool) -> Self {
        Fault { at, kind: FaultKind::Twice { first, header } }
    }

    pub(super) fn value(at: Bytes, first: Bytes) -> Self {
        Fault { at, kind: FaultKind::Value { first } }
    }

    pub(super) fn too_deep(at: Bytes) -> Self {
        Fault { at, kind: FaultKind::TooDeep }
    }

    /// The fault of a key or value that stands there: a text that never ends is wrong as a whole.
    pub(super) fn inside(self, at: Bytes) -> Self {
        match self.kind {
            FaultKind::Parser(message) if self.at.start >= at.end && is_text(&message) => {
                Fault { at, kind: FaultKind::Text(message) }
            }
            kind => Fault { at: self.at, kind },
        }
    }

    /// Whether tables behind it may have been taken for something else.
    pub(super) fn loses_tables(&self) -> bool {
        match &self.kind {
            FaultKind::Parser(message) | FaultKind::Text(message) => message.contains("multi-line"),
            FaultKind::Unclosed(_) | FaultKind::TooDeep => true,
            FaultKind::Twice { header, .. } => *header,
            FaultKind::Value { .. } => false,
        }
    }
}

fn is_text(message: &str) -> bool {
    message.contains("string, expected `")
}

/// What the parser says, and what it expected.
fn message(error: &ParseError) -> String {
    let mut message = error.description().to_owned();
    let expected: Vec<String> = error
        .expected()
        .unwrap_or_default()
        .iter()
        .map(|expected| match expected {
            Expected::Literal("\n") => "a new line".to_owned(),
            Expected::Literal(literal) => format!("`{literal}`"),
            Expected::Description(description) => (*description).to_owned(),
            // The parser may learn to expect more.
            _ => "something else".to_owned(),
        })
        .collect();
    if !expected.is_empty() {
        message.push_str(", expected ");
        message.push_str(&expected.join(" or "));
    }
    message
}

/// Reports faults: one a line, since what a line's second fault says follows from the first, and
/// none behind a bracket that is never closed.
pub(super) fn describe(text: &str, mut faults: Vec<Fault>, report: &mut Report) {
    let unclosed = faults.iter().filter(|fault| matches!(fault.kind, FaultKind::Unclosed(_)));
    let unclosed = unclosed.map(|fault| fault.at).min();
    if let Some(open) = unclosed {
        faults.retain(|fault| fault.at <= open);
    }
    faults.sort_by_key(|fault| fault.at);
    let mut seen = 0;
    for (index, fault) in faults.iter().enumerate() {
        let start = text.floor_char_boundary(fault.at.start as usize);
        let same_line = index > 0 && !text.as_bytes()[seen..start].contains(&b'\n');
        seen = start;
        if !same_line || matches!(fault.kind, FaultKind::Unclosed(_)) {
            report.add(finding(text, fault));
        }
    }
    if let Some(open) = unclosed {
        report.mute_from(open.start);
    }
}

fn finding(text: &str, fault: &Fault) -> Finding {
    let at = fault.at;
    let raw = text.get(at.range()).unwrap_or("");
    let error = |message: &str| Finding::error(Code::Syntax, at, message);
    match &fault.kind {
        FaultKind::Parser(message) => parser_finding(text, at, raw, message),
        FaultKind::Text(_) if raw.starts_with("\"\"\"") || raw.starts_with("'''") => {
            error("this text is never closed").help("write the same three quotes at its end")
        }
        FaultKind::Text(_) => error("this text has no closing quote on its line")
            .help("write the same quote at its end"),
        FaultKind::Unclosed(end) => error(&format!("this `{raw}` is never closed"))
            .help(format!("write `{end}` after its last item")),
        FaultKind::Twice { first, header } => {
            let message = format!("`{raw}` stands twice");
            let finding =
                Finding::error(Code::DuplicateKey, at, message).related(*first, "first here");
            match header {
                true => finding.help(format!(
                    "write one `[{raw}]`, or `[[{raw}]]` each time where there can be several"
                )),
                false => finding.help("keep one of them"),
            }
        }
        FaultKind::Value { first } => {
            error(&format!("`{raw}` is not a table that keys can be added to"))
                .related(*first, "it is written here")
                .help("write the whole table in one place")
        }
        FaultKind::TooDeep => {
            error("too many lists, tables or keys in one another").help("no line file needs these")
        }
    }
}

/// The parser's messages, where people would not see what they mean.
fn parser_finding(text: &str, at: Bytes, raw: &str, message: &str) -> Finding {
    let error = |message: &str| Finding::error(Code::Syntax, at, message);
    let word = message.starts_with("string values must be quoted")
        || message.starts_with("invalid float, expected `nan`")
        || message.starts_with("invalid float, expected `inf`");
    if word && raw.is_empty() {
        return error("a value is missing here").help("write a value after `=`");
    }
    if word {
        let bare = raw.trim_matches(|quote| matches!(quote, '“' | '”' | '„' | '‘' | '’' | '\''));
        let bare: String = bare.chars().filter(|c| !c.is_control() && *c != '"').collect();
        return error("not a value").help(format!("write text in straight quotes: \"{bare}\""));
    }
    if message.starts_with("invalid boolean") {
        return error("not a value").help(format!("write `{}`", raw.to_ascii_lowercase()));
    }
    if message.starts_with("invalid unquoted key") && raw.starts_with(':') {
        return error("`:` after a key").help("write `=`");
    }
    if message.starts_with("key with no value") {
        let key = line_before(text, at.start).trim();
        return error(&format!("`{key}` has no value"))
            .help(format!("write `{key} = ` and the value"));
    }
    for (unclosed, end) in [("unclosed array table", "]]"), ("unclosed table", "]")] {
        if message.starts_with(unclosed) {
            return error("this header is not closed").help(format!("write `{end}` at its end"));
        }
    }
    error(&format!("not TOML: {message}"))
}

/// The line up to an offset.
fn line_before(text: &str, offset: u32) -> &str {
    let before = &text[..text.floor_char_boundary(offset as usize)];
    &before[before.rfind('\n').map_or(0, |end| end + 1)..]
}
