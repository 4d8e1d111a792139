//! The root of all supervision: a failure that reaches the theater itself stops it.

use std::fmt;
use std::sync::{Arc, OnceLock, Weak};

use odeon_sync::{Condvar, Mutex};

use super::{Parts, Theater};
use crate::process::supervision::Escalated;
use crate::vocabulary::actor_id::ActorId;

/// Why a theater stopped by itself: a failure was escalated, and nobody was above.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RootFailure {
    actor: ActorId,
    text: Arc<str>,
}

impl RootFailure {
    /// The actor that escalated the failure to the theater.
    pub fn actor(&self) -> ActorId {
        self.actor
    }

    /// What the panic said.
    pub fn text(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for RootFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the theater stopped because actor {} failed: {}", self.actor, self.text)
    }
}

impl std::error::Error for RootFailure {}

/// What the theater knows about its own failure.
#[derive(Default)]
pub(crate) struct Root {
    parts: OnceLock<Weak<Parts>>,
    failure: Mutex<Option<RootFailure>>,
    failed: Condvar,
}

impl Root {
    pub(super) fn set_parts(&self, parts: &Arc<Parts>) {
        assert!(self.parts.set(Arc::downgrade(parts)).is_ok(), "a theater is built once");
    }

    /// A failure has come up. The first one counts.
    pub(crate) fn fail(&self, cause: Escalated) {
        let Escalated { from, text } = cause;
        self.lock().get_or_insert(RootFailure { actor: from, text });
        self.failed.notify_all();
        if let Some(parts) = self.parts.get().and_then(Weak::upgrade) {
            parts.stop_for_failure();
        }
    }

    fn lock(&self) -> odeon_sync::MutexGuard<'_, Option<RootFailure>> {
        self.failure.lock().expect("nothing panics under this lock")
    }
}

impl Theater {
    /// Why the theater has stopped by itself, if it has.
    pub fn failure(&self) -> Option<RootFailure> {
        self.parts.shared.root.lock().clone()
    }

    /// Blocks until the theater stops by itself, because an actor without a parent escalated its
    /// failure ([`Directive::Escalate`](crate::Directive::Escalate)). All its actors are being ended
    /// then, as by dropping it.
    ///
    /// For programs whose main thread has nothing else to do.
    ///
    /// # Panics
    /// On a thread of this theater, which would wait for itself.
    #[track_caller]
    pub fn wait(&self) -> RootFailure {
        assert!(
            !self.parts.is_own_thread(),
            "waiting for the theater's end on a thread of its own would hold up its actors, and \
             never end: wait on another thread"
        );
        let root = &self.parts.shared.root;
        let mut failure = root.lock();
        loop {
            match &*failure {
                Some(failure) => return failure.clone(),
                None => {
                    failure = root.failed.wait(failure).expect("nothing panics under this lock")
                }
            }
        }
    }
}
