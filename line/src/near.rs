//! The nearest of some names to one that is not among them.

/// Longer words are not compared: their distance would cost too much, and help nobody.
const LENGTH_MAX: usize = 64;

/// The nearest candidate and its distance; the first of equals.
pub(crate) fn nearest<'n>(
    word: &str,
    candidates: impl Iterator<Item = &'n str>,
) -> Option<(&'n str, usize)> {
    let word = Word::new(word)?;
    let mut best: Option<(&'n str, usize)> = None;
    for candidate in candidates {
        let limit = best.map_or(LENGTH_MAX, |(_, distance)| distance - 1);
        if let Some(distance) = word.distance(candidate, limit) {
            best = Some((candidate, distance));
            if distance == 0 {
                break;
            }
        }
    }
    best
}

/// As [`nearest`], but only one that the word may be a slip of.
pub(crate) fn slip<'n>(word: &str, candidates: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let (candidate, distance) = nearest(word, candidates)?;
    is_slip(word, distance).then_some(candidate)
}

/// Whether a word at this distance may be a slip: one character in three, and one in any case.
pub(crate) fn is_slip(word: &str, distance: usize) -> bool {
    distance <= (word.chars().count() / 3).max(1)
}

/// The characters of a word, without regard to case.
struct Word {
    characters: [char; LENGTH_MAX],
    length: usize,
}

impl Word {
    /// None if it is too long.
    fn new(text: &str) -> Option<Self> {
        let mut word = Word { characters: ['\0'; LENGTH_MAX], length: 0 };
        for character in text.chars() {
            *word.characters.get_mut(word.length)? = character.to_ascii_lowercase();
            word.length += 1;
        }
        Some(word)
    }

    fn characters(&self) -> &[char] {
        &self.characters[..self.length]
    }

    /// Insertions, deletions, replacements and swaps of neighbours between two words; none if
    /// more than `limit`.
    fn distance(&self, other: &str, limit: usize) -> Option<usize> {
        // A character has four bytes at most.
        if other.len() < self.length.saturating_sub(limit) || other.len() > 4 * LENGTH_MAX {
            return None;
        }
        let other = Word::new(other)?;
        if self.length.abs_diff(other.length) > limit {
            return None;
        }
        let (left, right) = (self.characters(), other.characters());
        let mut rows = [[0_usize; LENGTH_MAX + 1]; 3];
        let [mut before, mut last, mut row] = rows.each_mut();
        for (column, cell) in last.iter_mut().enumerate().take(right.len() + 1) {
            *cell = column;
        }
        for (index, a) in left.iter().enumerate() {
            row[0] = index + 1;
            let mut least = row[0];
            for (column, b) in right.iter().enumerate() {
                let replace = last[column] + usize::from(a != b);
                let mut cell = replace.min(last[column + 1] + 1).min(row[column] + 1);
                let swapped =
                    index > 0 && column > 0 && *a == right[column - 1] && left[index - 1] == *b;
                if swapped {
                    cell = cell.min(before[column - 1] + 1);
                }
                row[column + 1] = cell;
                least = least.min(cell);
            }
            if least > limit {
                return None;
            }
            (before, last, row) = (last, row, before);
        }
        Some(last[right.len()]).filter(|distance| *distance <= limit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn distance(left: &str, right: &str, limit: usize) -> Option<usize> {
        Word::new(left)?.distance(right, limit)
    }

    #[test]
    fn distances() {
        let cases = [
            ("", "", 0),
            ("a", "", 1),
            ("prioritty", "priority", 1),
            ("preced", "precede", 1),
            ("teh", "the", 1),
            ("FIFO", "fifo", 0),
            ("检测", "检查", 1),
            ("kitten", "sitting", 3),
        ];
        for (left, right, expected) in cases {
            assert_eq!(distance(left, right, 9), Some(expected), "{left} {right}");
            assert_eq!(distance(right, left, 9), Some(expected), "{right} {left}");
        }
        assert_eq!(distance("kitten", "sitting", 2), None);
        assert_eq!(distance("a", &"é".repeat(65), 99), None);
    }

    #[test]
    fn a_slip_is_near() {
        assert_eq!(slip("mame", ["name", "memory"].into_iter()), Some("name"));
        assert_eq!(slip("frobnicate", ["name", "memory"].into_iter()), None);
        assert_eq!(slip(&"a".repeat(1 << 20), ["a"].into_iter()), None);
    }
}
