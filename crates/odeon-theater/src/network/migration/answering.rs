//! An answer goes to whoever has asked, or is owed: the PROTOCOL is in `owed.rs`.

use std::sync::Arc;

use crate::network::inner::Inner;
use crate::network::migration::owed::Answer;
use crate::network::references::within::Within;
use crate::routing::asker::Asker;
use crate::routing::channel::{Channel, NUMBERS};
use crate::routing::control::Control;
use crate::routing::peer::Peer;
use crate::{End, TheaterId};

fn answered(asker: Asker, answer: Answer, is_passed_on: bool) -> Control {
    let Asker { theater, question } = asker;
    Control::Answered { asker: theater.bits(), question, answer, is_passed_on }
}

impl Inner {
    /// Gives an answer to whoever has asked, wherever that is.
    pub(in crate::network) fn give_answer(self: &Arc<Self>, asker: Asker, answer: Answer) {
        if asker.question >= NUMBERS {
            return;
        }
        if asker.theater == self.id {
            self.is_answered(asker.question, self.id, answer);
        } else if !self.tells_asker(asker, answer.clone(), false) {
            self.owes(asker, answer, true);
        }
    }

    /// `false`: there is no link to it.
    fn tells_asker(self: &Arc<Self>, asker: Asker, answer: Answer, is_passed_on: bool) -> bool {
        let Some(peer) = self.peers.get(asker.theater) else { return false };
        let told = answered(asker, answer, is_passed_on).to_bytes();
        let is_told = peer.push(Channel::Control, &told).is_ok();
        peer.transmit(self);
        is_told
    }

    fn owes(self: &Arc<Self>, asker: Asker, answer: Answer, is_own: bool) {
        self.owed.add(asker, answer.clone(), is_own, self.now());
        if is_own {
            for peer in self.peers.all().into_iter().filter(|peer| peer.id != asker.theater) {
                self.tell_peer(&peer, &answered(asker, answer.clone(), true));
            }
        }
        // There may be a link meanwhile, of which it was told before that.
        if let Some(peer) = self.peers.get(asker.theater).filter(|peer| peer.is_linked()) {
            self.pays(&peer);
        }
    }

    /// There is a link to a theater.
    pub(in crate::network) fn pays(self: &Arc<Self>, peer: &Arc<Peer>) {
        for (asker, answer) in self.owed.take(peer.id) {
            if !self.tells_asker(asker, answer.clone(), false) {
                self.owed.add(asker, answer, true, self.now());
            }
        }
        for (asker, answer) in self.owed.own() {
            self.tell_peer(peer, &answered(asker, answer, true));
        }
    }

    /// A link has ended.
    pub(in crate::network) fn owes_no_more(&self, theater: TheaterId, end: End) {
        if matches!(end, End::Left | End::Departed) {
            drop(self.owed.take(theater));
        }
    }

    /// Another theater has the answer to a question of this one, or of a third one.
    pub(in crate::network) fn answer_comes(
        self: &Arc<Self>,
        peer: &Arc<Peer>,
        asker: Asker,
        answer: Answer,
    ) {
        if asker.question >= NUMBERS {
            return;
        }
        if asker.theater == self.id {
            self.is_answered(asker.question, peer.id, answer);
        } else if !self.tells_asker(asker, answer.clone(), true) {
            self.owes(asker, answer, false);
        }
    }

    /// The asker's theater may not have got it.
    pub(in crate::network) fn has_not_answered(
        self: &Arc<Self>,
        peer: &Arc<Peer>,
        asker: Asker,
        answer: Answer,
        is_passed_on: bool,
    ) {
        // Who was to pass it on has died: whoever is the first to have it owes it still.
        if asker.theater == peer.id {
            self.owes(asker, answer, !is_passed_on);
        }
    }

    fn is_answered(&self, question: u64, by: TheaterId, answer: Answer) {
        if let Some(asked) = self.questions.take(question, by) {
            if let Some(bytes) = answer {
                let _ = asked.answer(&Within::default(), &bytes);
            }
        }
    }
}
