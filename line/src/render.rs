//! Problems as people read them in a terminal: the line, the place underlined, what to write.

use std::collections::BTreeMap;
use std::fmt::Write;

use unicode_width::UnicodeWidthChar;

use crate::problem::{Problem, Severity};
use crate::span::{Bytes, Places, Span};

/// How [`render`] draws.
///
/// ```
/// use lineside_line::Look;
///
/// let look = Look { colour: true, ..Look::default() };
/// assert_eq!(look.width, 100);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    /// Whether to colour, with ANSI escapes.
    pub colour: bool,
    /// Columns of the terminal; longer lines of the file are cut around the place.
    pub width: u32,
}

impl Default for Look {
    fn default() -> Self {
        Look { colour: false, width: 100 }
    }
}

/// Draws problems of a text that came from a file of that name.
///
/// ```
/// use lineside_line::{Look, NoFiles, read, render};
///
/// let text = "[[device]]\nname = \"g\"\nmemory = \"8 GiB\"\n";
/// let problems = read(text, &NoFiles).unwrap_err();
/// let expected = r#"
/// error[bad-memory]: "8 GiB" is not an amount of memory
///  --> pcb.toml:3:10
///   |
/// 3 | memory = "8 GiB"
///   |          ^^^^^^^
///   = help: write "8GiB"
/// "#;
/// assert_eq!(render(&problems, text, "pcb.toml", Look::default()), expected.trim_start());
/// ```
pub fn render(problems: &[Problem], text: &str, file: &str, look: Look) -> String {
    let places = Places::new(text);
    let pen = Pen { look, places: &places };
    let mut out = String::new();
    for (index, problem) in problems.iter().enumerate() {
        if index > 0 {
            out.push('\n');
        }
        // Writing to a string cannot fail.
        let _ = pen.problem(&mut out, problem, file);
    }
    out
}

/// Columns that a tab takes.
const TAB: usize = 4;

/// Columns of a line of the file at least, however narrow the terminal.
const WIDTH_MIN: usize = 20;

#[derive(Clone, Copy)]
enum Ink {
    Error,
    Warning,
    Frame,
    Strong,
}

impl Ink {
    fn code(self) -> &'static str {
        match self {
            Ink::Error => "\x1b[1;31m",
            Ink::Warning => "\x1b[1;33m",
            Ink::Frame => "\x1b[1;34m",
            Ink::Strong => "\x1b[1m",
        }
    }
}

/// A place to underline in one line of the file.
struct Mark<'p> {
    bytes: Bytes,
    label: &'p str,
    primary: bool,
}

struct Pen<'t> {
    look: Look,
    places: &'t Places<'t>,
}

