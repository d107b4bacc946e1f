//! The detector: where a board differs from the golden picture.
//!
//! It knows nothing but the two pictures. Its steps, in the order in which they are taken:
//!
//! 0. once for a golden picture: `envelope`, what it may be off by;
//! 1. even the light out, roughly: `tile_sums` of both pictures, `light_gains`, `even_light`;
//! 2. find the board: `block_costs`, then [`fit`] on the CPU;
//! 3. lay the golden picture onto it: `warp`;
//! 4. even the light out again, now that both show the same in each tile;
//! 5. mark what differs: `warp` of the envelope, `difference`, `threshold`, `keep_clustered`;
//! 6. gather the marks: `tile_counts`, then [`regions`] on the CPU.
//!
//! All but the two steps on the CPU are [`passes`], which a GPU can take as well.

mod fit;
pub mod passes;
mod regions;

use std::fmt;

use crate::classify::Levels;
use crate::defect::PixelBox;
use crate::picture::Grey;
pub use fit::fit;
use passes::{Affine, Size};
pub use regions::regions;

/// A pixel is marked if it is brighter or darker than golden allows by at least this.
pub const DIFFERENCE_MIN: i16 = 14;
/// A mark counts if so many of the nine around it, itself included, are like it.
pub const FELLOWS_MIN: u32 = 4;

/// Why a board can't be compared with the golden picture.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum DetectError {
    /// The pictures have different sizes: board, golden.
    Sizes(Size, Size),
    /// The board was not found: it shows something else, or is displaced too far.
    Unlike,
}

impl fmt::Display for DetectError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sizes(board, golden) => write!(
                out,
                "the board's picture has {}×{} pixels, the golden one {}×{}",
                board.width, board.height, golden.width, golden.height
            ),
            Self::Unlike => write!(
                out,
                "the board does not show what the golden picture shows, or is displaced by more \
                 than {} pixels",
                passes::SEARCH
            ),
        }
    }
}

impl std::error::Error for DetectError {}

/// What boards are compared with.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Golden {
    /// The golden picture.
    pub picture: Grey,
    /// The brightness of its materials.
    pub levels: Levels,
    low: Vec<u8>,
    high: Vec<u8>,
}

impl Golden {
    /// Learns from a golden picture what does not depend on the board: step 0.
    #[must_use]
    pub fn new(picture: Grey) -> Self {
        let size = size_of(&picture);
        let (mut low, mut high) = (vec![0; size.pixels()], vec![0; size.pixels()]);
        passes::envelope(picture.pixels(), size, &mut low, &mut high);
        Self { levels: Levels::learn(&picture), picture, low, high }
    }

    /// The planes that `envelope` gives: the least a pixel may be, and the greatest.
    #[must_use]
    pub fn envelope(&self) -> [&[u8]; 2] {
        [&self.low, &self.high]
    }
}

/// A board's picture in even light, and the golden picture laid onto it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Aligned {
    /// The golden picture, shifted and turned as the board is.
    pub golden: Grey,
    /// The board in the light of the golden picture.
    pub board: Grey,
    /// Where the board lies on the golden picture.
    pub affine: Affine,
    /// The brightness of the materials.
    pub levels: Levels,
}

impl Aligned {
    /// Finds the board under the camera and evens out its light: steps 1 to 4.
    ///
    /// # Errors
    /// When the pictures can't be compared.
    pub fn new(golden: &Golden, board: &Grey) -> Result<Self, DetectError> {
        let (size, golden_size) = (size_of(board), size_of(&golden.picture));
        if size != golden_size {
            return Err(DetectError::Sizes(size, golden_size));
        }
        let golden_plane = golden.picture.pixels();
        let rough = in_light_of(golden_plane, board.pixels(), size);
        let mut costs = vec![0; size.places()];
        passes::block_costs(golden_plane, &rough, size, &mut costs);
        let affine = fit(&costs, size).ok_or(DetectError::Unlike)?;
        let warped = laid(golden_plane, affine, size);
        let even = in_light_of(&warped, board.pixels(), size);
        let picture = |pixels| {
            Grey::new(size.width, size.height, pixels).expect("the planes have the board's size")
        };
        let levels = golden.levels;
        Ok(Self { golden: picture(warped), board: picture(even), affine, levels })
    }

    /// The marks of what differs: step 5. 1 for brighter, 2 for darker.
    #[must_use]
    pub fn marks(&self, golden: &Golden) -> Vec<u8> {
        let size = size_of(&self.board);
        let low = laid(&golden.low, self.affine, size);
        let high = laid(&golden.high, self.affine, size);
        let mut difference = vec![0; size.pixels()];
        passes::difference(&low, &high, self.board.pixels(), &mut difference);
        let mut marks = vec![0; size.pixels()];
        passes::threshold(&difference, DIFFERENCE_MIN, &mut marks);
        let mut kept = vec![0; size.pixels()];
        passes::keep_clustered(&marks, FELLOWS_MIN, size, &mut kept);
        kept
    }

    /// The boxes around what differs: steps 5 and 6.
    #[must_use]
    pub fn differences(&self, golden: &Golden) -> Vec<PixelBox> {
        let size = size_of(&self.board);
        let marks = self.marks(golden);
        let [tiles_x, tiles_y] = size.tiles();
        let mut counts = vec![0; (tiles_x * tiles_y) as usize];
        passes::tile_counts(&marks, size, &mut counts);
        regions(&marks, &counts, size)
    }
}

/// Where a board differs from the golden picture: boxes in the board's picture, from above.
///
/// # Errors
/// When the pictures can't be compared.
pub fn detect(golden: &Golden, board: &Grey) -> Result<Vec<PixelBox>, DetectError> {
    Ok(Aligned::new(golden, board)?.differences(golden))
}

fn size_of(picture: &Grey) -> Size {
    Size { width: picture.width(), height: picture.height() }
}

fn laid(plane: &[u8], affine: Affine, size: Size) -> Vec<u8> {
    let mut warped = vec![0; size.pixels()];
    passes::warp(plane, affine, size, &mut warped);
    warped
}

/// The board with the light that the golden picture has.
fn in_light_of(golden: &[u8], board: &[u8], size: Size) -> Vec<u8> {
    let [tiles_x, tiles_y] = size.tiles();
    let tiles = (tiles_x * tiles_y) as usize;
    let (mut golden_sums, mut board_sums, mut gains) =
        (vec![0; tiles], vec![0; tiles], vec![0; tiles]);
    passes::tile_sums(golden, size, &mut golden_sums);
    passes::tile_sums(board, size, &mut board_sums);
    passes::light_gains(&golden_sums, &board_sums, size, &mut gains);
    let mut even = vec![0; size.pixels()];
    passes::even_light(board, &gains, size, &mut even);
    even
}
