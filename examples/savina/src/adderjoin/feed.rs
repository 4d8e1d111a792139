//! Which source has which number next, and the sums that must come of them.

use super::AdderJoinSetup;
use odeon_example_run::Finish;
use odeon_example_run::SplitMix64;

/// TUNE: numbers, guessed 2026-11: so many are sent within one message, so that whoever sends them
/// can be held back.
const PORTION: usize = 64;

/// Draws a source at random, again and again, until each has brought equally many numbers.
#[derive(Clone)]
pub(super) struct Feed {
    random: SplitMix64,
    /// Sources that have numbers left, with how many.
    left: Vec<(u32, u64)>,
    sources: usize,
    rows: u64,
}

impl Feed {
    pub(super) fn new(setup: &AdderJoinSetup) -> Self {
        let sources = setup.sources;
        let rows = setup.numbers / sources as u64;
        let left = (0..sources as u32).map(|source| (source, rows)).collect();
        Self { random: SplitMix64::new(setup.seed), left, sources, rows }
    }

    pub(super) fn sources(&self) -> usize {
        self.sources
    }

    /// Of all sources together.
    pub(super) fn numbers(&self) -> u64 {
        self.rows * self.sources as u64
    }

    pub(super) fn portion(&mut self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.take(PORTION)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.left.is_empty()
    }
}

/// A source and its next number.
impl Iterator for Feed {
    type Item = (u32, u32);

    #[inline]
    fn next(&mut self) -> Option<(u32, u32)> {
        if self.left.is_empty() {
            return None;
        }
        let drawn = self.random.next();
        let chosen = (((drawn >> 32) * self.left.len() as u64) >> 32) as usize;
        let (source, left) = &mut self.left[chosen];
        let source = *source;
        *left -= 1;
        if *left == 0 {
            self.left.swap_remove(chosen);
        }
        Some((source, drawn as u32))
    }
}

/// Checks the sums, each at its place.
pub(super) struct Sums {
    missing: u64,
    checksum: u64,
    expected: u64,
    finish: Finish,
}

impl Sums {
    pub(super) fn new(feed: &Feed, finish: Finish) -> Self {
        let mut rows = vec![0_u64; feed.rows as usize];
        let mut come = vec![0; feed.sources];
        for (source, number) in feed.clone() {
            rows[come[source as usize]] += u64::from(number);
            come[source as usize] += 1;
        }
        let expected = rows.into_iter().fold(0, at_its_place);
        Self { missing: feed.rows, checksum: 0, expected, finish }
    }

    #[inline]
    pub(super) fn receive(&mut self, sum: u64) {
        self.checksum = at_its_place(self.checksum, sum);
        self.missing -= 1;
        if self.missing == 0 {
            let (checksum, expected) = (self.checksum, self.expected);
            self.finish.arrive_if(checksum == expected, || {
                format!("the sums have the checksum {checksum:x}; expected {expected:x}")
            });
        }
    }
}

/// A checksum that depends on the order.
fn at_its_place(checksum: u64, sum: u64) -> u64 {
    checksum.wrapping_mul(31).wrapping_add(sum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adderjoin::actor_only::Partial;
    use odeon_example_run::finish_line;

    fn feed(sources: u64, numbers: u64) -> Feed {
        Feed::new(&AdderJoinSetup { sources: sources as usize, numbers, seed: 1 })
    }

    #[test]
    fn every_source_brings_equally_many_numbers_in_a_random_order() {
        let mut brought = [0; 5];
        let mut changes = 0;
        let mut last = 0;
        let mut feed = feed(5, 1003);
        while !feed.is_empty() {
            for (source, _) in feed.portion() {
                brought[source as usize] += 1;
                changes += usize::from(source != last);
                last = source;
            }
        }
        assert_eq!(brought, [200; 5]);
        assert!((700..900).contains(&changes), "{changes}");
    }

    #[test]
    fn sums_in_another_order_are_noticed() {
        let feed = feed(3, 300);
        let mut partial = Partial::new(3);
        let sums: Vec<u64> =
            feed.clone().filter_map(|(source, number)| partial.add(source, number)).collect();
        assert_eq!(sums.len(), 100);
        let outcome = |sums: &[u64]| {
            let (finish, waiting) = finish_line(1);
            let mut checked = Sums::new(&feed, finish);
            sums.iter().for_each(|sum| checked.receive(*sum));
            waiting.wait()
        };
        outcome(&sums).expect("they are right");
        let mut exchanged = sums;
        exchanged.swap(10, 20);
        assert!(outcome(&exchanged).unwrap_err().to_string().contains("checksum"));
    }
}
