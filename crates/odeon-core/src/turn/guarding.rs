//! What a turn does about guards after a step that has used the actor's state: what is declared is
//! evaluated, and an actor that could never go on is not left behind.

use std::any::Any;

use crate::mailbox::declared_guards::DeclaredGuards;
use crate::mailbox::selection::{Selection, WhenAllClosed};
use crate::mailbox::{Guards, SelectionOrder};
use crate::messaging::reply::FailedAnswer;
use crate::process::cell::Header;
use crate::process::relations::Relations;
use crate::vocabulary::message::Message;

/// What a failure of an actor that has closed all its mailboxes says.
const ALL_CLOSED: &str =
    "all mailboxes of the actor are closed, and nothing is under way that could open one";

/// The actor has started, or goes on although its start has failed: how it selects. `mailboxes`:
/// how many it has.
pub(crate) fn begin(
    header: &Header,
    guards: &mut Guards,
    selection: Selection,
    mailboxes: usize,
) -> SelectionOrder {
    let Selection { mut order, when_all_closed } = selection;
    if let SelectionOrder::By(policy) = &mut order {
        let seed = header.stage.theater().config.random_seed;
        // Neighbours are to have seeds far apart.
        policy.begin(mailboxes, seed ^ header.id.number().wrapping_mul(0x9E37_79B9_7F4A_7C15));
    }
    guards.begin_selection(when_all_closed == WhenAllClosed::Stop);
    order
}

/// What a failure has to do with the guards of an actor that is resumed.
#[derive(Clone, Copy)]
pub(crate) struct GuardFailure {
    /// Whether the state may have changed, on which declared guards depend.
    pub(super) changed: bool,
    /// The mailbox in which the actor waits for an answer that will not come.
    pub(super) unanswered: Option<usize>,
}

impl GuardFailure {
    /// One on the way out of another.
    pub(super) const SECOND: Self = Self { changed: false, unanswered: None };

    /// Also gives the panic that others are to be told of.
    pub(super) fn of(panic: Box<dyn Any + Send>) -> (Self, Box<dyn Any + Send>) {
        // After that of `all_closed` the state is as it was, and all mailboxes are to be open.
        let changed = panic.downcast_ref::<&'static str>() != Some(&ALL_CLOSED);
        match panic.downcast::<FailedAnswer>() {
            Ok(failed) => (Self { changed, unanswered: failed.mailbox }, failed.panic),
            Err(panic) => (Self { changed, unanswered: None }, panic),
        }
    }
}

/// Has an actor that is resumed look at its guards; `true` if it is to stop. Unwinds if it is to
/// fail. `select`: asks it how it selects, which nobody has done if its start has failed.
#[cold]
pub(super) fn resume<M: Message>(
    header: &Header,
    guards: &mut Guards,
    after: GuardFailure,
    select: impl FnOnce(&mut Guards),
    declare: impl FnOnce(&mut DeclaredGuards<'_, M>),
) -> bool {
    if let Some(mailbox) = after.unanswered {
        guards.give_up_answer(mailbox);
    }
    if after.changed {
        if !guards.has_selection() {
            select(guards);
        }
        DeclaredGuards::evaluate(guards, declare);
    }
    guards.are_all_closed(M::MAILBOXES) && all_closed(header, guards)
}

/// All mailboxes are closed. Whether the actor is to stop; if it is to fail this unwinds, as a
/// panic of a handler does. A pipe whose continuation may open a mailbox lets it wait.
#[cold]
#[inline(never)]
pub(super) fn all_closed(header: &Header, guards: &mut Guards) -> bool {
    if header.relations.get().is_some_and(Relations::has_pipes) {
        return false;
    }
    if guards.stops_when_all_closed() {
        return true;
    }
    // For the case that its supervision resumes it.
    guards.open_only(u64::MAX);
    std::panic::resume_unwind(Box::new(ALL_CLOSED));
}
