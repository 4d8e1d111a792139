//! Which list actor has a value.

/// The words of the option.
pub const SPREADS: [&str; 2] = ["range", "hash"];

/// By which rule.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Spread {
    /// Consecutive parts of one sorted list.
    Range,
    /// Each list actor has values of the whole range, sorted.
    Hash,
}

impl Spread {
    /// The one of [`SPREADS`].
    pub fn named(word: &str) -> Self {
        if word == "hash" { Self::Hash } else { Self::Range }
    }

    /// Of a value below `range`.
    pub fn owner(self, value: u32, range: u64, list_actors: usize) -> usize {
        let list_actors = list_actors as u64;
        let owner = match self {
            Self::Range => u64::from(value) / range.div_ceil(list_actors),
            // The upper half of a product with an odd number spreads neighbours.
            Self::Hash => {
                (u64::from(value).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) % list_actors
            }
        };
        owner as usize
    }
}
