//! The vision tools of Lineside's inspection example, and the boards that they inspect.
//!
//! A line of four tools looks for faults on bare circuit boards: it loads a picture, **detects**
//! where the board differs from a golden one ([`detect`]), **classifies** each difference
//! ([`classify`]), and **reports** what it found ([`defect`], [`report`]). Pictures and truth come
//! from a generator ([`boards`]), and [`score`] holds the one against the other.
//!
//! The tools see pictures only. All of them compute in integers, so that they yield the same on
//! every platform, and the detector's steps over pixels are written so that a GPU can take them
//! and arrive at the same values ([`detect::passes`]).
//!
//! ```
//! use lineside_vision::{boards::Series, detect::Golden, inspect, score::Quality};
//! let series = Series::new(7);
//! let golden = Golden::new(series.golden().grey());
//! let board = series.board(1);
//! let found = inspect(&golden, &board.image, &board.shot.grey())?;
//! println!("{}", Quality::of(&found, &board.truth));
//! # Ok::<(), lineside_vision::detect::DetectError>(())
//! ```

#![forbid(unsafe_code)]

pub mod boards;
pub mod classify;
pub mod defect;
pub mod detect;
mod font;
pub mod picture;
pub mod report;
mod rng;
pub mod score;

use defect::Defect;
use detect::{Aligned, DetectError, Golden};
use picture::Grey;

/// Detects and classifies: all faults on a board's picture, from above.
///
/// # Errors
/// When the picture can't be compared with the golden one.
pub fn inspect(golden: &Golden, image: &str, board: &Grey) -> Result<Vec<Defect>, DetectError> {
    let aligned = Aligned::new(golden, board)?;
    let classified = aligned.differences(golden).into_iter().map(|bounds| {
        let (class, score) = classify::classify(&aligned, bounds);
        Defect { image: image.to_owned(), bounds, class, score: Some(score) }
    });
    Ok(classified.collect())
}
