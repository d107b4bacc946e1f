//! Random lines, for comparing two implementations of the rules.
//!
//! Swarm style: each seed switches features on and off, so that rare combinations are dense in
//! some seeds rather than thin in all of them. Times are small whole milliseconds, so that much
//! happens at the same instant.

mod draft;
mod features;
mod jobs;
mod random;

use crate::model::read;

use self::draft::Draft;
use self::features::Features;
pub use self::random::Random;

/// How many drafts of a seed may be refused before something must be wrong with the generator.
const DRAFTS_MAX: u64 = 1000;

/// The text of a line file that is valid, and small: its run has fewer than 2000 events.
///
/// The same seed gives the same text on every platform. A draft that the rules refuse (a job
/// that never fits, a line that can't be drained) makes way for the next one of the seed.
///
/// ```
/// use lineside_tests::generate::generate;
/// use lineside_tests::model::{read, simulate};
///
/// let line = read(&generate(7)).unwrap();
/// assert!(simulate(&line).events.len() < 2000);
/// ```
pub fn generate(seed: u64) -> String {
    let mut drafts = (0..DRAFTS_MAX).map(|attempt| draft(seed, attempt));
    let legal = drafts.find(|text| read(text).is_ok());
    legal.unwrap_or_else(|| panic!("all drafts of seed {seed} are refused"))
}

/// The text of a line file that may be refused: one of many drafts of a seed.
pub fn draft(seed: u64, attempt: u64) -> String {
    let mut random = Random::new(seed, attempt);
    let features = Features::draw(&mut random);
    Draft::new(features, &mut random).write()
}
