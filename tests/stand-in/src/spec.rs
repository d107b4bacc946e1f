//! What the environment asks of the stand-in.
//!
//! `LINESIDE_STAND_IN` is a list of words like `cards=2 order=reverse launch=3`:
//!
//! | word | |
//! |---|---|
//! | `cards=N` | how many cards (1) |
//! | `order=reverse` | CUDA counts them from the other end of the bus |
//! | `mig=N` | MIG is on, and each card has N slices |
//! | `memory=unknown` | NVML does not know the memory |
//! | `used=N` | others hold N MiB on each card |
//! | `oom=N` | the N-th allocation fails |
//! | `launch=N` | the N-th launch fails, and spoils the context |
//! | `illegal=N` | the N-th launch touches what is not its own, and spoils the context |
//! | `ecc=N` | the N-th launch meets memory that can't be corrected |
//! | `lost=N` | with the N-th launch the card is gone |
//! | `back=MS` | a card that is gone is back after so many milliseconds (never) |
//! | `hang=N` | the N-th launch takes `for` milliseconds |
//! | `for=MS` | (5000) |
//! | `slow=MS` | every launch takes so many milliseconds |
//! | `times=K` | what is said of the N-th is true of K from it on (1) |
//! | `every=1` | what is said of the N-th is true of all from the N-th on |
//! | `on=CARD` | only this card, counted along the bus, has these faults |

use std::collections::HashMap;

/// The words.
#[derive(Debug, Clone, Default)]
pub struct Spec(HashMap<String, String>);

impl Spec {
    /// As the environment says.
    pub fn from_environment() -> Self {
        let text = std::env::var("LINESIDE_STAND_IN").unwrap_or_default();
        let words = text.split_whitespace().filter_map(|word| word.split_once('='));
        Spec(words.map(|(key, value)| (key.to_owned(), value.to_owned())).collect())
    }

    /// A number, if it is there.
    pub fn number(&self, key: &str) -> Option<u64> {
        self.0.get(key)?.parse().ok()
    }

    /// Whether a word is there with this value.
    pub fn is(&self, key: &str, value: &str) -> bool {
        self.0.get(key).is_some_and(|it| it == value)
    }

    /// Whether the count-th time on a card is one of which this is said.
    pub fn strikes(&self, key: &str, card: usize, count: u64) -> bool {
        let here = self.number("on").is_none_or(|on| on == card as u64);
        let Some(number) = self.number(key).filter(|_| here) else { return false };
        let times = self.number("times").unwrap_or(1);
        (number..number + times).contains(&count) || (self.is("every", "1") && count >= number)
    }
}
