//! Requests to move that have gone to another theater are forgotten once they are over: see
//! `routing/asked.rs`.

use std::sync::Arc;

use crate::TheaterId;
use crate::network::inner::Inner;
use crate::routing::control::Control;
use crate::routing::peer::Peer;

impl Inner {
    /// Has those requests forgotten that have gone to a theater and are over, if there are many.
    pub(in crate::network) fn look_at_asked(self: &Arc<Self>, peer: &Arc<Peer>) {
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

    /// Another theater asks which of these questions are over, with which it has gone to a third
    /// one.
    pub(in crate::network) fn says_what_is_over(
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
    pub(in crate::network) fn are_over(&self, peer: &Arc<Peer>, at: u128, questions: &[u64]) {
        if let Some(at) = self.peers.get(TheaterId::from_bits(at)) {
            at.asked.are_over(peer.id, questions);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::time::{Duration, Instant};

    use odeon_core::Theater;
    use odeon_core::wire::{Answerable, Passage, WireError};

    use super::*;
    use crate::routing::asked::FEWEST;
    use crate::routing::marks::Mark;
    use crate::{InMemoryNetwork, LinkConfig, Network};

    struct Open;

    impl Answerable for Open {
        fn answer(self: Box<Self>, _: &dyn Passage, _: &[u8]) -> Result<(), WireError> {
            Ok(())
        }
    }

    fn request(asker: TheaterId, question: u64) -> Vec<u8> {
        Mark::Migrate { to: 9, asker: asker.bits(), question, tries: 0 }.to_bytes()
    }

    #[test]
    fn those_that_are_over_are_forgotten_and_those_that_are_not_are_told() {
        let net = InMemoryNetwork::new(1);
        let theaters = [(); 3].map(|()| Theater::new().unwrap());
        let ids = [1, 2, 3].map(TheaterId::from_bits);
        let networks: Vec<_> = theaters
            .iter()
            .zip(ids)
            .map(|(theater, id)| {
                let config = LinkConfig::new("asked", 60_000);
                let joined = Network::join(theater, id, config, |id, listener| {
                    Ok::<_, Infallible>(Arc::new(net.join(id, listener)))
                });
                joined.unwrap()
            })
            .collect();
        let begun = Instant::now();
        let pass = |until: &dyn Fn() -> bool| {
            while !until() {
                assert!(begun.elapsed() < Duration::from_secs(60));
                net.step(begun.elapsed());
                std::thread::sleep(Duration::from_micros(100));
            }
        };
        pass(&|| networks.iter().all(|network| network.members().len() == 2));
        let (asker, passer, at) = (&networks[0], &networks[1], ids[2]);
        let peer = passer.inner.peers.get(at).unwrap();
        let open: Vec<_> = (0..10)
            .map(|_| asker.inner.questions.leaves_for_anybody(Box::new(Open), ids[1]))
            .collect();
        let own = passer.inner.questions.leaves_for_anybody(Box::new(Open), at);
        open.iter().for_each(|&question| peer.asked.note(&request(ids[0], question)));
        peer.asked.note(&request(ids[1], own));
        for over in 0..10 * FEWEST as u64 {
            let theater = if over % 2 == 0 { ids[0] } else { ids[1] };
            peer.asked.note(&request(theater, 1_000_000 + over));
            passer.inner.look_at_asked(&peer);
            net.step(begun.elapsed());
            assert!(peer.asked.len() <= 4 * FEWEST, "as long as answers take");
        }
        pass(&|| peer.asked.len() < 2 * FEWEST);
        let mut left = peer.asked.take();
        left.retain(|asker| asker.question < 1_000_000);
        let left: Vec<_> = left.iter().map(|left| (left.theater, left.question)).collect();
        let pending = open.iter().map(|&question| (ids[0], question));
        assert_eq!(left, pending.chain([(ids[1], own)]).collect::<Vec<_>>());
    }
}
