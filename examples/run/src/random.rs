//! The two small random number generators that the workload definitions name, so that every
//! implementation draws the same numbers.

/// `splitmix64`: any seed will do.
#[derive(Debug, Clone)]
pub struct SplitMix64 {
    state: u64,
}

impl SplitMix64 {
    /// The same numbers for the same seed.
    pub const fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// The generator of one of several that share a seed.
    pub const fn of_member(seed: u64, member: usize) -> Self {
        let mut of_members = Self::new(seed.wrapping_add(member as u64));
        Self::new(of_members.next())
    }

    /// The next number; there is always one.
    #[inline]
    pub const fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }
}

/// `xorshift64` with shifts 13, 7, 17: the cheapest draw; the seed must not be 0.
#[derive(Debug, Clone)]
pub struct XorShift64 {
    state: u64,
}

impl XorShift64 {
    /// The generator of the actor with this index.
    pub const fn of_actor(index: usize) -> Self {
        Self { state: index as u64 + 1 }
    }

    /// The next number, never 0.
    pub const fn next(&mut self) -> u64 {
        let mut x = self.state;
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        self.state = x;
        x
    }

    /// A number below `bound`.
    pub const fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    /// An index below `bound` other than `own`.
    pub const fn other_than(&mut self, own: usize, bound: usize) -> usize {
        let drawn = self.below(bound - 1);
        if drawn >= own { drawn + 1 } else { drawn }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splitmix64_reference_values() {
        let mut random = SplitMix64::new(1_234_567);
        let drawn: Vec<u64> = (0..5).map(|_| random.next()).collect();
        let reference = [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
            4_593_380_528_125_082_431,
            16_408_922_859_458_223_821,
        ];
        assert_eq!(drawn, reference);
        assert_eq!(SplitMix64::new(0).next(), 0xE220_A839_7B1D_CDAF);
    }

    #[test]
    fn xorshift64_reference_values() {
        let mut random = XorShift64::of_actor(0);
        assert_eq!(random.next(), 1_082_269_761);
        assert_eq!(random.next(), 1_152_992_998_833_853_505);
    }

    #[test]
    fn other_than_never_draws_itself_and_reaches_all_others() {
        let mut seen = [0; 5];
        let mut random = XorShift64::of_actor(2);
        for _ in 0..1000 {
            seen[random.other_than(2, 5)] += 1;
        }
        assert_eq!(seen[2], 0);
        assert!(seen.iter().enumerate().all(|(i, n)| i == 2 || *n > 0), "{seen:?}");
    }
}
