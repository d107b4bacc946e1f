//! The steps of the detector that look at every pixel.
//!
//! Each pass reads whole buffers, writes one whole buffer, and computes each element of it from
//! the inputs alone: a GPU kernel does the same with one invocation per element. All arithmetic
//! is on 32-bit integers without overflow, division rounds towards zero and `>>` rounds towards
//! minus infinity, so a kernel that follows the formula given with the pass yields the same
//! values to the last bit. How a buffer is packed (bytes, words) is the kernel's own affair.
//!
//! A plane of `size` holds the pixel (x, y) at `y * width + x`; a grid of tiles holds the tile
//! (i, j) at `j * tiles_x + i`. Reading beside a plane yields its nearest pixel.

/// Pixels along a side of a tile.
pub const TILE: u32 = 16;
/// The light of a tile is measured over this many tiles to each side of it.
pub const LIGHT_REACH: u32 = 4;
/// A gain of one.
pub const GAIN_ONE: u32 = 1 << 9;
/// The least and the most that uneven light may ask for: a quarter and four times.
pub const GAIN_RANGE: [u32; 2] = [GAIN_ONE / 4, GAIN_ONE * 4];
/// Pixels along a side of a block that is searched for.
pub const BLOCK: u32 = 64;
/// Only each so-manieth row of a block is compared.
pub const BLOCK_ROW_STEP: u32 = 8;
/// A block is searched for up to this many pixels away, in both directions of both axes.
pub const SEARCH: u32 = 10;
/// Places along one axis of the search.
pub const PLACES: u32 = 2 * SEARCH + 1;

/// The size of a plane.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Size {
    /// Pixels in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
}

impl Size {
    /// Pixels in all.
    #[must_use]
    pub fn pixels(self) -> usize {
        self.width as usize * self.height as usize
    }

    /// Tiles along both axes; the last ones may be cut by the edge.
    #[must_use]
    pub fn tiles(self) -> [u32; 2] {
        [self.width.div_ceil(TILE), self.height.div_ceil(TILE)]
    }

    /// Blocks along both axes: as many as fit with a margin for the search.
    #[must_use]
    pub fn blocks(self) -> [u32; 2] {
        let fit = |length: u32| length.saturating_sub(2 * SEARCH) / BLOCK;
        [fit(self.width), fit(self.height)]
    }

    /// Costs that the search of all blocks has.
    #[must_use]
    pub fn places(self) -> usize {
        let [blocks_x, blocks_y] = self.blocks();
        (blocks_x * blocks_y * PLACES * PLACES) as usize
    }

    /// The upper left pixel of a block.
    #[must_use]
    pub fn block_at(self, block: [u32; 2]) -> [u32; 2] {
        [SEARCH + block[0] * BLOCK, SEARCH + block[1] * BLOCK]
    }
}

/// Where a pixel of the board is found on the golden picture, in 1/65536 of a pixel:
/// `x * 65536 + x0 + xx * (x - middle_x) + xy * (y - middle_y)`, with `middle` half the size
/// rounded down, and y likewise.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Affine {
    /// The shift along x.
    pub x0: i32,
    /// What a pixel along x adds to the shift along x.
    pub xx: i32,
    /// What a pixel along y adds to the shift along x.
    pub xy: i32,
    /// The shift along y.
    pub y0: i32,
    /// What a pixel along x adds to the shift along y.
    pub yx: i32,
    /// What a pixel along y adds to the shift along y.
    pub yy: i32,
}

/// A tile's sum: that of the pixels in it.
pub fn tile_sums(plane: &[u8], size: Size, sums: &mut [u32]) {
    let [tiles_x, _] = size.tiles();
    sums.fill(0);
    for (y, row) in plane.chunks_exact(size.width as usize).enumerate() {
        let first = (y as u32 / TILE * tiles_x) as usize;
        for (tile, part) in row.chunks(TILE as usize).enumerate() {
            sums[first + tile] += part.iter().map(|&pixel| u32::from(pixel)).sum::<u32>();
        }
    }
}

/// A tile's gain: what the board's light lacks there. With G and B the sums of the golden sums
/// and of the board's over the tiles up to `LIGHT_REACH` away that exist, and B at least 1:
/// `clamp((G * GAIN_ONE + B / 2) / B)` to `GAIN_RANGE`.
pub fn light_gains(golden_sums: &[u32], board_sums: &[u32], size: Size, gains: &mut [u32]) {
    let [tiles_x, tiles_y] = size.tiles();
    let [gain_min, gain_max] = GAIN_RANGE;
    for j in 0..tiles_y {
        for i in 0..tiles_x {
            let (mut golden, mut board) = (0, 0);
            for near_j in j.saturating_sub(LIGHT_REACH)..=(j + LIGHT_REACH).min(tiles_y - 1) {
                for near_i in i.saturating_sub(LIGHT_REACH)..=(i + LIGHT_REACH).min(tiles_x - 1) {
                    let tile = (near_j * tiles_x + near_i) as usize;
                    golden += golden_sums[tile];
                    board += board_sums[tile];
                }
            }
            let board = board.max(1);
            // 81 tiles of 256 pixels of 255, times 512, fit into 32 bits.
            let gain = (golden * GAIN_ONE + board / 2) / board;
            gains[(j * tiles_x + i) as usize] = gain.clamp(gain_min, gain_max);
        }
    }
}

