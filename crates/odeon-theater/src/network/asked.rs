//! Whose requests to move an actor have gone to another theater.
//!
//! It answers them itself, or another one does to which it has passed them on; if it dies nobody may. So whoever has passed one on tells the asker
//! then that there is no answer: theater by theater, wherever on its way the request has been lost. An asker that has been answered heeds that no more.

use std::collections::VecDeque;

use odeon_sync::Mutex;

use super::marks::Mark;
use super::migrations::Asker;
use crate::TheaterId;

/// TUNE: how many requests are remembered, the last ones: of more that are lost with a theater the others' askers are not told.
const MOST: usize = 1024;

/// See the module.
#[derive(Default)]
pub(super) struct Asked(Mutex<VecDeque<Asker>>);

impl Asked {
    /// A mark goes there, which may be a request.
    pub(super) fn note(&self, mark: &[u8]) {
        let Some(Mark::Migrate { asker, question, .. }) = Mark::from_bytes(mark) else { return };
        let mut asked = self.0.lock().expect("nothing panics under this lock");
        if asked.len() == MOST {
            asked.pop_front();
        }
        asked.push_back(Asker { theater: TheaterId::from_bits(asker), question });
    }

    /// The theater is dead: who is to be told.
    pub(super) fn take(&self) -> VecDeque<Asker> {
        std::mem::take(&mut self.0.lock().expect("nothing panics under this lock"))
    }
}
