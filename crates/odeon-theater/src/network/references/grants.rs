//! References that are sent on to a third theater.
//!
//! PROTOCOL. X, which refers to an actor of Y, sends a reference to W.
//! 1. X writes it with a number of its own, and tells Y that it has *Granted* it to W by this
//!    number, before it can give back the reference that it writes of. Y keeps the actor for that
//!    as for a reference.
//! 2. When W reads it, it tells Y that it has *Taken* it, before it gives it back: from here on W
//!    holds it as any other.
//! 3. Either may come first. When both have, the number is over.
//! 4. X tells Y that it has *Revoked* the grant if what it was written into does not leave, or
//!    comes back unread, and that those to W up to a number are *Void* when the link has ended by
//!    which they went. What W has taken it holds all the same.
//! 5. When Y has lost X, its grants are orphans: Y asks W, which may still hear of X, to tell it
//!    when nothing more comes from there (*Expects*). When W has lost X it says so (*Over*), and
//!    orphans that it has not taken are void. When Y has lost W it forgets all grants to W, and
//!    what W holds.
//!
//! All of this goes at once, past what is told behind all else (`routing/later.rs`); that
//! references are given back is told behind it.
//!
//! So an actor is kept as long as anybody holds a reference or one may still come to somebody, and
//! no longer, whoever dies, and whichever way is cut.

use std::collections::{HashMap, HashSet};

use odeon_sync::atomic::{AtomicU64, Ordering};

use crate::TheaterId;

/// The numbers of grants by this theater, from 1: a reference that is none has 0.
#[derive(Default)]
pub(in crate::network) struct GrantNumbers(AtomicU64);

impl GrantNumbers {
    pub(in crate::network) fn next(&self) -> u64 {
        // ORDERING: Relaxed: only different they are to be.
        self.0.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// The last one. Whoever has ended a link: all that went by it had its number before.
    pub(in crate::network) fn last(&self) -> u64 {
        // ORDERING: Relaxed: who has written by the link has given back its lock, under which it
        // has ended.
        self.0.load(Ordering::Relaxed)
    }
}

/// What others have granted of one actor of this theater.
#[derive(Default)]
pub(in crate::network) struct Grants {
    /// By who has granted it by which number.
    under_way: HashMap<(TheaterId, u64), Grant>,
    /// Those that were taken before it was known here that they were granted.
    taken: HashSet<(TheaterId, u64)>,
}

struct Grant {
    to: TheaterId,
    /// Who has granted it is lost.
    is_orphan: bool,
}

impl Grants {
    pub(in crate::network) fn granted(&mut self, by: TheaterId, grant: u64, to: TheaterId) {
        if !self.taken.remove(&(by, grant)) {
            self.under_way.insert((by, grant), Grant { to, is_orphan: false });
        }
    }

    /// `may_come`: *Granted* may still come.
    pub(in crate::network) fn taken(&mut self, by: TheaterId, grant: u64, may_come: bool) {
        if self.under_way.remove(&(by, grant)).is_none() && may_come {
            self.taken.insert((by, grant));
        }
    }

    pub(in crate::network) fn revoked(&mut self, by: TheaterId, grant: u64) {
        self.under_way.remove(&(by, grant));
    }

    pub(in crate::network) fn void(&mut self, by: TheaterId, to: TheaterId, until: u64) {
        self.under_way
            .retain(|&(granter, number), grant| granter != by || grant.to != to || number > until);
    }

    /// Nothing comes to a theater any more that another one has granted which is lost.
    pub(in crate::network) fn over(&mut self, by: TheaterId, to: TheaterId) {
        self.under_way
            .retain(|&(granter, _), grant| granter != by || grant.to != to || !grant.is_orphan);
    }

    /// A theater is dead: nothing comes to it, and it grants nothing more. Answers to whom it has.
    pub(in crate::network) fn died(
        &mut self,
        theater: TheaterId,
    ) -> impl Iterator<Item = TheaterId> {
        self.under_way.retain(|_, grant| grant.to != theater);
        self.taken.retain(|&(granter, _)| granter != theater);
        let its = self.under_way.iter_mut().filter(move |((granter, _), _)| *granter == theater);
        its.map(|(_, grant)| {
            grant.is_orphan = true;
            grant.to
        })
    }

    /// Whether a reference is under way to a theater.
    pub(in crate::network) fn are_to(&self, theater: TheaterId) -> bool {
        self.under_way.values().any(|grant| grant.to == theater)
    }

    /// Whether a reference is under way.
    pub(in crate::network) fn keep(&self) -> bool {
        !self.under_way.is_empty()
    }
}
