//! What name servers know of one name.

use serde::{Deserialize, Serialize};

use crate::TheaterId;

/// Nobody moves so often: a number above is of somebody who does not mean well.
pub(super) const MOST_MOVES: u64 = u64::MAX / 2;

/// One registration, or one claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(super) struct Id {
    /// The theater where it was made.
    pub(super) born: TheaterId,
    /// Its number there.
    pub(super) number: u64,
}

/// Who has a name, or is about to spawn who will have it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Entry {
    pub(super) name: String,
    pub(super) id: Id,
    /// The theater of its actor, that says whether it is in force.
    pub(super) home: TheaterId,
    /// The so manieth home: the one with the greatest number is.
    pub(super) moves: u64,
    /// Of two registrations of one name of which one could have known the other, the later has the
    /// greater one, unless there is none above it. 0: it has none yet.
    pub(super) stamp: u64,
    /// What the actor's messages are called between theaters.
    pub(super) messages: String,
    /// The actor is still to be spawned.
    pub(super) is_claim: bool,
}

impl Entry {
    /// Whether its home can still be counted.
    pub(super) fn is_credible(&self) -> bool {
        self.moves <= MOST_MOVES
    }

    /// Whether it may move, and come back under the number after that if nothing comes of it.
    pub(super) fn may_move(&self) -> bool {
        self.moves + 2 <= MOST_MOVES
    }

    /// Whether this is the same registration at home elsewhere, and no earlier.
    pub(super) fn goes_on_elsewhere(&self, other: &Self) -> bool {
        self.id == other.id
            && (self.moves > other.moves || self.moves == other.moves && self.home != other.home)
    }

    /// Whether the name stays with this one, of two that differ: with a registration rather than a
    /// claim, with the earlier one, and otherwise with the one that everybody takes for the lesser.
    pub(super) fn goes_before(&self, other: &Self) -> bool {
        let rank = |entry: &Self| (entry.is_claim, entry.stamp, entry.id);
        rank(self) < rank(other)
    }

    /// The same registration as known later: not a claim any more, or at home elsewhere.
    pub(super) fn or_newer(self, other: Self) -> Self {
        debug_assert_eq!(self.id, other.id, "it is the same registration");
        let rank = |entry: &Self| (!entry.is_claim, entry.moves, entry.stamp);
        if rank(&other) > rank(&self) { other } else { self }
    }
}

/// Under which name the theater of a registered actor publishes it.
pub(super) fn key(Id { born, number }: Id) -> String {
    format!("odeon/named/{born}/{number}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(home: u128, stamp: u64, is_claim: bool) -> Entry {
        let home = TheaterId::from_bits(home);
        let id = Id { born: home, number: 1 };
        Entry { name: "x".into(), id, home, moves: 0, stamp, messages: "M".into(), is_claim }
    }

    #[test]
    fn of_any_two_one_goes_before_and_everybody_agrees_which() {
        let ordered = [
            entry(9, 3, false),
            entry(1, 4, false),
            entry(2, 4, false),
            entry(1, 1, true),
            entry(2, 1, true),
        ];
        for (i, one) in ordered.iter().enumerate() {
            for (j, other) in ordered.iter().enumerate() {
                assert_eq!(one.goes_before(other), i < j, "{one:?} {other:?}");
            }
        }
    }

    #[test]
    fn a_claim_becomes_a_registration_and_never_the_other_way_round() {
        let (claim, registration) = (entry(1, 3, true), entry(1, 3, false));
        assert_eq!(claim.clone().or_newer(registration.clone()), registration);
        assert_eq!(registration.clone().or_newer(claim), registration);
    }

    #[test]
    fn of_two_homes_of_one_registration_the_later_one_is_known_and_its_rank_stays() {
        let (first, rival) = (entry(1, 3, false), entry(2, 4, false));
        let moved = Entry { home: TheaterId::from_bits(9), moves: 1, ..first.clone() };
        assert_eq!(first.clone().or_newer(moved.clone()), moved);
        assert_eq!(moved.clone().or_newer(first.clone()), moved);
        let claim = Entry { is_claim: true, ..first };
        assert_eq!(claim.or_newer(moved.clone()), moved);
        assert!(moved.goes_before(&rival));
    }

    #[test]
    fn of_two_homes_that_come_after_as_many_moves_none_gives_way_to_the_other() {
        let (one, other) = (entry(1, 3, false), entry(1, 3, false));
        let other = Entry { home: TheaterId::from_bits(9), ..other };
        assert!(one.goes_on_elsewhere(&other) && other.goes_on_elsewhere(&one));
        let later = Entry { moves: 1, ..one.clone() };
        assert!(later.goes_on_elsewhere(&other) && !other.goes_on_elsewhere(&later));
        assert!(!one.goes_on_elsewhere(&one) && !one.goes_on_elsewhere(&entry(2, 3, false)));
    }
}
