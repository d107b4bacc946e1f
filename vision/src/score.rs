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
