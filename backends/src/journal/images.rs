//! Which images of a job.

use alloc::collections::BTreeMap;

/// Some images, as ranges: nearly always it is one.
///
/// ```
/// use lineside_backends::journal::ImageSet;
/// let mut images = ImageSet::default();
/// images.add(0, 2);
/// images.add(5, 1);
/// assert!(images.has(1) && !images.has(2) && images.has(5));
/// assert_eq!(images.count(), 3);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ImageSet {
    /// End of each range, by its beginning; no two touch.
    ranges: BTreeMap<u32, u32>,
}

impl ImageSet {
    /// All images below a number.
    pub fn below(count: u32) -> Self {
        let mut images = ImageSet::default();
        images.add(0, count);
        images
    }

    /// Adds so many images from the first on.
    pub fn add(&mut self, first: u32, count: u32) {
        let (mut from, mut end) = (first, first.saturating_add(count));
        if from == end {
            return;
        }
        // The one before may reach up to here.
        if let Some((&before, &its_end)) = self.ranges.range(..=from).next_back()
            && its_end >= from
        {
            from = before;
            end = end.max(its_end);
        }
        while let Some((&next, &its_end)) = self.ranges.range(from..=end).next() {
            end = end.max(its_end);
            self.ranges.remove(&next);
        }
        self.ranges.insert(from, end);
    }

    /// Is this one among them?
    pub fn has(&self, image: u32) -> bool {
        self.ranges.range(..=image).next_back().is_some_and(|(_, &end)| image < end)
    }

    /// How many they are.
    pub fn count(&self) -> u32 {
        self.ranges.iter().map(|(from, end)| end - from).sum()
    }

    /// Is there none?
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_holds_what_was_added_in_any_order() {
        for seed in 1..200u32 {
            let mut images = ImageSet::default();
            let mut plain = [false; 64];
            let mut state = seed;
            for _ in 0..8 {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                let (first, count) = ((state >> 8) % 60, (state >> 20) % 5);
                images.add(first, count);
                (first..first + count).for_each(|it| plain[it as usize] = true);
                for (image, &there) in (0..).zip(&plain) {
                    assert_eq!(images.has(image), there, "seed {seed}, image {image}");
                }
                let count = plain.iter().filter(|there| **there).count();
                assert_eq!(images.count() as usize, count);
            }
        }
    }
}
