//! Durations and memory, as they are written.

use super::super::Time;

/// Section 1: durations are below 2^62 ns.
pub(super) const DURATION_END: u128 = 1 << 62;

/// A duration: a whole number and a unit, one or more such pairs without spaces.
pub(super) fn duration(text: &str) -> Result<Time, String> {
    let refusal = || format!("{text:?} is no duration; write it like \"10ms\" or \"1m30s\"");
    let mut total: u128 = 0;
    let mut rest = text;
    while !rest.is_empty() {
        let (number, after) = leading_number(rest).ok_or_else(refusal)?;
        let unit_end = after.find(|c: char| c.is_ascii_digit()).unwrap_or(after.len());
        let (unit, after) = after.split_at(unit_end);
        let nanoseconds: u128 = match unit {
            "ns" => 1,
            "us" => 1_000,
            "ms" => 1_000_000,
            "s" => 1_000_000_000,
            "m" => 60_000_000_000,
            "h" => 3_600_000_000_000,
            _ => return Err(refusal()),
        };
        total = total.saturating_add(number.saturating_mul(nanoseconds));
        rest = after;
    }
    if text.is_empty() || total >= DURATION_END {
        return Err(refusal());
    }
    Ok(total as Time)
}

/// An amount of memory: a whole number and a unit.
pub(super) fn memory(text: &str) -> Result<u64, String> {
    let refusal = || format!("{text:?} is no amount of memory; write it like \"8GiB\"");
    let (number, unit) = leading_number(text).ok_or_else(refusal)?;
    let bytes: u128 = match unit {
        "B" => 1,
        "kB" => 1_000,
        "MB" => 1_000_000,
        "GB" => 1_000_000_000,
        "TB" => 1_000_000_000_000,
        "KiB" => 1 << 10,
        "MiB" => 1 << 20,
        "GiB" => 1 << 30,
        "TiB" => 1 << 40,
        _ => return Err(refusal()),
    };
    u64::try_from(number.saturating_mul(bytes)).map_err(|_| refusal())
}

/// Splits off the digits at the front.
fn leading_number(text: &str) -> Option<(u128, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    Some((text[..end].parse().ok()?, &text[end..]))
}

#[cfg(test)]
mod tests {
    use super::{duration, memory};

    #[test]
    fn a_duration_is_one_or_more_pairs_without_spaces() {
        assert_eq!(duration("1m30s"), Ok(90_000_000_000));
        assert_eq!(duration("0ns"), Ok(0));
        for text in ["", "10", "ms", "10 ms", "-1s", "1.5s", "1d", "9999999h", "1s ", "+1s"] {
            assert!(duration(text).is_err(), "{text}");
        }
    }

    #[test]
    fn memory_is_a_whole_number_and_a_unit() {
        assert_eq!(memory("3kB"), Ok(3_000));
        assert_eq!(memory("3KiB"), Ok(3_072));
        for text in ["", "8", "GiB", "8 GiB", "8gib", "8KB", "1.5GiB", "99999999TiB"] {
            assert!(memory(text).is_err(), "{text}");
        }
    }
}