impl Pen<'_> {
    fn problem(&self, out: &mut String, problem: &Problem, file: &str) -> std::fmt::Result {
        let Problem { code, severity, message, span, related, help } = problem;
        let ink = match severity {
            Severity::Error => Ink::Error,
            Severity::Warning => Ink::Warning,
        };
        let kind = self.inked(ink, &format!("{}[{code}]", severity.name()));
        writeln!(out, "{kind}{}", self.inked(Ink::Strong, &format!(": {}", cleaned(message))))?;

        let mut lines: BTreeMap<u32, Vec<Mark<'_>>> = BTreeMap::new();
        let mark = |bytes, label, primary| Mark { bytes, label, primary };
        lines.entry(span.line).or_default().push(mark(span.bytes, "", true));
        for other in related {
            let marks = lines.entry(other.span.line).or_default();
            marks.push(mark(other.span.bytes, &other.message, false));
        }
        let last = lines.keys().next_back().copied().unwrap_or(1);
        let gutter = last.to_string().len();
        let (blank, file) = (" ".repeat(gutter), cleaned(file));
        let Span { line, column, .. } = span;
        let arrow = self.inked(Ink::Frame, "-->");
        writeln!(out, "{blank}{arrow} {file}:{line}:{column}")?;
        let bar = self.inked(Ink::Frame, "|");
        writeln!(out, "{blank} {bar}")?;
        let mut previous: Option<u32> = None;
        for (line, marks) in &lines {
            if previous.is_some_and(|previous| line - previous > 1) {
                writeln!(out, "{}", self.inked(Ink::Frame, "..."))?;
            }
            previous = Some(*line);
            self.line(out, *line, marks, gutter, ink)?;
        }
        if let Some(help) = help {
            let sign = self.inked(Ink::Frame, "=");
            let word = self.inked(Ink::Strong, "help");
            writeln!(out, "{blank} {sign} {word}: {}", cleaned(help))?;
        }
        Ok(())
    }

    /// A line of the file, and below it a row for each mark.
    fn line(
        &self,
        out: &mut String,
        number: u32,
        marks: &[Mark<'_>],
        gutter: usize,
        ink: Ink,
    ) -> std::fmt::Result {
        let (text, start) = self.places.line(number);
        let within = |offset: u32| (offset as usize).saturating_sub(start).min(text.len());
        let focus = marks.iter().find(|mark| mark.primary).or(marks.first());
        let focus = focus.map_or(0, |mark| within(mark.bytes.start));
        let width = (self.look.width as usize).saturating_sub(gutter + 3).max(WIDTH_MIN);
        let window = window(text, floor(text, focus), width);
        let shown = &text[window.start..window.end];
        let before = if window.start > 0 { "…" } else { "" };
        let after = if window.end < text.len() { "…" } else { "" };
        let bar = self.inked(Ink::Frame, "|");
        let label = self.inked(Ink::Frame, &format!("{number:>gutter$}"));
        let line = format!("{label} {bar} {before}{}{after}", cleaned(shown));
        writeln!(out, "{}", line.trim_end())?;
        for mark in marks {
            let from = floor(text, within(mark.bytes.start));
            let to = floor(text, within(mark.bytes.end)).max(from);
            if from < window.start || from > window.end {
                continue;
            }
            let to = to.min(window.end);
            let indent = columns(&text[window.start..from]) + before.chars().count();
            let length = columns(&text[from..to]).max(1);
            let (sign, ink) = if mark.primary { ("^", ink) } else { ("-", Ink::Frame) };
            let line = self.inked(ink, &sign.repeat(length));
            let label =
                if mark.label.is_empty() { String::new() } else { format!(" {}", mark.label) };
            let label = cleaned(&label);
            writeln!(out, "{:gutter$} {bar} {:indent$}{line}{label}", "", "")?;
        }
        Ok(())
    }

    fn inked(&self, ink: Ink, text: &str) -> String {
        match self.look.colour {
            true => format!("{}{text}\x1b[0m", ink.code()),
            false => text.to_owned(),
        }
    }
}

/// The part of a line that fits, around a place.
fn window(text: &str, focus: usize, width: usize) -> std::ops::Range<usize> {
    // Two columns for what shows that the line goes on.
    let width = width - 2;
    let mut end = focus;
    let mut used = 0;
    for c in text[focus..].chars() {
        used += column(c);
        if used > width {
            break;
        }
        end += c.len_utf8();
    }
    let fits = end == text.len();
    // What is not needed to the right is used to the left.
    let left = if fits { width - used.min(width) } else { width / 3 };
    let mut start = focus;
    let mut used_left = 0;
    for c in text[..focus].chars().rev() {
        used_left += column(c);
        if used_left > left {
            break;
        }
        start -= c.len_utf8();
    }
    if !fits {
        // Make room for what stands to the left.
        let mut surplus = used_left.min(left);
        while surplus > 0 && end > focus {
            let Some(c) = text[focus..end].chars().next_back() else {
                break;
            };
            surplus = surplus.saturating_sub(column(c).max(1));
            end -= c.len_utf8();
        }
    }
    start..end
}

fn floor(text: &str, offset: usize) -> usize {
    text.floor_char_boundary(offset)
}

/// The columns that a text takes in a terminal.
fn columns(text: &str) -> usize {
    text.chars().map(column).sum()
}

fn column(c: char) -> usize {
    match c {
        '\t' => TAB,
        c if is_unsafe(c) => 1,
        c => c.width().unwrap_or(1),
    }
}

/// Characters that would move the cursor, or turn text around.
fn is_unsafe(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// A text as a terminal may show it.
fn cleaned(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\t' => clean.push_str(&" ".repeat(TAB)),
            c if is_unsafe(c) => clean.push(char::REPLACEMENT_CHARACTER),
            c => clean.push(c),
        }
    }
    clean
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_fits_and_holds_its_place() {
        let text = "检测 = \"äöü\" and more than fits in a narrow terminal".repeat(3);
        for width in [20, 33, 80] {
            for (focus, _) in text.char_indices() {
                let window = window(&text, focus, width);
                assert!(window.start <= focus && focus < window.end, "{focus} {window:?}");
                assert!(columns(&text[window]) <= width - 2);
            }
        }
    }

    #[test]
    fn a_line_that_fits_is_whole() {
        assert_eq!(window("a = 1", 4, 20), 0..5);
        assert_eq!(window("", 0, 20), 0..0);
    }
}
