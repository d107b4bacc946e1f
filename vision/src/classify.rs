//! The classifier: what kind of fault a difference is.
//!
//! It looks at the copper around the difference, on the golden picture and on the board's: what
//! hung together and what does, what was there and what is.

use crate::defect::{Class, PixelBox};
use crate::detect::{Aligned, DIFFERENCE_MIN};
use crate::picture::Grey;

/// Pixels around a box that are looked at as well.
pub const MARGIN: u32 = 12;
/// Pieces of copper with fewer pixels than this are dirt.
const PIECE_MIN: u32 = 6;
/// How far from the difference copper may be to be touched by it.
const TOUCH: i32 = 2;
/// Print shines this many pixels far.
const PRINT_REACH: u32 = 2;
/// A difference of fewer pixels than this is scored lower.
const AREA_SURE: u64 = 20;

/// The brightness of the materials, learnt from the golden picture.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Levels {
    /// Solder mask on laminate: what most of the picture shows.
    pub laminate: u8,
    /// Solder mask on copper.
    pub copper: u8,
    /// Bare copper.
    pub pad: u8,
}

impl Levels {
    /// Learns the levels: peaks of the histogram, from the highest one towards the light.
    #[must_use]
    pub fn learn(golden: &Grey) -> Self {
        let mut counts = [0_u32; 256];
        for &pixel in golden.pixels() {
            counts[usize::from(pixel)] += 1;
        }
        // Over five levels: a camera with fewer of them leaves gaps.
        let smooth: Vec<u32> = (0..256)
            .map(|level: usize| counts[level.saturating_sub(2)..(level + 3).min(256)].iter().sum())
            .collect();
        let peak = |from: usize, to: usize| {
            (from.min(255)..to.clamp(from.min(255) + 1, 256))
                .max_by_key(|&level| (smooth[level], 256 - level))
                .unwrap_or(from)
        };
        let laminate = peak(0, 256);
        // A step of a quarter of what is left to white keeps clear of the flank of a peak.
        let step = (256 - laminate) / 8;
        let copper = peak(laminate + step, laminate + 3 * step);
        let pad = peak(copper + step, 256 - step);
        Self { laminate: laminate as u8, copper: copper as u8, pad: pad as u8 }
    }

    /// What follows from them.
    #[must_use]
    pub fn thresholds(self) -> Thresholds {
        Thresholds {
            copper_min: self.laminate.midpoint(self.copper),
            print_min: self.pad + (255 - self.pad) / 3,
            hole_max: self.laminate / 4 * 3,
        }
    }

    /// How clearly a difference of so many pixels stands out, which differ by so much in all.
    #[must_use]
    pub fn score(self, count: u64, sum: u64) -> u32 {
        let contrast = u64::from(self.copper.abs_diff(self.laminate)).max(1);
        let mean = (sum * 1000 / (count * contrast).max(1)).min(1000);
        (mean * count.min(AREA_SURE) / AREA_SURE) as u32
    }
}

/// What brightness means what.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Thresholds {
    /// What is at least as bright is copper.
    pub copper_min: u8,
    /// What is at least as bright is print: white print is brighter than any copper.
    pub print_min: u8,
    /// What is at most as bright is a hole.
    pub hole_max: u8,
}

/// What was found at a difference.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Found {
    /// What kind of fault it is.
    pub class: Class,
    /// How many pixels differ clearly.
    pub pixels: u64,
    /// By how much in all.
    pub total: u64,
}

/// The class of a difference, and how clearly it stands out: 0 to 1000, the mean difference of
/// its pixels as a part of that between copper and laminate, less for a very small one.
#[must_use]
pub fn classify(aligned: &Aligned, bounds: PixelBox) -> (Class, u32) {
    let Aligned { golden, board, levels, .. } = aligned;
    let Found { class, pixels, total } = look(golden, board, levels.thresholds(), bounds);
    (class, levels.score(pixels, total))
}

