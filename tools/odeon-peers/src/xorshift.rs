//! Marsaglia's xorshift64 (13, 7, 17), by which `big` and `forward` choose the next actor.

#[derive(Debug)]
pub struct XorShift64 {
    state: u64,
}

impl XorShift64 {
    /// The generator of the actor with this index; zero would be a fixed point, hence the one more.
    pub fn of_actor(index: usize) -> Self {
        Self { state: index as u64 + 1 }
    }

    /// The next number modulo `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        (self.state % bound as u64) as usize
    }

    /// A number below `bound` that is not `excluded`; `bound` is at least two.
    pub fn below_except(&mut self, bound: usize, excluded: usize) -> usize {
        let drawn = self.below(bound - 1);
        if drawn < excluded { drawn } else { drawn + 1 }
    }
}

#[cfg(test)]
mod tests {
    use super::XorShift64;

    #[test]
    fn every_other_actor_is_drawn_and_never_oneself() {
        let mut drawn = [false; 5];
        let mut numbers = XorShift64::of_actor(2);
        for _ in 0..1000 {
            drawn[numbers.below_except(5, 2)] = true;
        }
        assert_eq!(drawn, [true, true, false, true, true]);
    }
}
