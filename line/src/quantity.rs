//! Durations and amounts of memory: as a line file writes them, and as people read them.

/// Durations of a line file are shorter than this many nanoseconds.
pub const DURATION_LIMIT: u64 = 1 << 62;

const DURATION_UNITS: [(&str, u64); 6] = [
    ("ns", 1),
    ("us", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("m", 60 * 1_000_000_000),
    ("h", 3_600 * 1_000_000_000),
];

const MEMORY_UNITS: [(&str, u64); 9] = [
    ("B", 1),
    ("kB", 1_000),
    ("MB", 1_000_000),
    ("GB", 1_000_000_000),
    ("TB", 1_000_000_000_000),
    ("KiB", 1 << 10),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
    ("TiB", 1 << 40),
];

/// Why a text is no duration, or no amount of memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum QuantityError {
    /// It is not whole numbers with units, without spaces.
    Malformed,
    /// It is, but the amount is beyond all bounds.
    TooLarge,
}

/// A duration as a line file writes it, in nanoseconds: `"1m30s"`.
///
/// ```
/// use lineside_line::quantity::{QuantityError, duration};
///
/// assert_eq!(duration("1m30s"), Ok(90_000_000_000));
/// assert_eq!(duration("1.5s"), Err(QuantityError::Malformed));
/// assert_eq!(duration("9999999h"), Err(QuantityError::TooLarge));
/// ```
pub fn duration(text: &str) -> Result<u64, QuantityError> {
    let mut total: u128 = 0;
    let mut rest = text;
    while !rest.is_empty() || text.is_empty() {
        let (number, after) = whole_number(rest)?;
        let unit_length = after.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(after.len());
        let (unit, after) = after.split_at(unit_length);
        let unit = size_of_unit(&DURATION_UNITS, unit).ok_or(QuantityError::Malformed)?;
        total = total.saturating_add(number.saturating_mul(u128::from(unit)));
        rest = after;
    }
    match u64::try_from(total) {
        Ok(total) if total < DURATION_LIMIT => Ok(total),
        Ok(_) | Err(_) => Err(QuantityError::TooLarge),
    }
}

/// An amount of memory as a line file writes it as text, in bytes: `"8GiB"`.
///
/// ```
/// use lineside_line::quantity::memory;
///
/// assert_eq!(memory("8GiB"), Ok(8 << 30));
/// assert_eq!(memory("500MB"), Ok(500_000_000));
/// assert!(memory("8 GiB").is_err());
/// ```
pub fn memory(text: &str) -> Result<u64, QuantityError> {
    let (number, unit) = whole_number(text)?;
    let unit = size_of_unit(&MEMORY_UNITS, unit).ok_or(QuantityError::Malformed)?;
    let total = number.saturating_mul(u128::from(unit));
    u64::try_from(total).map_err(|_| QuantityError::TooLarge)
}

fn whole_number(text: &str) -> Result<(u128, &str), QuantityError> {
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, rest) = text.split_at(digits);
    if number.is_empty() {
        return Err(QuantityError::Malformed);
    }
    // More digits than fit are beyond all bounds anyway.
    Ok((number.parse().unwrap_or(u128::MAX), rest))
}

fn size_of_unit(units: &[(&str, u64)], unit: &str) -> Option<u64> {
    units.iter().find(|(name, _)| *name == unit).map(|(_, size)| *size)
}

/// A duration for people, to three or four digits.
///
/// ```
/// use lineside_line::quantity::show_duration;
///
/// assert_eq!(show_duration(12_500_000), "12.5 ms");
/// assert_eq!(show_duration(90_000_000_000), "1 min 30 s");
/// assert_eq!(show_duration(0), "0 s");
/// ```
pub fn show_duration(nanoseconds: u64) -> String {
    match nanoseconds {
        0 => "0 s".into(),
        1..1_000 => format!("{nanoseconds} ns"),
        1_000..1_000_000 => format!("{} µs", decimal(nanoseconds, 1_000)),
        1_000_000..1_000_000_000 => format!("{} ms", decimal(nanoseconds, 1_000_000)),
        1_000_000_000..60_000_000_000 => format!("{} s", decimal(nanoseconds, 1_000_000_000)),
        _ => {
            let seconds = nanoseconds / 1_000_000_000;
            let parts = match (seconds / 3_600, seconds / 60 % 60, seconds % 60) {
                (0, minutes, seconds) => [(minutes, "min"), (seconds, "s")],
                (hours, minutes, _) => [(hours, "h"), (minutes, "min")],
            };
            let parts = parts.iter().filter(|(count, _)| *count > 0);
            parts.map(|(count, unit)| format!("{count} {unit}")).collect::<Vec<_>>().join(" ")
        }
    }
}

