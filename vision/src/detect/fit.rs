//! From the costs of the block search to the place of the board: a least-squares fit in integers.

use super::passes::{Affine, BLOCK, BLOCK_ROW_STEP, PLACES, SEARCH, Size};

/// A block must be found at least this sharply to be counted: the mean over its pixels by which
/// the cost rises one pixel to both sides.
const SHARPNESS_MIN: i64 = 40;
/// Fewer blocks than this say nothing about where the board is.
const BLOCKS_MIN: usize = 6;
/// Blocks further off than this from where all are, in 1/256 of a pixel, are left out in the
/// first round; in each later round half as many, down to the last.
const STRAY_FIRST: i64 = 1024;
const STRAY_LAST: i64 = 128;
/// The steepest slope of a board's displacement, in 1/65536: about two degrees.
const SLOPE_MAX: i64 = 2048;

/// How far a block was displaced along one axis.
#[derive(Clone, Copy, Debug)]
struct Sighting {
    /// The middle of the block, from the middle of the picture.
    x: i64,
    y: i64,
    /// In 1/256 of a pixel.
    displaced: i64,
}

/// Fits the place of the board on the golden picture to the costs of a block search. None if
/// too few blocks were found, that is, if the pictures are not alike.
#[must_use]
pub fn fit(costs: &[u32], size: Size) -> Option<Affine> {
    let coarse = coarse_place(costs);
    let [x0, xx, xy] = fit_axis(sightings(costs, size, coarse, 1))?;
    let [y0, yx, yy] = fit_axis(sightings(costs, size, coarse, PLACES as usize))?;
    Some(Affine { x0, xx, xy, y0, yx, yy })
}

/// The place at which all blocks together fit best.
fn coarse_place(costs: &[u32]) -> [usize; 2] {
    let places = PLACES as usize;
    let mut sums = vec![0_u64; places * places];
    for block in costs.chunks_exact(places * places) {
        for (sum, &cost) in sums.iter_mut().zip(block) {
            *sum += u64::from(cost);
        }
    }
    let best = (0..sums.len()).min_by_key(|&place| sums[place]).unwrap_or(0);
    [best % places, best / places]
}

/// Where each block was found, along the axis whose neighbouring costs are `stride` apart.
fn sightings(costs: &[u32], size: Size, coarse: [usize; 2], stride: usize) -> Vec<Sighting> {
    let [blocks_x, blocks_y] = size.blocks();
    let blocks = (0..blocks_y).flat_map(|j| (0..blocks_x).map(move |i| [i, j]));
    let places = (PLACES * PLACES) as usize;
    let middle = [size.width / 2, size.height / 2];
    let sighting = |(block, costs): ([u32; 2], &[u32])| {
        let [left, top] = size.block_at(block);
        let from_middle =
            |first: u32, axis: usize| i64::from(first + BLOCK / 2) - i64::from(middle[axis]);
        let displaced = find(costs, coarse, stride)?;
        Some(Sighting { x: from_middle(left, 0), y: from_middle(top, 1), displaced })
    };
    blocks.zip(costs.chunks_exact(places)).filter_map(sighting).collect()
}

/// Where a block fits best near the coarse place, in 1/256 of a pixel: the bottom of the parabola
/// through the least cost and its neighbours on both sides.
fn find(costs: &[u32], coarse: [usize; 2], stride: usize) -> Option<i64> {
    let places = PLACES as usize;
    let near = |middle: usize| middle.saturating_sub(6).max(1)..=(middle + 6).min(places - 2);
    let candidates = near(coarse[1]).flat_map(|v| near(coarse[0]).map(move |u| v * places + u));
    let best = candidates.min_by_key(|&place| costs[place])?;
    let cost = |place: usize| i64::from(costs[place]);
    let (before, here, behind) = (cost(best - stride), cost(best), cost(best + stride));
    let bend = before + behind - 2 * here;
    let sharp = bend / i64::from(BLOCK * BLOCK / BLOCK_ROW_STEP) >= SHARPNESS_MIN;
    if !sharp || here > before || here > behind {
        return None;
    }
    let place = best / stride % places;
    let whole = (place as i64 - i64::from(SEARCH)) * 256;
    Some(whole + (before - behind) * 128 / bend)
}

/// The plane through the sightings, without those that stray: the displacement in the middle and
/// its slopes along x and y, in 1/65536. None if most stray, or if the plane is too steep.
fn fit_axis(mut sightings: Vec<Sighting>) -> Option<[i32; 3]> {
    let all = sightings.len();
    let mut stray = STRAY_FIRST;
    while stray >= STRAY_LAST {
        let [start, along_x, along_y] = least_squares(&sightings)?;
        sightings.retain(|sighting| {
            let expected = start + along_x * sighting.x + along_y * sighting.y;
            (sighting.displaced - (expected >> 8)).abs() <= stray
        });
        stray /= 2;
    }
    let [start, along_x, along_y] = least_squares(&sightings)?;
    let steep = along_x.abs().max(along_y.abs()) > SLOPE_MAX;
    if sightings.len() * 2 < all || steep || start.abs() > i64::from(SEARCH) << 16 {
        return None;
    }
    Some([start as i32, along_x as i32, along_y as i32])
}

/// Solves the normal equations of `displaced = a + b x + c y` by Cramer's rule.
fn least_squares(sightings: &[Sighting]) -> Option<[i64; 3]> {
    if sightings.len() < BLOCKS_MIN {
        return None;
    }
    let sum = |term: fn(&Sighting) -> i64| sightings.iter().map(term).map(i128::from).sum::<i128>();
    let (n, x, y) = (sightings.len() as i128, sum(|s| s.x), sum(|s| s.y));
    let (xx, xy, yy) = (sum(|s| s.x * s.x), sum(|s| s.x * s.y), sum(|s| s.y * s.y));
    let (d, dx, dy) =
        (sum(|s| s.displaced), sum(|s| s.displaced * s.x), sum(|s| s.displaced * s.y));
    let determinant = |a: [i128; 3], b: [i128; 3], c: [i128; 3]| {
        a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0])
            + a[2] * (b[0] * c[1] - b[1] * c[0])
    };
    let whole = determinant([n, x, y], [x, xx, xy], [y, xy, yy]);
    if whole == 0 {
        return None;
    }
    // From 1/256 to 1/65536.
    let part = |determinant: i128| (determinant * 256 / whole) as i64;
    Some([
        part(determinant([d, x, y], [dx, xx, xy], [dy, xy, yy])),
        part(determinant([n, d, y], [x, dx, xy], [y, dy, yy])),
        part(determinant([n, x, d], [x, xx, dx], [y, xy, dy])),
    ])
}
