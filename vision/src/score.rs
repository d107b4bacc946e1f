//! How good a line is: what it found, held against the truth.

use std::fmt;

use crate::defect::{Class, Defect};

/// A found fault is the true one if their middles are at most this far apart, in pixels.
pub const TOLERANCE: u32 = 12;

/// How what was found compares with the truth.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Quality {
    /// True faults.
    pub there: u32,
    /// Faults reported.
    pub reported: u32,
    /// True faults that were found.
    pub found: u32,
    /// Those found whose class is right.
    pub classed: u32,
}

impl Quality {
    /// Pairs what was found with what is there, nearest first, each with one at most.
    #[must_use]
    pub fn of(found: &[Defect], truth: &[Defect]) -> Self {
        let pairs = pair(found, truth);
        let right = |&&(one, other): &&(usize, usize)| found[one].class == truth[other].class;
        Self {
            there: truth.len() as u32,
            reported: found.len() as u32,
            found: pairs.len() as u32,
            classed: pairs.iter().filter(right).count() as u32,
        }
    }

    /// The part of the true faults that were found, in thousandths.
    #[must_use]
    pub fn recall(&self) -> u32 {
        thousandths(self.found, self.there)
    }

    /// The part of the reported faults that are true, in thousandths.
    #[must_use]
    pub fn precision(&self) -> u32 {
        thousandths(self.found, self.reported)
    }

    /// The part of the found faults whose class is right, in thousandths.
    #[must_use]
    pub fn accuracy(&self) -> u32 {
        thousandths(self.classed, self.found)
    }
}

impl fmt::Display for Quality {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let part = |thousandths: u32| format!("{}.{:03}", thousandths / 1000, thousandths % 1000);
        write!(
            out,
            "recall {} ({} of {}), precision {} ({} of {}), class right {} ({} of {})",
            part(self.recall()),
            self.found,
            self.there,
            part(self.precision()),
            self.found,
            self.reported,
            part(self.accuracy()),
            self.classed,
            self.found
        )
    }
}

/// A part of nothing is all of it: no fault there, none missed.
fn thousandths(part: u32, whole: u32) -> u32 {
    if whole == 0 { 1000 } else { (u64::from(part) * 1000 / u64::from(whole)) as u32 }
}

fn pair(found: &[Defect], truth: &[Defect]) -> Vec<(usize, usize)> {
    // Distances are squares of doubled ones.
    let limit = u64::from(2 * TOLERANCE) * u64::from(2 * TOLERANCE);
    let mut candidates = Vec::new();
    for (one, defect) in found.iter().enumerate() {
        for (other, real) in truth.iter().enumerate() {
            let apart = defect.bounds.middle_distance_squared(real.bounds);
            if defect.image == real.image && apart <= limit {
                candidates.push((apart, one, other));
            }
        }
    }
    candidates.sort_unstable();
    let (mut used, mut taken) = (vec![false; found.len()], vec![false; truth.len()]);
    let mut pairs = Vec::new();
    for (_, one, other) in candidates {
        if !used[one] && !taken[other] {
            (used[one], taken[other]) = (true, true);
            pairs.push((one, other));
        }
    }
    pairs
}

/// The classes that were mistaken for others: true class, class given, how often.
#[must_use]
pub fn mistakes(found: &[Defect], truth: &[Defect]) -> Vec<(Class, Class, u32)> {
    let mut counts = std::collections::BTreeMap::new();
    for (one, other) in pair(found, truth) {
        let (given, real) = (found[one].class, truth[other].class);
        if given != real {
            *counts.entry((real, given)).or_insert(0) += 1;
        }
    }
    counts.into_iter().map(|((real, given), count)| (real, given, count)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::defect::PixelBox;

    fn defect(image: &str, x: u32, y: u32, class: Class) -> Defect {
        let bounds = PixelBox { x, y, width: 10, height: 10 };
        Defect { image: image.to_owned(), bounds, class, score: None }
    }

    #[test]
    fn a_fault_twelve_pixels_off_is_found_and_thirteen_off_is_not() {
        let truth = [defect("a", 100, 100, Class::Spur)];
        let at = |x| Quality::of(&[defect("a", x, 100, Class::Spur)], &truth).found;
        assert_eq!((at(112), at(113), at(88), at(87)), (1, 0, 1, 0));
    }

    #[test]
    fn one_report_finds_one_fault_only() {
        let truth = [defect("a", 100, 100, Class::Spur), defect("a", 104, 100, Class::Short)];
        let quality = Quality::of(&[defect("a", 103, 100, Class::Short)], &truth);
        assert_eq!(quality, Quality { there: 2, reported: 1, found: 1, classed: 1 });
    }

    #[test]
    fn a_fault_on_another_picture_is_no_find() {
        let quality =
            Quality::of(&[defect("b", 1, 1, Class::Spur)], &[defect("a", 1, 1, Class::Spur)]);
        assert_eq!(
            quality.to_string(),
            "recall 0.000 (0 of 1), precision 0.000 (0 of 1), class right 1.000 (0 of 0)"
        );
    }

    #[test]
    fn a_wrong_class_is_a_find_and_a_mistake() {
        let (truth, found) = ([defect("a", 1, 1, Class::Spur)], [defect("a", 2, 2, Class::Short)]);
        let quality = Quality::of(&found, &truth);
        assert_eq!((quality.recall(), quality.precision(), quality.accuracy()), (1000, 1000, 0));
        assert_eq!(mistakes(&found, &truth), [(Class::Spur, Class::Short, 1)]);
    }

    #[test]
    fn nothing_there_and_nothing_found_is_perfect() {
        let quality = Quality::of(&[], &[]);
        assert_eq!((quality.recall(), quality.precision(), quality.accuracy()), (1000, 1000, 1000));
    }
}
