//! The nearest of some names to one that is not among them.

/// Longer words are not compared: their distance would cost too much, and help nobody.
const LENGTH_MAX: usize = 64;

/// The nearest candidate and its distance; the first of equals.
pub(crate) fn nearest<'n>(
    word: &str,
    candidates: impl Iterator<Item = &'n str>,
) -> Option<(&'n str, usize)> {
    let mut best: Option<(&'n str, usize)> = None;
    for candidate in candidates {
        let limit = best.map_or(LENGTH_MAX, |(_, distance)| distance.saturating_sub(1));
        if let Some(distance) = distance(word, candidate, limit) {
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

/// Insertions, deletions, replacements and swaps of neighbours between two words, without regard
/// to case; none if more than `limit`.
fn distance(left: &str, right: &str, limit: usize) -> Option<usize> {
    if left.len().abs_diff(right.len()) > limit * 4 {
        return None;
    }
    let left: Vec<char> = left.chars().take(LENGTH_MAX + 1).collect();
    let right: Vec<char> = right.chars().take(LENGTH_MAX + 1).collect();
    let too_long = left.len().max(right.len()) > LENGTH_MAX;
    if too_long || left.len().abs_diff(right.len()) > limit {
        return None;
    }
    let mut rows = [[0_usize; LENGTH_MAX + 1]; 3];
    for (column, cell) in rows[1].iter_mut().enumerate() {
        *cell = column;
    }
    for (row, a) in left.iter().enumerate() {
        // rows[2] is the row being filled, rows[1] the one before, rows[0] the one before that.
        rows[2][0] = row + 1;
        let mut least = row + 1;
        for (column, b) in right.iter().enumerate() {
            let replace = rows[1][column] + usize::from(!a.eq_ignore_ascii_case(b));
            let mut cell = replace.min(rows[1][column + 1] + 1).min(rows[2][column] + 1);
            let swapped =
                row > 0 && column > 0 && *a == right[column - 1] && left[row - 1] == *b && a != b;
            if swapped {
                cell = cell.min(rows[0][column - 1] + 1);
            }
            rows[2][column + 1] = cell;
            least = least.min(cell);
        }
        if least > limit {
            return None;
        }
        rows.rotate_left(1);
    }
    // After the last turn the row just filled stands in the middle.
    Some(rows[1][right.len()]).filter(|distance| *distance <= limit)
}

#[cfg(test)]
mod tests {
    use super::*;

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
    }

    #[test]
    fn a_slip_is_near() {
        assert_eq!(slip("mame", ["name", "memory"].into_iter()), Some("name"));
        assert_eq!(slip("frobnicate", ["name", "memory"].into_iter()), None);
        assert_eq!(slip(&"a".repeat(1 << 20), ["a"].into_iter()), None);
    }
}
