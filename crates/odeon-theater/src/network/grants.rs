//! References that are sent on to a third theater.
//!
//! PROTOCOL. X, which refers to an actor of Y, sends a reference to W.
//! 1. X writes it with a number of its own, and tells Y that it has *Granted* it to W by this number, before it gives its own references back on the same link. Y keeps
//!    the actor for that as for a reference.
//! 2. When W reads it, it tells Y that it has *Taken* it, before it says anything else of it: from here on W holds it as any other.
//! 3. Either may come first. When both have, the number is over.
//! 4. X tells Y that it has *Revoked* the grant if what it was written into comes back unread, and that all of those to W are *Void* when the link between X and
//!    W has ended. What W has taken it holds all the same.
//! 5. When Y has lost X, it asks W, which may still hear of X, to tell it when nothing more comes from there (*Expects*). When W has lost X it says so (*Over*): the
//!    grants by X to W are void, but for those that have been taken before. When Y has lost W it forgets all grants to W, and what W holds.
//!
//! So an actor is kept as long as anybody holds a reference or one is under way whose sender lives, and no longer, whoever dies, and whichever way is cut.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use odeon_core::wire::Address;
use odeon_sync::Mutex;
use odeon_sync::atomic::{AtomicU64, Ordering};

use super::Inner;
use super::control::Control;
use super::peer::Peer;
use crate::TheaterId;

/// The numbers of grants by this theater, from 1: a reference that is none has 0.
#[derive(Default)]
pub(super) struct GrantNumbers(AtomicU64);

impl GrantNumbers {
    pub(super) fn next(&self) -> u64 {
        // ORDERING: Relaxed: only different they are to be.
        self.0.fetch_add(1, Ordering::Relaxed) + 1
    }
}

/// Theaters that are to be told when the link to another one ends.
#[derive(Default)]
pub(super) struct ToTell(Mutex<BTreeSet<TheaterId>>);

impl ToTell {
    fn note(&self, theater: TheaterId) {
        self.lock().insert(theater);
    }

    fn take(&self) -> BTreeSet<TheaterId> {
        std::mem::take(&mut self.lock())
    }

    fn lock(&self) -> odeon_sync::MutexGuard<'_, BTreeSet<TheaterId>> {
        self.0.lock().expect("nothing panics under this lock")
    }
}

/// What others have granted of one actor of this theater.
#[derive(Default)]
pub(super) struct Grants {
    /// To whom, by who has granted it by which number.
    under_way: HashMap<(TheaterId, u64), TheaterId>,
    /// Those that were taken before it was known here that they were granted.
    taken: HashSet<(TheaterId, u64)>,
}

impl Grants {
    pub(super) fn granted(&mut self, by: TheaterId, grant: u64, to: TheaterId) {
        if !self.taken.remove(&(by, grant)) {
            self.under_way.insert((by, grant), to);
        }
    }

    /// `may_come`: *Granted* may still come.
    pub(super) fn taken(&mut self, by: TheaterId, grant: u64, may_come: bool) {
        if self.under_way.remove(&(by, grant)).is_none() && may_come {
            self.taken.insert((by, grant));
        }
    }

    pub(super) fn revoked(&mut self, by: TheaterId, grant: u64) {
        self.under_way.remove(&(by, grant));
    }

    pub(super) fn void(&mut self, by: TheaterId, to: TheaterId) {
        self.under_way.retain(|&(granter, _), holder| granter != by || *holder != to);
    }

    /// A theater is dead: nothing comes to it, and it grants nothing more.
    pub(super) fn died(&mut self, theater: TheaterId) {
        self.under_way.retain(|_, holder| *holder != theater);
        self.taken.retain(|&(granter, _)| granter != theater);
    }

    /// To whom a theater has granted references that are under way.
    pub(super) fn by(&self, granter: TheaterId) -> impl Iterator<Item = TheaterId> {
        let grants = self.under_way.iter();
        grants.filter_map(move |(&(by, _), &to)| (by == granter).then_some(to))
    }

