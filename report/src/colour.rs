//! The colours of jobs.

/// Calm colours of like lightness: white text can be read on all of them, and they stand out from
/// white as from near-black ground. Neighbours in the list differ most.
pub(crate) const JOBS: [&str; 14] = [
    "#3c75bb", "#ac572d", "#2c8346", "#845dad", "#926e05", "#067b80", "#b25575", "#5c7815",
    "#686bbd", "#b05154", "#07826c", "#9f5490", "#007d9f", "#9c611d",
];

/// The place of a job's colour in [`JOBS`].
pub(crate) fn of(job: u32) -> usize {
    job as usize % JOBS.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn luminance(colour: &str) -> f64 {
        let part = |at| {
            let value = u8::from_str_radix(&colour[at..at + 2], 16).expect("two hex digits");
            let value = f64::from(value) / 255.0;
            if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5)
    }

    fn contrast(a: &str, b: &str) -> f64 {
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    #[test]
    fn every_colour_can_be_read_on_light_and_on_dark() {
        for colour in JOBS {
            assert!(contrast(colour, "#ffffff") >= 4.5, "{colour} under white text");
            assert!(contrast(colour, "#15181d") >= 3.0, "{colour} on dark ground");
        }
    }
}