/// An amount of memory for people, to one digit after the point.
///
/// ```
/// use lineside_line::quantity::show_memory;
///
/// assert_eq!(show_memory(7_730_941_133), "7.2 GiB");
/// assert_eq!(show_memory(512 << 20), "512 MiB");
/// ```
pub fn show_memory(bytes: u64) -> String {
    let mut units = MEMORY_UNITS[5..].iter().rev();
    match units.find(|(_, size)| *size <= bytes) {
        Some((unit, size)) => {
            let tenths = (u128::from(bytes) * 10 + u128::from(*size) / 2) / u128::from(*size);
            match tenths % 10 {
                0 => format!("{} {unit}", tenths / 10),
                tenth => format!("{}.{tenth} {unit}", tenths / 10),
            }
        }
        None => format!("{bytes} B"),
    }
}

/// Two amounts of memory that differ, shown so that they also look different.
pub(crate) fn show_memories(one: u64, other: u64) -> (String, String) {
    let shown = (show_memory(one), show_memory(other));
    match shown.0 == shown.1 && one != other {
        true => (format!("{one} B"), format!("{other} B")),
        false => shown,
    }
}

/// `amount` / `unit`, cut to three digits after the point, without zeros at its end.
fn decimal(amount: u64, unit: u64) -> String {
    let (whole, rest) = (amount / unit, amount % unit);
    let thousandths = rest * 1_000 / unit;
    let shown = format!("{whole}.{thousandths:03}");
    shown.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// What someone who wrote this as a duration may have meant, as a line file writes it.
pub(crate) fn meant_duration(text: &str) -> Option<String> {
    let text = text.trim().to_lowercase();
    let mut total: u128 = 0;
    let mut rest = text.as_str();
    while !rest.is_empty() {
        let (number, unit, after) = lenient_pair(rest)?;
        let unit = match unit {
            "ns" | "nsec" | "nanoseconds" => 1,
            "us" | "µs" | "μs" | "usec" | "microseconds" => 1_000,
            "ms" | "msec" | "msecs" | "millis" | "milliseconds" => 1_000_000,
            "s" | "sec" | "secs" | "second" | "seconds" => 1_000_000_000,
            "m" | "min" | "mins" | "minute" | "minutes" => 60_000_000_000,
            "h" | "hr" | "hrs" | "hour" | "hours" => 3_600_000_000_000,
            "d" | "day" | "days" => 24 * 3_600_000_000_000,
            _ => return None,
        };
        total = total.checked_add(number.times(unit)?)?;
        rest = after.trim_start();
    }
    let total = u64::try_from(total).ok().filter(|total| *total < DURATION_LIMIT)?;
    (!text.is_empty()).then(|| write_duration(total))
}

/// What someone who wrote this as an amount of memory may have meant.
pub(crate) fn meant_memory(text: &str) -> Option<String> {
    let (number, unit, rest) = lenient_pair(text.trim())?;
    let known = MEMORY_UNITS.iter().find(|(name, _)| name.eq_ignore_ascii_case(unit));
    let (unit, size) = match (known, unit.to_lowercase().as_str()) {
        (Some(known), _) => *known,
        (None, "") => MEMORY_UNITS[0],
        (None, "k" | "ki") => MEMORY_UNITS[5],
        (None, "m" | "mi") => MEMORY_UNITS[6],
        (None, "g" | "gi") => MEMORY_UNITS[7],
        (None, "t" | "ti") => MEMORY_UNITS[8],
        (None, _) => return None,
    };
    if !rest.trim().is_empty() {
        return None;
    }
    let bytes = u64::try_from(number.times(size)?).ok()?;
    if bytes % size == 0 {
        return Some(format!("{}{unit}", bytes / size));
    }
    // The largest unit, of the same kind, that divides it.
    let kind = if unit.contains('i') { &MEMORY_UNITS[5..] } else { &MEMORY_UNITS[1..5] };
    let unit = kind.iter().rev().find(|(_, size)| bytes % size == 0).unwrap_or(&MEMORY_UNITS[0]);
    Some(format!("{}{}", bytes / unit.1, unit.0))
}

/// A decimal number without its point: `digits` / `10^places`.
struct Decimal {
    digits: u128,
    places: u32,
}

impl Decimal {
    fn times(&self, unit: u64) -> Option<u128> {
        let product = self.digits.checked_mul(u128::from(unit))?;
        Some(product / 10_u128.checked_pow(self.places)?)
    }
}

/// A number, perhaps with a fraction, and a unit, perhaps after a space.
fn lenient_pair(text: &str) -> Option<(Decimal, &str, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.' && c != '_')?;
    let (number, rest) = text.split_at(end);
    let number = number.replace('_', "");
    let (whole, fraction) = number.split_once('.').unwrap_or((&number, ""));
    let digits = format!("{whole}{fraction}").parse().ok()?;
    let places = u32::try_from(fraction.len()).ok()?;
    let rest = rest.trim_start();
    let end = rest.find(|c: char| c.is_ascii_digit() || c.is_whitespace()).unwrap_or(rest.len());
    let (unit, rest) = rest.split_at(end);
    Some((Decimal { digits, places }, unit, rest))
}

/// A duration as a line file writes it.
///
/// ```
/// use lineside_line::quantity::{duration, write_duration};
///
/// assert_eq!(write_duration(1_500_000_000), "1s500ms");
/// assert_eq!(duration(&write_duration(90_000_000_007)), Ok(90_000_000_007));
/// ```
pub fn write_duration(nanoseconds: u64) -> String {
    if nanoseconds == 0 {
        return "0s".into();
    }
    let mut text = String::new();
    let mut rest = nanoseconds;
    for (unit, size) in DURATION_UNITS.iter().rev() {
        if rest >= *size {
            text.push_str(&format!("{}{unit}", rest / size));
            rest %= size;
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_pairs_without_spaces() {
        assert_eq!(duration("0s"), Ok(0));
        assert_eq!(duration("1h1m1s1ms1us1ns"), Ok(3_661_001_001_001));
        assert_eq!(duration("007ms5us"), Ok(7_005_000));
        let bad =
            ["", " ", "5", "s", "1s ", " 1s", "1 s", "1.5s", "-1s", "1S", "1µs", "1s1", "1sec"];
        for bad in bad {
            assert_eq!(duration(bad), Err(QuantityError::Malformed), "{bad:?}");
        }
    }

    #[test]
    fn durations_end_before_two_to_the_62() {
        assert_eq!(duration("4611686018427387903ns"), Ok(DURATION_LIMIT - 1));
        assert_eq!(duration("4611686018427387904ns"), Err(QuantityError::TooLarge));
        assert_eq!(duration(&format!("{}h", "9".repeat(99))), Err(QuantityError::TooLarge));
        assert_eq!(duration(&format!("{}1ns", "0".repeat(99))), Ok(1));
    }

    #[test]
    fn memory_is_one_pair() {
        assert_eq!(memory("0B"), Ok(0));
        assert_eq!(memory("1kB"), Ok(1_000));
        assert_eq!(memory("18446744073709551615B"), Ok(u64::MAX));
        assert_eq!(memory("18446744073709551616B"), Err(QuantityError::TooLarge));
        for bad in ["", "8", "8 GiB", "8GIB", "8gb", "8KB", "1.5GiB", "1GiB1MiB", "-1B"] {
            assert_eq!(memory(bad), Err(QuantityError::Malformed), "{bad:?}");
        }
    }

    #[test]
    fn what_was_meant() {
        let durations = [
            ("10 ms", "10ms"),
            ("1.5s", "1s500ms"),
            ("2 min 3 sec", "2m3s"),
            ("1d", "24h"),
            ("5µs", "5us"),
            ("1MS", "1ms"),
        ];
        for (text, meant) in durations {
            assert_eq!(meant_duration(text).as_deref(), Some(meant), "{text}");
        }
        for text in ["", "5", "x", "5 fortnights", "s"] {
            assert_eq!(meant_duration(text), None, "{text}");
        }
        let memories = [("8 GiB", "8GiB"), ("8gb", "8GB"), ("1.5GiB", "1536MiB"), ("8G", "8GiB")];
        for (text, meant) in memories {
            assert_eq!(meant_memory(text).as_deref(), Some(meant), "{text}");
        }
        assert_eq!(meant_memory("much"), None);
    }
}
