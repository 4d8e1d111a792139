//! Whose requests to move an actor have gone to another theater.
//!
//! It answers them itself, or another one does to which it has passed them on; if it dies nobody may. So whoever has passed one on tells the asker
//! then that there is no answer: theater by theater, wherever on its way the request has been lost. An asker that has been answered heeds that no more.
//!
//! An answer goes straight to the asker, and whoever has passed the request on does not hear of it. So once many are remembered, their askers are asked which
//! of them are over, and those are forgotten: what is kept is in proportion to what waits for an answer.

use std::collections::{BTreeMap, BTreeSet};

use odeon_sync::{Mutex, MutexGuard};

use super::marks::Mark;
use super::questions::Asker;
use crate::TheaterId;

/// TUNE: guessed 2026-11: with so many requests it is looked at which of them are over, and again with twice as many as were left. A question for dozens of
/// requests costs little beside them, and so few take no more memory than a link does.
const FEWEST: usize = 64;

/// See the module.
#[derive(Default)]
pub(super) struct Asked(Mutex<Known>);

struct Known {
    /// By the theater of the asker, and the number of its question.
    asked: BTreeSet<(TheaterId, u64)>,
    look_at: usize,
}

impl Default for Known {
    fn default() -> Self {
        Self { asked: BTreeSet::new(), look_at: FEWEST }
    }
}

impl Asked {
    /// A mark goes there, which may be a request.
    pub(super) fn note(&self, mark: &[u8]) {
        let Some(Mark::Migrate { asker, question, .. }) = Mark::from_bytes(mark) else { return };
        self.lock().asked.insert((TheaterId::from_bits(asker), question));
    }

    /// The questions of which it is to be asked whether they are over, by their theaters; none, as long as they are few.
    pub(super) fn to_look_at(&self) -> BTreeMap<TheaterId, Vec<u64>> {
        let mut known = self.lock();
        let mut by_theater: BTreeMap<TheaterId, Vec<u64>> = BTreeMap::new();
        if known.asked.len() >= known.look_at {
            known.look_at = 2 * known.asked.len();
            for &(theater, question) in &known.asked {
                by_theater.entry(theater).or_default().push(question);
            }
        }
        by_theater
    }

    /// These questions of a theater are over.
    pub(super) fn are_over(&self, theater: TheaterId, questions: &[u64]) {
        let mut known = self.lock();
        for &question in questions {
            known.asked.remove(&(theater, question));
        }
        known.look_at = FEWEST.max(2 * known.asked.len());
    }

    /// The theater is dead: who is to be told.
    pub(super) fn take(&self) -> Vec<Asker> {
        let asked = std::mem::take(&mut self.lock().asked);
        asked.into_iter().map(|(theater, question)| Asker { theater, question }).collect()
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.0.lock().expect("nothing panics under this lock")
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::sync::Arc;
    use std::time::{Duration, Instant};

    use odeon_core::Theater;
    use odeon_core::wire::{Answerable, Passage, WireError};

    use super::*;
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
            assert!(peer.asked.lock().asked.len() <= 4 * FEWEST, "as long as answers take");
        }
        pass(&|| peer.asked.lock().asked.len() < 2 * FEWEST);
        let mut left = peer.asked.take();
        left.retain(|asker| asker.question < 1_000_000);
        let left: Vec<_> = left.iter().map(|left| (left.theater, left.question)).collect();
        let pending = open.iter().map(|&question| (ids[0], question));
        assert_eq!(left, pending.chain([(ids[1], own)]).collect::<Vec<_>>());
    }
}
