//! Requests to move that have gone to another theater are forgotten once they are over: see `asked.rs`.

use std::sync::Arc;

use super::control::Control;
use super::inner::Inner;
use super::peer::Peer;
use crate::TheaterId;

impl Inner {
    /// Has those requests forgotten that have gone to a theater and are over, if there are many.
    pub(super) fn look_at_asked(self: &Arc<Self>, peer: &Arc<Peer>) {
        for (theater, questions) in peer.asked.to_look_at() {
            if theater == self.id {
                peer.asked.are_over(theater, &self.questions.that_are_over(questions));
            } else if let Some(asker) = self.peers.get(theater) {
                self.tell_peer(&asker, &Control::AreOpen { at: peer.id.bits(), questions });
            } else if !self.peers.is_reachable(theater) {
                // Nobody is there to be told. Who is only cut off is to be told later.
                peer.asked.are_over(theater, &questions);
            }
        }
    }

    /// Another theater asks which of these questions are over, with which it has gone to a third one.
    pub(super) fn says_what_is_over(
        self: &Arc<Self>,
        peer: &Arc<Peer>,
        at: u128,
        questions: Vec<u64>,
    ) {
        let questions = self.questions.that_are_over(questions);
        if !questions.is_empty() {
            self.tell_peer(peer, &Control::AreOver { at, questions });
        }
    }

    /// And is told.
    pub(super) fn are_over(&self, peer: &Arc<Peer>, at: u128, questions: &[u64]) {
        if let Some(at) = self.peers.get(TheaterId::from_bits(at)) {
            at.asked.are_over(peer.id, questions);
        }
    }
}
