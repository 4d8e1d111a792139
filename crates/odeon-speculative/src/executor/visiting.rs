//! What a transaction can do with one of its messages, from its arrival at its actor until the
//! outcome.

use super::participant::Participant;
use crate::actor::context::HoldsBack;
use crate::contained::Panic;
use odeon_core::{Access, ActorId};
use odeon_stm::staged::{Journey, RolledBack};
use std::any::Any;
use std::sync::Arc;

/// A visit, the type of its actor forgotten.
pub(crate) trait Visiting: Send {
    fn participant(&self) -> &dyn Participant;
    fn shared_participant(&self) -> Arc<dyn Participant>;
    fn actor(&self) -> ActorId;
    fn access(&self) -> Access;

    /// Has the handler called, once, as the next part of `attempt`. What it has sent, answered and
    /// so on is kept here, except for what it has joined to the transaction, which is added to
    /// `joins`, whatever that is; unless it has ended well that is void.
    fn run(&mut self, attempt: &mut Journey, joins: &mut dyn Any) -> Ran;

    /// The handler, or what it has called for, has failed: so does the actor.
    fn fail(&self, panic: Panic);

    /// An attempt was rolled back by what this handler has read or written.
    fn count_rollback(&self, rolled_back: &RolledBack);

    /// Forgets what the handler has wanted done.
    fn undo(&mut self);

    /// Whether the handler has asked for what happens with the commit, beside writes.
    fn has_effects(&self) -> bool;

    /// Whether it has asked for the end of its actor.
    fn is_last(&self) -> bool;

    /// Lets happen what the handler has wanted done; answers the panic of what it called for.
    fn let_happen(&mut self) -> Option<Panic>;

    /// Gives the answers that later messages have given in its place; answers as
    /// [`let_happen`](Self::let_happen).
    fn answer_passed_on(&mut self) -> Option<Panic>;

    /// By whom the outcome is told, if it is held back.
    fn held_by(&self) -> Option<HoldsBack>;

    /// The message has been handled, or is not to be, and is dropped.
    fn end(self: Box<Self>, ending: VisitEnd);
}

/// How a handler has ended.
pub(crate) enum Ran {
    Well,
    RolledBack(RolledBack),
    /// The guard of its mailbox has refused the message.
    Refused(RolledBack),
    Failed(Panic, Arc<str>),
}

/// How a visit ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum VisitEnd {
    Committed,
    /// It was sent in a round that was rolled back, or the transaction has failed.
    Void,
    /// As before, and its actor has ended.
    TooLate,
}