    /// Whether a reference is under way.
    pub(super) fn keep(&self) -> bool {
        !self.under_way.is_empty()
    }
}

impl Inner {
    /// A reference to an actor elsewhere has been sent to a third theater.
    pub(super) fn grants(self: &Arc<Self>, at: Address, to: &Arc<Peer>, grant: u64) {
        let home = TheaterId::from_bits(at.theater);
        to.granted_at.note(home);
        // Before its own references are given back, which come later the same way.
        self.tell(home, Control::granted(at.actor, to.id, grant));
        // Otherwise who ends the link finds the note, in `ends_grants`.
        if !self.peers.is_alive(to) {
            self.tell(home, Control::Void { to: to.id.bits() });
        }
    }

    /// A reference that was granted to somebody has come back, or was never read there.
    pub(super) fn revokes(self: &Arc<Self>, at: Address, grant: u64) {
        if grant > 0 {
            self.tell(
                TheaterId::from_bits(at.theater),
                Control::Revoked { actor: at.actor, grant },
            );
        }
    }

    /// A reference that another theater has granted to this one has been read.
    pub(super) fn takes(self: &Arc<Self>, home: &Arc<Peer>, actor: u64, by: TheaterId, grant: u64) {
        if grant > 0 {
            home.tell_later(Control::Taken { actor, by: by.bits(), grant });
            home.transmit(self);
        }
    }

    /// The link to a theater has ended: nothing comes from there any more, and what was granted to it is not under way.
    pub(super) fn ends_grants(self: &Arc<Self>, peer: &Arc<Peer>) {
        let (id, bits) = (peer.id, peer.id.bits());
        for home in peer.granted_at.take() {
            self.tell(home, Control::Void { to: bits });
        }
        for home in peer.expected_by.take() {
            self.tell(home, Control::Over { by: bits });
        }
        for holder in self.exports.granted_by(id) {
            if !self.tell(holder, Control::Expects { by: bits }) {
                drop(self.exports.void(id, holder));
            }
        }
    }

    /// Another theater has lost one, and wants to know when nothing more comes here from there.
    pub(super) fn is_expected(self: &Arc<Self>, by: TheaterId, home: &Arc<Peer>) {
        let granter = self.peers.get(by);
        if let Some(granter) = &granter {
            granter.expected_by.note(home.id);
        }
        // Otherwise who ends the link finds the note.
        if granter.is_none_or(|granter| !self.peers.is_alive(&granter)) {
            self.tell(home.id, Control::Over { by: by.bits() });
        }
    }

    /// `false`: it is not there.
    fn tell(self: &Arc<Self>, theater: TheaterId, control: Control) -> bool {
        let Some(peer) = self.peers.get(theater) else { return false };
        peer.tell_later(control);
        peer.transmit(self);
        true
    }

    /// A theater has sent a reference to an actor of this one on to another theater.
    pub(super) fn is_granted(
        self: &Arc<Self>,
        actor: u64,
        by: &Arc<Peer>,
        to: TheaterId,
        grant: u64,
    ) {
        self.exports.granted(actor, by.id, to, grant);
        // If that is dead, a link finds out, and its end takes the grant back.
        if let Some(holder) = self.peers.get_or_meet(self, to) {
            holder.transmit(self);
        }
    }

    /// It has come there.
    pub(super) fn is_taken(
        self: &Arc<Self>,
        actor: u64,
        holder: &Arc<Peer>,
        by: TheaterId,
        grant: u64,
    ) {
        let may_come = self.peers.get(by).is_some();
        drop(self.exports.taken(actor, holder.id, by, grant, may_come));
        self.tell_of_an_end(holder, actor);
        if self.seats.has_left(actor) {
            self.has_to_tell(actor);
        }
    }
}
