//! Random numbers that are the same everywhere.

/// Random numbers, out of a seed or out of given bytes.
#[derive(Debug, Clone)]
pub struct Random {
    source: Source,
}

#[derive(Debug, Clone)]
enum Source {
    /// splitmix64: same seed, same numbers, on every platform.
    Seed(u64),
    /// What a fuzzer made, read from the end of the list; zeros when it is spent.
    Bytes(Vec<u8>),
}

impl Random {
    /// The numbers of one draft of a seed.
    pub fn new(seed: u64, attempt: u64) -> Random {
        let mut state = seed;
        let first = splitmix(&mut state);
        Random { source: Source::Seed(first ^ attempt) }
    }

    /// Numbers out of bytes: one for each number below 256, so that who changes a byte changes a
    /// choice.
    ///
    /// ```
    /// use lineside_tests::generate::Random;
    ///
    /// let mut random = Random::of_bytes(&[7, 12]);
    /// assert_eq!((random.below(10), random.below(10)), (7, 2));
    /// assert!(random.is_spent());
    /// ```
    pub fn of_bytes(bytes: &[u8]) -> Random {
        Random { source: Source::Bytes(bytes.iter().rev().copied().collect()) }
    }

    /// Whether the bytes have all been used. A seed never is.
    pub fn is_spent(&self) -> bool {
        matches!(&self.source, Source::Bytes(bytes) if bytes.is_empty())
    }

    fn next(&mut self, end: u64) -> u64 {
        match &mut self.source {
            Source::Seed(state) => splitmix(state),
            Source::Bytes(bytes) => {
                let (mut number, mut most) = (0, 0);
                while most < end - 1 {
                    number = number << 8 | u64::from(bytes.pop().unwrap_or(0));
                    most = most << 8 | 0xff;
                }
                number
            }
        }
    }

    /// A number below `end`, which is above 0.
    pub fn below(&mut self, end: u64) -> u64 {
        self.next(end) % end
    }

    /// A number in `least..=most`.
    pub fn within(&mut self, least: u64, most: u64) -> u64 {
        least + self.below(most - least + 1)
    }

    /// True so many times in a hundred.
    pub fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    /// One of a list that is not empty.
    pub fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len() as u64) as usize]
    }

    /// Puts a list into any order.
    pub fn shuffle<T>(&mut self, list: &mut [T]) {
        for end in (1..list.len()).rev() {
            list.swap(end, self.below(end as u64 + 1) as usize);
        }
    }
}

fn splitmix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
