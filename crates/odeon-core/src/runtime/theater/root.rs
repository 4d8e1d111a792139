//! The root of all supervision: a failure that reaches the theater itself stops it.

use std::fmt;
use std::sync::{Arc, OnceLock, Weak};

use odeon_sync::{Condvar, Mutex};

use super::{Theater, TheaterParts};
use crate::process::theater_shared::TheaterShared;
use crate::vocabulary::actor_id::ActorId;
use crate::vocabulary::failure_text::Escalated;

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
    parts: OnceLock<Weak<TheaterParts>>,
    failure: Mutex<Option<RootFailure>>,
    failed: Condvar,
}

impl Root {
    /// The root of a theater.
    pub(super) fn of(theater: &TheaterShared) -> &Self {
        theater.attachments.get_or_attach(Self::default)
    }

    /// Has the theater stopped by the first failure that comes up to it.
    pub(super) fn stops(parts: &Arc<TheaterParts>) {
        let theater = Arc::downgrade(parts);
        let _ = Self::of(&parts.shared).parts.set(theater.clone());
        parts.shared.set_root(Box::new(move |cause| {
            let Some(parts) = theater.upgrade() else { return };
            Self::of(&parts.shared).fail(cause);
            parts.stop_for_failure();
        }));
    }

    /// The theater, unless it is gone.
    pub(super) fn parts(&self) -> Option<Arc<TheaterParts>> {
        self.parts.get()?.upgrade()
    }

    /// A failure has come up. The first one counts.
    fn fail(&self, cause: Escalated) {
        let Escalated { from, text } = cause;
        self.lock().get_or_insert(RootFailure { actor: from, text });
        self.failed.notify_all();
    }

    fn lock(&self) -> odeon_sync::MutexGuard<'_, Option<RootFailure>> {
        self.failure.lock().expect("nothing panics under this lock")
    }
}

impl Theater {
    /// Why the theater has stopped by itself, if it has.
    pub fn failure(&self) -> Option<RootFailure> {
        Root::of(&self.parts.shared).lock().clone()
    }

    /// Blocks until the theater stops by itself, because an actor without a parent escalated its
    /// failure ([`Directive::Escalate`](crate::Directive::Escalate)). All its actors are being
    /// ended then, as by dropping it.
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
        let root = Root::of(&self.parts.shared);
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
