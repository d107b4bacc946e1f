//! Where something stands in the text: byte ranges, and the lines and columns that people count.

use std::ops::Range;

/// A range of bytes of the text of a line file.
///
/// ```
/// use lineside_line::tree::Bytes;
///
/// assert_eq!(&"batch = 0"[Bytes::new(8, 9).range()], "0");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Bytes {
    /// The first byte.
    pub start: u32,
    /// The first byte after it.
    pub end: u32,
}

impl Bytes {
    /// The bytes from `start` to before `end`. Texts of 4 GiB and more are refused before this.
    pub fn new(start: usize, end: usize) -> Self {
        let narrow = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
        Bytes { start: narrow(start), end: narrow(end.max(start)) }
    }

    /// The same range for indexing.
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// A place in the text, for people and for editors.
///
/// Lines and columns count from 1, columns in characters; `end_line` and `end_column` name the
/// first character after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Span {
    /// The bytes.
    pub bytes: Bytes,
    /// The line of its first character.
    pub line: u32,
    /// The column of its first character.
    pub column: u32,
    /// The line of the first character after it.
    pub end_line: u32,
    /// The column of the first character after it.
    pub end_column: u32,
}

/// Bytes between two known character counts: what finding one column may cost at most.
const BLOCK: usize = 256;

/// Turns byte offsets into lines and columns, at a bounded cost each however long the lines are.
pub(crate) struct Places<'t> {
    text: &'t str,
    line_starts: Vec<u32>,
    /// Characters before each block of [`BLOCK`] bytes.
    characters: Vec<u32>,
}

impl<'t> Places<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        // A byte order mark is no character of the first line.
        let first = if text.starts_with('\u{feff}') { 3 } else { 0 };
        let mut line_starts = vec![first];
        let mut characters = Vec::with_capacity(text.len() / BLOCK + 1);
        let mut count = 0;
        for (offset, byte) in text.bytes().enumerate() {
            if offset.is_multiple_of(BLOCK) {
                characters.push(count);
            }
            count += u32::from(starts_character(byte));
            if byte == b'\n' {
                line_starts.push(Bytes::new(offset + 1, offset + 1).start);
            }
        }
        if text.len().is_multiple_of(BLOCK) {
            characters.push(count);
        }
        Places { text, line_starts, characters }
    }

    pub(crate) fn span(&self, bytes: Bytes) -> Span {
        let (line, column) = self.place(bytes.start);
        let (end_line, end_column) = self.place(bytes.end);
        Span { bytes, line, column, end_line, end_column }
    }

    /// The text of a line (counted from 1) without its end, and where it starts.
    pub(crate) fn line(&self, line: u32) -> (&'t str, usize) {
        let index = line.saturating_sub(1) as usize;
        let start = self.line_starts.get(index).map_or(self.text.len(), |start| *start as usize);
        let end = self.line_starts.get(index + 1).map_or(self.text.len(), |next| *next as usize);
        let line = self.text.get(start..end).unwrap_or("");
        let line = line.strip_suffix('\n').unwrap_or(line);
        (line.strip_suffix('\r').unwrap_or(line), start)
    }

    fn place(&self, offset: u32) -> (u32, u32) {
        let offset = offset.min(Bytes::new(self.text.len(), self.text.len()).start);
        // The first line starts at 0, or at 3 after a byte order mark.
        let line = self.line_starts.partition_point(|start| *start <= offset).max(1);
        let start = self.line_starts[line - 1];
        let column = self.characters_before(offset) - self.characters_before(start.min(offset)) + 1;
        (line as u32, column)
    }

    fn characters_before(&self, offset: u32) -> u32 {
        let block = offset as usize / BLOCK;
        let rest = &self.text.as_bytes()[block * BLOCK..offset as usize];
        let inside = rest.iter().filter(|byte| starts_character(**byte)).count();
        self.characters[block] + inside as u32
    }
}

fn starts_character(byte: u8) -> bool {
    byte & 0b1100_0000 != 0b1000_0000
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(text: &str, start: usize, end: usize) -> (u32, u32, u32, u32) {
        let span = Places::new(text).span(Bytes::new(start, end));
        (span.line, span.column, span.end_line, span.end_column)
    }

    #[test]
    fn columns_count_characters() {
        assert_eq!(place("检测 = 1", 9, 10), (1, 6, 1, 7));
    }

    #[test]
    fn the_end_of_a_text_is_a_place() {
        assert_eq!(place("", 0, 0), (1, 1, 1, 1));
        assert_eq!(place("a\r\n", 3, 3), (2, 1, 2, 1));
        assert_eq!(place("a", 7, 9), (1, 2, 1, 2));
    }

    #[test]
    fn a_byte_order_mark_has_no_column() {
        assert_eq!(place("\u{feff}a = 1", 3, 4), (1, 1, 1, 2));
        assert_eq!(place("\u{feff}a = 1", 0, 3), (1, 1, 1, 1));
    }

    #[test]
    fn places_are_the_same_at_the_edges_of_blocks() {
        let text = "é".repeat(BLOCK);
        for offset in [0, BLOCK - 2, BLOCK, BLOCK + 2, 2 * BLOCK] {
            assert_eq!(place(&text, offset, offset).1 as usize, offset / 2 + 1);
        }
    }
}