/// A pixel in even light: `min(255, (pixel * gain + GAIN_ONE / 2) / GAIN_ONE)`.
///
/// The gain is mixed from the four tiles whose middles are nearest. Along x, with
/// `q = 2 * x + 1 - TILE`: the tiles `q >> 5` and the next, each moved onto the grid if beside
/// it, the next with the weight `q & 31` and the first with what is left to 32; along y the same.
/// The mix is `(sum of weight_x * weight_y * gain + 512) >> 10`.
pub fn even_light(board: &[u8], gains: &[u32], size: Size, even: &mut [u8]) {
    let [tiles_x, tiles_y] = size.tiles();
    let width = size.width as usize;
    // What of the mix is the same all along a row: the gains of its two rows of tiles, mixed.
    let mut row_gains = vec![0; tiles_x as usize];
    for (y, (from, to)) in board.chunks_exact(width).zip(even.chunks_exact_mut(width)).enumerate() {
        let (upper, lower, weight_y) = between_tiles(y as u32, tiles_y);
        for (i, gain) in row_gains.iter_mut().enumerate() {
            let at = |tile_y: u32| gains[tile_y as usize * tiles_x as usize + i];
            *gain = at(upper) * (32 - weight_y) + at(lower) * weight_y;
        }
        for (x, (pixel, out)) in from.iter().zip(to).enumerate() {
            let (left, right, weight_x) = between_tiles(x as u32, tiles_x);
            let mixed =
                row_gains[left as usize] * (32 - weight_x) + row_gains[right as usize] * weight_x;
            let gain = (mixed + 512) >> 10;
            *out = ((u32::from(*pixel) * gain + GAIN_ONE / 2) / GAIN_ONE).min(255) as u8;
        }
    }
}

/// The tiles on both sides of a pixel along one axis, and the weight of the second in 1/32.
fn between_tiles(pixel: u32, tiles: u32) -> (u32, u32, u32) {
    let q = 2 * pixel as i32 + 1 - TILE as i32;
    let last = tiles as i32 - 1;
    let first = (q >> 5).clamp(0, last);
    let second = ((q >> 5) + 1).clamp(0, last);
    (first as u32, second as u32, (q & 31) as u32)
}

/// How unlike a block of the board is to the golden picture at each place of the search: for the
/// block (i, j) and the place (u, v), at `((j * blocks_x + i) * PLACES + v) * PLACES + u`, the sum
/// of `(board(x, y) - golden(x + u - SEARCH, y + v - SEARCH))²` over the pixels of the block in
/// each `BLOCK_ROW_STEP`th row of it, from its first.
pub fn block_costs(golden: &[u8], board: &[u8], size: Size, costs: &mut [u32]) {
    let [blocks_x, blocks_y] = size.blocks();
    let blocks = (0..blocks_y).flat_map(|j| (0..blocks_x).map(move |i| [i, j]));
    let places = (PLACES * PLACES) as usize;
    for (block, costs) in blocks.zip(costs.chunks_exact_mut(places)) {
        let [left, top] = size.block_at(block);
        for (place, cost) in (0..).zip(costs) {
            let (u, v) = (place % PLACES, place / PLACES);
            *cost = (0..BLOCK / BLOCK_ROW_STEP)
                .map(|row| {
                    let y = top + row * BLOCK_ROW_STEP;
                    let golden_row = (y + v - SEARCH) * size.width + left + u - SEARCH;
                    unlikeness(part(board, y * size.width + left), part(golden, golden_row))
                })
                .sum();
        }
    }
}

fn part(plane: &[u8], first: u32) -> &[u8; BLOCK as usize] {
    let part = plane[first as usize..].first_chunk();
    part.expect("a block lies in the plane with a margin for the search")
}

fn unlikeness(one: &[u8; BLOCK as usize], other: &[u8; BLOCK as usize]) -> u32 {
    let square = |(&one, &other): (&u8, &u8)| {
        let difference = i16::from(one) - i16::from(other);
        (i32::from(difference) * i32::from(difference)) as u32
    };
    one.iter().zip(other).map(square).sum()
}

