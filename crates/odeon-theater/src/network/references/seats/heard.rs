//! From where messages come to an actor.

use crate::TheaterId;

/// How many messages have come from each other theater. The ones that send most are found first.
#[derive(Default)]
pub(in crate::network) struct Heard {
    from: Vec<(TheaterId, u64)>,
}

impl Heard {
    #[inline]
    pub(in crate::network) fn count(&mut self, from: TheaterId) {
        match self.from.iter().position(|&(theater, _)| theater == from) {
            None => self.from.push((from, 1)),
            Some(place) => {
                self.from[place].1 += 1;
                if place > 0 {
                    self.from.swap(place - 1, place);
                }
            }
        }
    }

    pub(in crate::network) fn forget(&mut self) {
        self.from.clear();
    }

    /// In the order of the theaters.
    pub(in crate::network) fn all(&self) -> Vec<(TheaterId, u64)> {
        let mut all = self.from.clone();
        all.sort_unstable();
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_theater_is_counted_for_itself() {
        let mut heard = Heard::default();
        for n in [3, 1, 2, 3, 3, 2, 3] {
            heard.count(TheaterId::from_bits(n));
        }
        let all: Vec<_> = heard.all().iter().map(|(from, n)| (from.bits(), *n)).collect();
        assert_eq!(all, [(1, 1), (2, 2), (3, 4)]);
        assert_eq!(heard.from[0].0.bits(), 3, "it sends most");
        heard.forget();
        assert!(heard.all().is_empty());
    }
}
