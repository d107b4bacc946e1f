//! Durations for people: their words, round values, and the ticks of an axis.

const SECOND: u64 = 1_000_000_000;
const MINUTE: u64 = 60 * SECOND;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;

/// A duration in the words of people: three digits below a minute, two units above.
///
/// ```
/// use lineside_report::duration;
/// assert_eq!(duration(0), "0 s");
/// assert_eq!(duration(12_500_000), "12.5 ms");
/// assert_eq!(duration(999_999), "1 ms");
/// assert_eq!(duration(90_000_000_000), "1 m 30 s");
/// assert_eq!(duration(3 * 86_400_000_000_000), "3 d");
/// ```
pub fn duration(ns: u64) -> String {
    match ns {
        0 => "0 s".to_string(),
        1..SECOND => below_a_second(ns),
        _ => from_a_second(ns),
    }
}

/// A point in time: as [`duration`], with enough digits to tell neighbours apart.
pub(crate) fn moment(ns: u64) -> String {
    let decimal = |size: u64, unit: &str| {
        let thousandths = (u128::from(ns) * 1000 + u128::from(size) / 2) / u128::from(size);
        let text = format!("{}.{:03}", thousandths / 1000, thousandths % 1000);
        format!("{} {unit}", text.trim_end_matches('0').trim_end_matches('.'))
    };
    match ns {
        0 => "0 s".to_string(),
        1..1_000 => format!("{ns} ns"),
        1_000..1_000_000 => decimal(1_000, "µs"),
        1_000_000..SECOND => decimal(1_000_000, "ms"),
        SECOND..MINUTE => decimal(SECOND, "s"),
        _ => {
            let (hours, minutes) = (ns / HOUR, ns / MINUTE % 60);
            let hundredths = ns % MINUTE / 10_000_000;
            let seconds = format!("{}.{:02}", hundredths / 100, hundredths % 100);
            let seconds = seconds.trim_end_matches('0').trim_end_matches('.');
            match hours {
                0 => format!("{minutes} m {seconds} s"),
                _ => format!("{hours} h {minutes} m {seconds} s"),
            }
        }
    }
}

fn below_a_second(ns: u64) -> String {
    for (unit, size) in [("ns", 1), ("µs", 1_000), ("ms", 1_000_000)] {
        if let Some(number) = three_digits(ns, size, 1000) {
            return format!("{number} {unit}");
        }
    }
    "1 s".to_string()
}

fn from_a_second(ns: u64) -> String {
    if let Some(number) = three_digits(ns, SECOND, 60) {
        return format!("{number} s");
    }
    let seconds = rounded(ns, SECOND);
    if seconds < 3600 {
        return two_units(seconds, 60, ("m", "s"));
    }
    let minutes = rounded(ns, MINUTE);
    if minutes < 24 * 60 {
        return two_units(minutes, 60, ("h", "m"));
    }
    two_units(rounded(ns, HOUR), 24, ("d", "h"))
}

/// `ns` in units of `size` with three digits, unless that is `limit` or more.
fn three_digits(ns: u64, size: u64, limit: u64) -> Option<String> {
    let decimals = match ns / size {
        0..10 => 2,
        10..100 => 1,
        _ => 0,
    };
    let scale = 10_u64.pow(decimals);
    let scaled = (u128::from(ns) * u128::from(scale) + u128::from(size) / 2) / u128::from(size);
    if scaled >= u128::from(limit * scale) {
        return None;
    }
    let scaled = scaled as u64;
    let mut text = (scaled / scale).to_string();
    let fraction = format!("{:0width$}", scaled % scale, width = decimals as usize);
    let fraction = fraction.trim_end_matches('0');
    if decimals > 0 && !fraction.is_empty() {
        text.push('.');
        text.push_str(fraction);
    }
    Some(text)
}

fn two_units(value: u64, ratio: u64, (big, small): (&str, &str)) -> String {
    match value % ratio {
        0 => format!("{} {big}", value / ratio),
        rest => format!("{} {big} {rest} {small}", value / ratio),
    }
}

