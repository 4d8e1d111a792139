//! Who stands back for whom: a transaction that has been rolled back several times is *urgent*, and
//! the others do not begin to run where it is, so that it does not starve. Of several that are
//! urgent the oldest goes first, which is the same one everywhere.

use std::collections::BTreeSet;

use crate::id::Id;

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Urgency {
    /// With their stamps.
    urgent: BTreeSet<(u64, Id)>,
    /// Those that were to run, in these rounds.
    stood_back: Vec<(Id, u32)>,
}

impl Urgency {
    /// Notes that a transaction is urgent.
    pub(crate) fn add(&mut self, stamp: u64, id: Id) {
        self.urgent.insert((stamp, id));
    }

    /// Whether a transaction has to stand back for another one.
    pub(crate) fn is_before(&self, id: Id) -> bool {
        self.urgent.first().is_some_and(|(_, first)| *first != id)
    }

    pub(crate) fn stands_back(&mut self, id: Id, round: u32) {
        self.stood_back.push((id, round));
    }

    /// A transaction is over, or not urgent any more. Answers those that are to try again.
    pub(crate) fn remove(&mut self, id: Id) -> Vec<(Id, u32)> {
        let before = self.urgent.len();
        self.urgent.retain(|(_, other)| *other != id);
        if self.urgent.len() == before {
            return Vec::new();
        }
        std::mem::take(&mut self.stood_back)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use odeon_theater::TheaterId;

    #[test]
    fn the_oldest_goes_first_and_those_who_stood_back_try_again() {
        let [old, young, calm] =
            [1, 2, 3].map(|number| Id { leader: TheaterId::from_bits(7), number });
        let mut urgency = Urgency::default();
        assert!(!urgency.is_before(calm));
        urgency.add(5, young);
        urgency.add(4, old);
        assert!(urgency.is_before(calm) && urgency.is_before(young) && !urgency.is_before(old));
        urgency.stands_back(calm, 1);
        assert_eq!(urgency.remove(calm), []);
        assert_eq!(urgency.remove(old), [(calm, 1)]);
        assert!(urgency.is_before(calm) && !urgency.is_before(young));
    }
}
