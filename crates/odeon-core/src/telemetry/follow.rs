//! Following a message from where it is sent to where it is handled.
//!
//! A thread that is *followed* ([`follow_sends`]) has a mark where an attempt has its outbox, so a
//! send finds out by the look that it takes anyway. It then asks the receiver's [`Tracer`] what to
//! remember (the *cause*), and leaves that in the theater's table; the place in the table, a *tag*,
//! goes with the message, in the upper bits of its label. A label with a tag equals no mailbox, so
//! the receiver notices by the comparison that it makes anyway, and handles the message in the
//! scope that the tracer makes of its cause.
//!
//! So neither a theater without a tracer nor a thread that is not followed does anything for this.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;

use super::causes::Causes;
use crate::vocabulary::actor_id::ActorId;
use crate::vocabulary::contain::contain;

/// What a [`Tracer`] remembers of where a message comes from.
pub type Cause = Box<dyn Any + Send>;

/// Ties what handlers do to where their messages come from. `odeon-sight` has one for `tracing`.
///
/// Called on the threads of senders and of stages: must be quick, and must not block or send. Its
/// panics, and those of destructors of its causes and scopes, are contained: the message is sent,
/// and handled once, as if nobody followed it.
pub trait Tracer: Send + Sync + 'static {
    /// A message is being sent by the present thread, which is followed: what to remember; `None`:
    /// nothing, and the message is not followed.
    fn sent(&self) -> Option<Cause>;

    /// A message with this cause is about to be handled.
    fn begins(&self, cause: Cause, handling: &Handling) -> Box<dyn Scope>;
}

/// The handling of one message, from its begin to its end; dropped at the end.
pub trait Scope: Send {
    /// Calls `work`, once: the handler, or one poll of an asynchronous one. May be called again for
    /// the next poll, on another thread. Panics of the work pass through.
    fn run(&mut self, work: &mut dyn FnMut());
}

/// A message is handled: by whom.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Handling {
    /// The actor.
    pub actor: ActorId,
    /// Its Rust type.
    pub actor_type: &'static str,
    /// The Rust type of its messages.
    pub message_type: &'static str,
}

/// The messages of one theater that are followed.
pub(crate) struct Following {
    tracer: Arc<dyn Tracer>,
    causes: Causes,
}

impl Following {
    pub(crate) fn new(tracer: Arc<dyn Tracer>) -> Self {
        Self { tracer, causes: Causes::default() }
    }

    /// What to remember of a message that is being sent: its tag.
    pub(crate) fn sent(&self) -> Option<u32> {
        let mut tag = None;
        contain(|| tag = self.tracer.sent().and_then(|cause| self.causes.put(cause)));
        tag
    }

    /// The scope in which the message with this tag is to be handled.
    pub(crate) fn begins(&self, tag: u32, handling: &Handling) -> Option<InScope> {
        let cause = self.causes.take(tag)?;
        let mut scope = None;
        contain(|| scope = Some(self.tracer.begins(cause, handling)));
        scope.map(|scope| InScope(Some(scope)))
    }

    /// How many messages are followed at this moment.
    pub(crate) fn followed(&self) -> Followed {
        Followed { under_way: self.causes.len(), lost: self.causes.lost() }
    }

    /// The message with this tag will not be handled.
    pub(crate) fn forget(&self, tag: u32) {
        let cause = self.causes.take(tag);
        contain(|| drop(cause));
    }
}

/// How many messages of a theater are followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Followed {
    /// Sent and not handled yet.
    pub under_way: usize,
    /// Not followed, because too many were under way.
    pub lost: u64,
}

/// What a message is handled in: a tracer's [`Scope`], of which no panic gets out.
pub(crate) struct InScope(Option<Box<dyn Scope>>);

impl Drop for InScope {
    fn drop(&mut self) {
        let scope = self.0.take();
        contain(|| drop(scope));
    }
}

/// Does `work` in a scope, if there is one: once, whatever the tracer does, and with its own
/// outcome.
#[cold]
pub(crate) fn within<R>(scope: Option<&mut InScope>, work: impl FnOnce() -> R) -> R {
    let Some(InScope(Some(scope))) = scope else { return work() };
    let (mut work, mut outcome) = (Some(work), None);
    contain(|| {
        scope.run(&mut || {
            let Some(work) = work.take() else { return };
            let done = catch_unwind(AssertUnwindSafe(work));
            let failed = done.is_err();
            outcome = Some(done);
            if failed {
                // The tracer is to see that something passes; whatever it makes of that, the panic
                // itself goes on below.
                resume_unwind(Box::new(()));
            }
        });
    });
    match (outcome, work) {
        (Some(outcome), _) => outcome.unwrap_or_else(|panic| resume_unwind(panic)),
        (None, Some(work)) => work(),
        (None, None) => unreachable!("work that was taken has an outcome"),
    }
}