fn rounded(ns: u64, size: u64) -> u64 {
    ns / size + u64::from(ns % size >= size / 2 && size > 1)
}

/// A round duration of about `ns`, as a line file spells it.
pub(crate) fn for_a_file(ns: u64) -> String {
    let round = round_up(ns.max(1));
    let units = [("h", HOUR), ("m", MINUTE), ("s", SECOND), ("ms", 1_000_000), ("us", 1_000)];
    for (unit, size) in units {
        if round.is_multiple_of(size) {
            return format!("{}{unit}", round / size);
        }
    }
    format!("{round}ns")
}

/// Where an axis from 0 to `end` has its ticks: at most `most` + 1 of them, on round values.
pub(crate) fn ticks(end: u64, most: u64) -> Vec<u64> {
    let step = round_up(end.div_ceil(most.max(1)).max(1));
    (0..=end / step).map(|tick| tick * step).collect()
}

/// The next round duration: 1, 2 or 5 times a power of ten below a minute, then what clocks show.
fn round_up(ns: u64) -> u64 {
    const CLOCK: [u64; 15] = [
        10 * SECOND,
        15 * SECOND,
        30 * SECOND,
        MINUTE,
        2 * MINUTE,
        5 * MINUTE,
        10 * MINUTE,
        15 * MINUTE,
        30 * MINUTE,
        HOUR,
        2 * HOUR,
        3 * HOUR,
        6 * HOUR,
        12 * HOUR,
        DAY,
    ];
    if ns <= 10 * SECOND {
        return one_two_five(ns, 1);
    }
    match CLOCK.into_iter().find(|&step| ns <= step) {
        Some(step) => step,
        None => one_two_five(ns, DAY),
    }
}

fn one_two_five(ns: u64, unit: u64) -> u64 {
    let mut power = unit;
    loop {
        for times in [1, 2, 5] {
            let step = power.saturating_mul(times);
            if ns <= step || step == u64::MAX {
                return step;
            }
        }
        power = power.saturating_mul(10);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_round_to_three_digits_and_carry() {
        let words = [
            (1, "1 ns"),
            (999, "999 ns"),
            (1_000, "1 µs"),
            (1_234_567, "1.23 ms"),
            (9_996_000, "10 ms"),
            (99_960_000, "100 ms"),
            (999_600_000, "1 s"),
            (1_500_000_000, "1.5 s"),
            (59_960_000_000, "1 m"),
            (60_400_000_000, "1 m"),
            (3_599_700_000_000, "1 h"),
            (5_400_000_000_000, "1 h 30 m"),
            (100_000_000_000_000, "1 d 4 h"),
        ];
        for (ns, text) in words {
            assert_eq!(duration(ns), text, "{ns}");
        }
        assert!(duration(u64::MAX).contains(" d"));
    }

    #[test]
    fn moments_tell_neighbours_apart() {
        assert_eq!(moment(12_345_678), "12.346 ms");
        assert_eq!(moment(12 * SECOND), "12 s");
        assert_eq!(moment(61 * SECOND + 250_000_000), "1 m 1.25 s");
        assert_eq!(moment(3_660 * SECOND), "1 h 1 m 0 s");
    }

    #[test]
    fn ticks_are_round_and_few() {
        assert_eq!(ticks(0, 8), [0]);
        assert_eq!(ticks(90, 10), [0, 10, 20, 30, 40, 50, 60, 70, 80, 90]);
        assert_eq!(ticks(90 * SECOND, 6).len(), 7);
        for end in [1, 7, 1234, 86_399 * SECOND, 1 << 62, u64::MAX] {
            assert!(ticks(end, 8).len() <= 9, "{end}");
        }
    }

    #[test]
    fn files_get_round_durations() {
        assert_eq!(for_a_file(37_000_000), "50ms");
        assert_eq!(for_a_file(14 * SECOND), "15s");
        assert_eq!(for_a_file(0), "1ns");
    }
}
