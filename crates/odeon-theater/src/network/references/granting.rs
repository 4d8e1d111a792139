//! References are granted to a third theater, and taken there: the PROTOCOL is in `grants.rs`.

use std::collections::BTreeSet;
use std::sync::Arc;

use odeon_core::wire::Address;

use crate::TheaterId;
use crate::network::inner::Inner;
use crate::routing::channel::Channel;
use crate::routing::control::Control;
use crate::routing::peer::Peer;

impl Inner {
    /// A reference to an actor elsewhere is written for a third theater. Answers its number; then
    /// it [has been granted](Self::has_granted), or is [revoked](Self::revokes). Under the lock of
    /// the seats: its own reference is given back behind that.
    pub(in crate::network) fn grants(&self, at: Address, to: &Peer) -> u64 {
        let (home, grant) = (TheaterId::from_bits(at.theater), self.grant_numbers.next());
        to.granted_at.note(home);
        if let Some(home) = self.peers.get(home) {
            let granted = Control::granted(at.actor, to.id, grant);
            // If that is dead, the actor is, too.
            let _ = home.push(Channel::Control, &granted.to_bytes());
        }
        grant
    }

    /// What it was written into has been pushed.
    pub(in crate::network) fn has_granted(
        self: &Arc<Self>,
        at: Address,
        to: &Arc<Peer>,
        grant: u64,
    ) {
        if !self.peers.is_alive(to) {
            // Whoever has ended the link may have looked for it before.
            self.revokes(at, grant);
        } else if let Some(home) = self.peers.get(TheaterId::from_bits(at.theater)) {
            home.transmit(self);
        }
    }

    /// A reference that was granted to somebody has come back, or was never read there.
    pub(in crate::network) fn revokes(self: &Arc<Self>, at: Address, grant: u64) {
        if grant > 0 {
            self.tell(
                TheaterId::from_bits(at.theater),
                Control::Revoked { actor: at.actor, grant },
            );
        }
    }

    /// A reference that another theater has granted to this one has been read.
    pub(in crate::network) fn takes(
        self: &Arc<Self>,
        home: &Arc<Peer>,
        actor: u64,
        by: TheaterId,
        grant: u64,
    ) {
        if grant > 0 {
            self.tell_peer(home, &Control::Taken { actor, by: by.bits(), grant });
        }
    }

    /// The link to a theater has ended: nothing comes from there any more, and what was granted to
    /// it up to a number is not under way.
    pub(in crate::network) fn ends_grants(self: &Arc<Self>, peer: &Arc<Peer>, until: u64) {
        let bits = peer.id.bits();
        for home in peer.granted_at.take() {
            self.tell(home, Control::Void { to: bits, until });
        }
        for home in peer.expected_by.take() {
            self.tell(home, Control::Over { by: bits });
        }
    }

    /// A theater is lost that has granted references to these ones.
    pub(in crate::network) fn expects_grants(
        self: &Arc<Self>,
        by: TheaterId,
        holders: BTreeSet<TheaterId>,
    ) {
        for holder in holders {
            if !self.tell(holder, Control::Expects { by: by.bits() }) {
                drop(self.exports.over(by, holder));
            }
        }
    }

    /// Another theater has lost one, and wants to know when nothing more comes here from there.
    pub(in crate::network) fn is_expected(self: &Arc<Self>, by: TheaterId, home: &Arc<Peer>) {
        // By a link that only begins nothing has come that was sent by another one.
        let granter = self.peers.get(by).filter(|granter| granter.is_linked());
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
        let peer = self.peers.get(theater);
        peer.iter().for_each(|peer| self.tell_peer(peer, &control));
        peer.is_some()
    }

    /// A theater has sent a reference to an actor of this one on to another theater.
    pub(in crate::network) fn is_granted(
        self: &Arc<Self>,
        actor: u64,
        by: &Arc<Peer>,
        to: TheaterId,
        grant: u64,
    ) {
        self.exports.granted(actor, by.id, to, grant);
        // If that is dead, a link finds out, and its end takes the grant back.
        if let Some(holder) = self.peers.get_or_meet(to) {
            holder.transmit(self);
        }
    }

    /// It has come there.
    pub(in crate::network) fn is_taken(
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
            // It may have been told before, and have given that reference back.
            self.seats.is_not_known(actor, holder.id);
            self.has_to_tell(actor);
        }
    }
}
