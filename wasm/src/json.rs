//! JSON, and places in the text as JavaScript counts them.

use serde::Serialize;

/// As JSON.
pub(crate) fn text(value: &impl Serialize) -> String {
    // Strings, numbers and lists can't fail to be written.
    serde_json::to_string(value).unwrap_or_default()
}

/// Turns offsets in bytes into offsets in UTF-16.
pub(crate) struct Utf16<'t> {
    text: &'t str,
    /// How many units of UTF-16 stand before each block of bytes.
    before: Vec<usize>,
}

/// What finding one offset may cost at most.
const BLOCK: usize = 512;

impl<'t> Utf16<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        let mut before = Vec::with_capacity(text.len() / BLOCK + 1);
        let mut units = 0;
        for block in text.as_bytes().chunks(BLOCK) {
            before.push(units);
            units += block.iter().map(|&byte| units_of(byte)).sum::<usize>();
        }
        before.push(units);
        Utf16 { text, before }
    }

    pub(crate) fn at(&self, byte: u32) -> usize {
        let byte = (byte as usize).min(self.text.len());
        let block = byte / BLOCK;
        let rest = &self.text.as_bytes()[block * BLOCK..byte];
        self.before[block] + rest.iter().map(|&byte| units_of(byte)).sum::<usize>()
    }
}

/// Units of UTF-16 that a character takes, counted at its first byte.
fn units_of(byte: u8) -> usize {
    match byte {
        0x80..0xC0 => 0,
        0xF0.. => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_are_those_of_utf16() {
        let text = "aé检🙂z".repeat(300);
        let places = Utf16::new(&text);
        for (byte, _) in text.char_indices() {
            let expected = text[..byte].encode_utf16().count();
            assert_eq!(places.at(byte as u32), expected, "{byte}");
        }
        assert_eq!(places.at(u32::MAX), text.encode_utf16().count());
    }
}
