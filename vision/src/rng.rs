//! A small generator of pseudo-random integers: the same numbers on every platform.

/// SplitMix64: 64 bits of state, each step a bijection of the last.
#[derive(Clone, Debug)]
pub(crate) struct Rng {
    state: u64,
}

impl Rng {
    pub(crate) fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// A generator of its own for part number `part` of what this seed makes, so that one part
    /// may draw more numbers without changing the others.
    pub(crate) fn part(seed: u64, part: u64) -> Self {
        Self::new(Self::new(seed ^ part.wrapping_mul(0xd1b5_4a32_d192_ed03)).next())
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.state;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ (word >> 31)
    }

    /// A number from `low` to `high`, both included.
    pub(crate) fn range(&mut self, low: i32, high: i32) -> i32 {
        assert!(low <= high);
        let span = (i64::from(high) - i64::from(low) + 1) as u64;
        // The product's upper half: no modulo, and a bias below 2^-32.
        let offset = ((self.next() >> 32) * span) >> 32;
        (i64::from(low) + offset as i64) as i32
    }

    /// An index below `length`.
    pub(crate) fn index(&mut self, length: usize) -> usize {
        assert!(length > 0);
        self.range(0, length as i32 - 1) as usize
    }

    /// True in `percent` of a hundred calls.
    pub(crate) fn chance(&mut self, percent: i32) -> bool {
        self.range(0, 99) < percent
    }

    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.index(last + 1));
        }
    }
}