/// Looks at a difference: what a GPU kernel does as well.
#[must_use]
pub fn look(golden: &Grey, board: &Grey, thresholds: Thresholds, bounds: PixelBox) -> Found {
    let crop = Crop::new(golden, board, thresholds, bounds);
    let class = match crop.change {
        Change::Added if crop.was_hole() => Class::MissingHole,
        Change::Added => match crop.pieces_joined() {
            0 => Class::SpuriousCopper,
            1 => Class::Spur,
            _ => Class::Short,
        },
        Change::Removed if crop.pieces_left() > 1 => Class::OpenCircuit,
        Change::Removed => Class::MouseBite,
    };
    let difference = |&(_, difference): &(usize, i32)| u64::from(difference.unsigned_abs());
    let total = crop.differences.iter().map(difference).sum();
    Found { class, pixels: crop.differences.len() as u64, total }
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Change {
    Added,
    Removed,
}

/// The surroundings of a difference.
struct Crop {
    thresholds: Thresholds,
    width: i32,
    height: i32,
    golden: Vec<u8>,
    board: Vec<u8>,
    /// Whether a pixel is print, or so near to it that it may be bright from it.
    printed: Vec<bool>,
    /// The pixels of the box that differ clearly: their places, and board less golden.
    differences: Vec<(usize, i32)>,
    change: Change,
    /// The pixels that changed in the way in which most did.
    changed: Vec<bool>,
}

/// Connected pieces: the number of each pixel's piece, 0 for none, and the size of each.
struct Pieces {
    numbers: Vec<usize>,
    sizes: Vec<u32>,
}

impl Crop {
    fn new(was: &Grey, is: &Grey, thresholds: Thresholds, bounds: PixelBox) -> Self {
        let (full_width, full_height) = (is.width(), is.height());
        let (left, top) = (bounds.x.saturating_sub(MARGIN), bounds.y.saturating_sub(MARGIN));
        let right = (bounds.x + bounds.width + MARGIN).min(full_width);
        let bottom = (bounds.y + bounds.height + MARGIN).min(full_height);
        let (mut golden, mut board, mut printed) = (Vec::new(), Vec::new(), Vec::new());
        let mut differences = Vec::new();
        for y in top..bottom {
            for x in left..right {
                let pair = (was.at(x, y), is.at(x, y));
                let difference = i32::from(pair.1) - i32::from(pair.0);
                if bounds.contains(x, y) && difference.abs() >= i32::from(DIFFERENCE_MIN) {
                    differences.push((board.len(), difference));
                }
                golden.push(pair.0);
                board.push(pair.1);
                printed.push(was.brightest_near(x, y, PRINT_REACH) >= thresholds.print_min);
            }
        }
        let sum: i64 = differences.iter().map(|&(_, difference)| i64::from(difference)).sum();
        let change = if sum >= 0 { Change::Added } else { Change::Removed };
        let mut changed = vec![false; board.len()];
        for &(at, difference) in &differences {
            changed[at] = (difference > 0) == (change == Change::Added);
        }
        let (width, height) =
            (right.saturating_sub(left) as i32, bottom.saturating_sub(top) as i32);
        Self { thresholds, width, height, golden, board, printed, differences, change, changed }
    }

    /// The places that changed.
    fn changes(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.changed.len()).filter(|&at| self.changed[at])
    }

    fn was_hole(&self) -> bool {
        let dark = |&at: &usize| self.golden[at] <= self.thresholds.hole_max;
        let holes = self.changes().filter(dark).count();
        // The rim of a hole is neither dark nor bright.
        holes > 0 && holes * 3 >= self.changes().count()
    }

    /// How many pieces of golden copper the copper with the change in it overlaps.
    fn pieces_joined(&self) -> usize {
        let copper = self.copper(&self.board);
        let grown: Vec<bool> =
            copper.iter().zip(&self.changed).map(|(&copper, &changed)| copper || changed).collect();
        let now = self.pieces(&grown);
        let before = self.pieces(&self.copper(&self.golden));
        let mut with_change = vec![false; now.sizes.len()];
        for at in self.changes() {
            with_change[now.numbers[at]] = true;
        }
        let mut shared = vec![0; before.sizes.len()];
        for at in 0..self.changed.len() {
            if !self.changed[at] && with_change[now.numbers[at]] {
                shared[before.numbers[at]] += 1;
            }
        }
        shared.iter().skip(1).filter(|&&pixels| pixels >= PIECE_MIN).count()
    }

    /// How many pieces of the board's copper are left where the golden copper was bitten.
    fn pieces_left(&self) -> usize {
        let before = self.pieces(&self.copper(&self.golden));
        let now = self.pieces(&self.copper(&self.board));
        let mut bitten = vec![false; before.sizes.len()];
        for at in self.changes() {
            bitten[before.numbers[at]] = true;
        }
        bitten[0] = false;
        let mut touched = vec![false; now.sizes.len()];
        for at in self.changes() {
            for near in self.around(at, TOUCH) {
                touched[now.numbers[near]] |= bitten[before.numbers[near]];
            }
        }
        let large = |&piece: &usize| touched[piece] && now.sizes[piece] >= PIECE_MIN;
        (1..now.sizes.len()).filter(large).count()
    }

    /// Where a plane shows copper. Print, and what is next to it, is left out.
    fn copper(&self, plane: &[u8]) -> Vec<bool> {
        let copper_min = self.thresholds.copper_min;
        let bright = plane.iter().map(|&pixel| pixel >= copper_min);
        bright.zip(&self.printed).map(|(bright, &printed)| bright && !printed).collect()
    }

    fn pieces(&self, copper: &[bool]) -> Pieces {
        let mut pieces = Pieces { numbers: vec![0; copper.len()], sizes: vec![0] };
        for start in 0..copper.len() {
            if !copper[start] || pieces.numbers[start] != 0 {
                continue;
            }
            let number = pieces.sizes.len();
            let mut open = vec![start];
            let mut size = 0;
            pieces.numbers[start] = number;
            // Each pixel enters once, so this ends.
            while let Some(at) = open.pop() {
                size += 1;
                for near in self.around(at, 1) {
                    if copper[near] && pieces.numbers[near] == 0 {
                        pieces.numbers[near] = number;
                        open.push(near);
                    }
                }
            }
            pieces.sizes.push(size);
        }
        pieces
    }

    /// The pixels up to `reach` away along both axes.
    fn around(&self, at: usize, reach: i32) -> impl Iterator<Item = usize> + use<> {
        let (width, height) = (self.width, self.height);
        let (x, y) = (at as i32 % width, at as i32 / width);
        let rows = (y - reach).max(0)..=(y + reach).min(height - 1);
        rows.flat_map(move |y| {
            let columns = (x - reach).max(0)..=(x + reach).min(width - 1);
            columns.map(move |x| (y * width + x) as usize)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detect::passes::Affine;

    const LAMINATE: u8 = 60;
    const COPPER: u8 = 100;
    const PAD: u8 = 180;

    /// A picture of 40×40 pixels of laminate, with rectangles: from, to, both included.
    fn drawn(rectangles: &[([u32; 2], [u32; 2], u8)]) -> Grey {
        let pixel = |at: u32| {
            let (x, y) = (at % 40, at / 40);
            let covers = |(from, to, _): &&([u32; 2], [u32; 2], u8)| {
                (from[0]..=to[0]).contains(&x) && (from[1]..=to[1]).contains(&y)
            };
            rectangles.iter().rev().find(covers).map_or(LAMINATE, |&(_, _, level)| level)
        };
        Grey::new(40, 40, (0..1600).map(pixel).collect()).unwrap()
    }

    /// Two traces, a pad with a hole, and something on the board in the box (16..24, 16..24).
    fn class_of(change: &[([u32; 2], [u32; 2], u8)]) -> Class {
        let mut rectangles = vec![
            ([0, 17], [39, 22], COPPER),
            ([0, 32], [39, 37], COPPER),
            ([2, 2], [12, 12], PAD),
            ([5, 5], [9, 9], 10),
        ];
        let golden = drawn(&rectangles);
        rectangles.extend(change);
        let board = drawn(&rectangles);
        let levels = Levels { laminate: LAMINATE, copper: COPPER, pad: PAD };
        let aligned = Aligned { golden, board, affine: Affine::default(), levels };
        let min =
            change.iter().map(|(from, _, _)| *from).reduce(|a, b| [a[0].min(b[0]), a[1].min(b[1])]);
        let [x, y] = min.unwrap();
        classify(&aligned, PixelBox { x, y, width: 14, height: 14 }).0
    }

    #[test]
    fn a_cut_trace_is_open() {
        assert_eq!(class_of(&[([18, 17], [22, 22], LAMINATE)]), Class::OpenCircuit);
    }

    #[test]
    fn a_trace_with_a_bite_still_conducts() {
        assert_eq!(class_of(&[([18, 17], [23, 19], LAMINATE)]), Class::MouseBite);
    }

    #[test]
    fn copper_from_trace_to_trace_is_a_short() {
        assert_eq!(class_of(&[([18, 23], [22, 31], COPPER)]), Class::Short);
    }

    #[test]
    fn copper_that_ends_before_the_next_trace_is_a_spur() {
        assert_eq!(class_of(&[([18, 23], [22, 27], COPPER)]), Class::Spur);
    }

    #[test]
    fn copper_that_touches_nothing_is_spurious() {
        assert_eq!(class_of(&[([18, 25], [22, 28], COPPER)]), Class::SpuriousCopper);
    }

    #[test]
    fn a_pad_without_its_hole_lacks_it() {
        assert_eq!(class_of(&[([5, 5], [9, 9], PAD)]), Class::MissingHole);
    }

    #[test]
    fn levels_are_learnt_from_the_picture() {
        let picture = drawn(&[([0, 0], [39, 9], COPPER), ([0, 30], [39, 35], PAD)]);
        let Levels { laminate, copper, pad } = Levels::learn(&picture);
        assert!(laminate.abs_diff(LAMINATE) <= 2 && copper.abs_diff(COPPER) <= 2);
        assert!(pad.abs_diff(PAD) <= 2);
    }

    #[test]
    fn a_picture_without_features_has_levels_all_the_same() {
        for level in [0, 128, 255] {
            let _ = Levels::learn(&Grey::filled(9, 9, level));
        }
    }

    #[test]
    fn a_difference_as_large_as_the_picture_is_classified() {
        let [golden, board] = [drawn(&[]), Grey::filled(40, 40, 200)];
        let levels = Levels { laminate: LAMINATE, copper: COPPER, pad: PAD };
        let aligned = Aligned { golden, board, affine: Affine::default(), levels };
        let (class, score) = classify(&aligned, PixelBox { x: 0, y: 0, width: 40, height: 40 });
        assert_eq!((class, score), (Class::SpuriousCopper, 1000));
    }
}
