//! A pause: an actor of the pool gets no turn, whatever waits for it, until somebody ends that.

use std::fmt;

use odeon_sync::{Arc, Mutex};

use crate::process::parked::Parked;

/// The pauses of one actor, one after the other. Whoever is to end the present one has a clone.
#[derive(Clone, Default)]
pub struct Pause(Arc<Mutex<PauseState>>);

#[derive(Default)]
enum PauseState {
    #[default]
    Goes,
    Pauses(Parked),
    /// It has ended before it began.
    Over,
}

impl Pause {
    fn replace(&self, act: impl FnOnce(PauseState) -> (PauseState, Option<Parked>)) {
        let mut state = self.0.lock().expect("no panic happens under this lock");
        let (next, parked) = act(std::mem::take(&mut state));
        *state = next;
        drop(state);
        // Not under the lock: the actor is submitted by this.
        drop(parked);
    }

    /// The actor's turn is over.
    pub(super) fn park(&self, parked: Parked) {
        self.replace(|state| match state {
            PauseState::Over => (PauseState::Goes, Some(parked)),
            PauseState::Goes | PauseState::Pauses(_) => (PauseState::Pauses(parked), None),
        });
    }

    /// The actor gets turns again; if it does not pause yet, its next pause is none.
    pub fn end(&self) {
        self.replace(|state| match state {
            PauseState::Pauses(parked) => (PauseState::Goes, Some(parked)),
            PauseState::Goes | PauseState::Over => (PauseState::Over, None),
        });
    }
}

impl fmt::Debug for Pause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Pause(..)")
    }
}
