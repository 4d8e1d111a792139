//! Whose requests to move an actor have gone to another theater.
//!
//! It answers them itself, or another one does to which it has passed them on; if it dies nobody
//! may. So whoever has passed one on tells the asker then that there is no answer: theater by
//! theater, wherever on its way the request has been lost. An asker that has been answered heeds
//! that no more.
//!
//! An answer goes straight to the asker, and whoever has passed the request on does not hear of it.
//! So once many are remembered, their askers are asked which of them are over, and those are
//! forgotten: what is kept is in proportion to what waits for an answer.

use std::collections::{BTreeMap, BTreeSet};

use odeon_sync::{Mutex, MutexGuard};

use crate::TheaterId;
use crate::routing::asker::Asker;
use crate::routing::marks::Mark;

/// TUNE: guessed 2026-11: with so many requests it is looked at which of them are over, and again
/// with twice as many as were left. A question for dozens of requests costs little beside them, and
/// so few take no more memory than a link does.
pub(crate) const FEWEST: usize = 64;

/// See the module.
#[derive(Default)]
pub(crate) struct Asked(Mutex<AskedQuestions>);

struct AskedQuestions {
    /// By the theater of the asker, and the number of its question.
    asked: BTreeSet<(TheaterId, u64)>,
    look_at: usize,
}

impl Default for AskedQuestions {
    fn default() -> Self {
        Self { asked: BTreeSet::new(), look_at: FEWEST }
    }
}

impl Asked {
    /// A mark goes there, which may be a request.
    pub(crate) fn note(&self, mark: &[u8]) {
        let Some(Mark::Migrate { asker, question, .. }) = Mark::from_bytes(mark) else { return };
        self.lock().asked.insert((TheaterId::from_bits(asker), question));
    }

    /// The questions of which it is to be asked whether they are over, by their theaters; none, as
    /// long as they are few.
    pub(crate) fn to_look_at(&self) -> BTreeMap<TheaterId, Vec<u64>> {
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
    pub(crate) fn are_over(&self, theater: TheaterId, questions: &[u64]) {
        let mut known = self.lock();
        for &question in questions {
            known.asked.remove(&(theater, question));
        }
        known.look_at = FEWEST.max(2 * known.asked.len());
    }

    /// The theater is dead: who is to be told.
    pub(crate) fn take(&self) -> Vec<Asker> {
        let asked = std::mem::take(&mut self.lock().asked);
        asked.into_iter().map(|(theater, question)| Asker { theater, question }).collect()
    }

    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.lock().asked.len()
    }

    fn lock(&self) -> MutexGuard<'_, AskedQuestions> {
        self.0.lock().expect("nothing panics under this lock")
    }
}