/// The golden picture, or its envelope, as it lies on the board's: with (X, Y) the place that
/// `affine` gives, `fx = (X >> 8) & 255` and `fy` likewise, the mix
/// `(sum of weight_x * weight_y * pixel + 32768) >> 16` of the pixels at `X >> 16` and the next,
/// with the weights `256 - fx` and `fx`, and along y the same.
pub fn warp(golden: &[u8], affine: Affine, size: Size, warped: &mut [u8]) {
    let (last_x, last_y) = (size.width as i32 - 1, size.height as i32 - 1);
    let (middle_x, middle_y) = (size.width as i32 / 2, size.height as i32 / 2);
    let mut out = warped.iter_mut();
    for y in 0..size.height as i32 {
        for (x, out) in (0..size.width as i32).zip(&mut out) {
            let (across, down) = (x - middle_x, y - middle_y);
            let at_x = (x << 16) + affine.x0 + affine.xx * across + affine.xy * down;
            let at_y = (y << 16) + affine.y0 + affine.yx * across + affine.yy * down;
            let (left, right) =
                ((at_x >> 16).clamp(0, last_x), ((at_x >> 16) + 1).clamp(0, last_x));
            let (upper, lower) =
                ((at_y >> 16).clamp(0, last_y), ((at_y >> 16) + 1).clamp(0, last_y));
            let (fx, fy) = ((at_x >> 8 & 255) as u32, (at_y >> 8 & 255) as u32);
            let row = |y: i32| {
                let at = |x: i32| u32::from(golden[(y * (last_x + 1) + x) as usize]);
                at(left) * (256 - fx) + at(right) * fx
            };
            *out = ((row(upper) * (256 - fy) + row(lower) * fy + 32768) >> 16) as u8;
        }
    }
}

/// What golden may be off by: the least and the greatest of the 3×3 pixels around each.
pub fn envelope(golden: &[u8], size: Size, low: &mut [u8], high: &mut [u8]) {
    let (width, height) = (size.width as usize, size.height as usize);
    // Least and greatest of three rows at each column; then of three columns of these.
    let (mut lows, mut highs) = (vec![0; width], vec![0; width]);
    for y in 0..height {
        let row = |y: usize| &golden[y * width..(y + 1) * width];
        let (above, here, below) = (row(y.saturating_sub(1)), row(y), row((y + 1).min(height - 1)));
        for x in 0..width {
            lows[x] = above[x].min(here[x]).min(below[x]);
            highs[x] = above[x].max(here[x]).max(below[x]);
        }
        for x in 0..width {
            let (left, right) = (x.saturating_sub(1), (x + 1).min(width - 1));
            low[y * width + x] = lows[left].min(lows[x]).min(lows[right]);
            high[y * width + x] = highs[left].max(highs[x]).max(highs[right]);
        }
    }
}

/// A difference: `board - high` where the board is brighter than `high`, `board - low` where it
/// is darker than `low`, and else 0. (`low` is nowhere above `high`.)
pub fn difference(low: &[u8], high: &[u8], board: &[u8], difference: &mut [i16]) {
    for (((&low, &high), &board), out) in low.iter().zip(high).zip(board).zip(difference) {
        let brighter = i16::from(board.saturating_sub(high));
        let darker = i16::from(low.saturating_sub(board));
        *out = brighter - darker;
    }
}

/// A mark: 1 where the difference is at least `least`, 2 where it is at most `-least`, else 0.
pub fn threshold(difference: &[i16], least: i16, marks: &mut [u8]) {
    for (&difference, mark) in difference.iter().zip(marks) {
        *mark = u8::from(difference >= least) | u8::from(difference <= -least) << 1;
    }
}

/// A mark is kept if at least `fellows` of the 3×3 marks around it, itself included, are like it;
/// beside the plane there are none. Else it becomes 0.
pub fn keep_clustered(marks: &[u8], fellows: u32, size: Size, kept: &mut [u8]) {
    let (width, height) = (size.width as usize, size.height as usize);
    for y in 0..height {
        for x in 0..width {
            let mark = marks[y * width + x];
            if mark == 0 {
                kept[y * width + x] = 0;
                continue;
            }
            let rows = y.saturating_sub(1)..=(y + 1).min(height - 1);
            let columns = x.saturating_sub(1)..=(x + 1).min(width - 1);
            let like = rows
                .map(|row| &marks[row * width..][columns.clone()])
                .map(|near| near.iter().filter(|&&near| near == mark).count() as u32);
            kept[y * width + x] = if like.sum::<u32>() >= fellows { mark } else { 0 };
        }
    }
}

/// A tile's count: that of the marks in it that are not 0.
pub fn tile_counts(marks: &[u8], size: Size, counts: &mut [u32]) {
    let [tiles_x, _] = size.tiles();
    counts.fill(0);
    for (y, row) in marks.chunks_exact(size.width as usize).enumerate() {
        let first = (y as u32 / TILE * tiles_x) as usize;
        for (tile, part) in row.chunks(TILE as usize).enumerate() {
            counts[first + tile] += part.iter().map(|&mark| u32::from(mark != 0)).sum::<u32>();
        }
    }
}
