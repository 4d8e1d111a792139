//! Which variables a transaction touches. Peers draw the same.

use super::case::TxPlan;
use odeon_example_run::SplitMix64;

/// Draws for one thread: one variable of each of `length` equal parts, so that they are different
/// and in ascending order without sorting.
pub(super) struct Places {
    random: SplitMix64,
    part: u64,
    places: Vec<usize>,
}

/// The variables of one transaction.
pub(super) struct Drawn<'a> {
    /// In ascending order.
    pub(super) places: &'a [usize],
    /// The last draw, of which the places have used the upper bits.
    bits: u64,
}

impl Places {
    /// The draws of the thread with this index.
    pub(super) fn of_thread(plan: &TxPlan, thread: usize) -> Self {
        let mut of_threads = SplitMix64::new(plan.seed.wrapping_add(thread as u64));
        Self {
            random: SplitMix64::new(of_threads.next()),
            part: (plan.variables / plan.length) as u64,
            places: vec![0; plan.length],
        }
    }

    /// The next transaction.
    #[inline]
    pub(super) fn draw(&mut self) -> Drawn<'_> {
        let (mut bits, mut start) = (0, 0);
        for place in &mut self.places {
            bits = self.random.next();
            // WHY not `%`: a division takes as long as a good part of a transaction.
            let within = (u128::from(bits) * u128::from(self.part)) >> 64;
            *place = (start + within as u64) as usize;
            start += self.part;
        }
        Drawn { places: &self.places, bits }
    }
}

impl Drawn<'_> {
    /// Which of the first two places is special.
    #[inline]
    fn turn(&self) -> usize {
        (self.bits & 1) as usize
    }

    /// Every other place.
    #[inline]
    pub(super) fn read(&self) -> impl Iterator<Item = usize> {
        self.places[self.turn()..].iter().step_by(2).copied()
    }

    /// The remaining places.
    #[inline]
    pub(super) fn written(&self) -> impl Iterator<Item = usize> {
        self.places[1 - self.turn()..].iter().step_by(2).copied()
    }

    /// The place that pays in a transfer.
    #[inline]
    pub(super) fn payer(&self) -> usize {
        self.places[self.turn()]
    }

    /// What it pays to each of the others: 1 to 1,024.
    #[inline]
    pub(super) fn amount(&self) -> u64 {
        1 + ((self.bits >> 1) & 1023)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_differ_ascend_and_reach_every_part() {
        for (variables, length) in [(2, 2), (10, 3), (10, 10), (1000, 2)] {
            let plan = TxPlan { threads: 1, variables, length, transactions: 0, nodes: 1, seed: 7 };
            let mut places = Places::of_thread(&plan, 0);
            let mut payers = [0, 0];
            for _ in 0..1000 {
                let drawn = places.draw();
                assert_eq!(drawn.places.len(), length);
                assert!(drawn.places.windows(2).all(|pair| pair[0] < pair[1]));
                assert!(drawn.places.iter().all(|place| *place < variables));
                let mut all: Vec<usize> = drawn.read().chain(drawn.written()).collect();
                all.sort_unstable();
                assert_eq!(all, drawn.places);
                assert!((1..=1024).contains(&drawn.amount()));
                payers[drawn.turn()] += 1;
            }
            assert!(payers.iter().all(|n| *n > 400), "{payers:?}");
        }
    }
}
