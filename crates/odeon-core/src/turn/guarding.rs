//! What a turn does about guards after a step that has used the actor's state: what is declared is evaluated, and an
//! actor that could never go on is not left behind.

use std::any::Any;

use crate::bonds::Bonds;
use crate::cell::Header;
use crate::mailbox::{Guards, Order};
use crate::selection::Selection;

/// What a failure of an actor that has closed all its mailboxes says.
const ALL_CLOSED: &str =
    "all mailboxes of the actor are closed, and nothing is under way that could open one";

/// The actor has started: how it selects. `mailboxes`: how many it has.
pub(super) fn begin(
    header: &Header,
    guards: &mut Guards,
    selection: Selection,
    mailboxes: usize,
) -> Selection {
    guards.stop_when_all_closed(selection.when_all_closed == crate::selection::WhenAllClosed::Stop);
    let mut selection = selection;
    if let Order::By(policy) = &mut selection.order {
        let seed = header.stage.theater().config.random_seed;
        // Neighbours are to have seeds far apart.
        policy.begin(mailboxes, seed ^ header.id.number().wrapping_mul(0x9E37_79B9_7F4A_7C15));
    }
    selection
}

/// Whether a failure is that of [`all_closed`]: the state is as it was, and resumed all mailboxes are to be open.
pub(super) fn is_all_closed(panic: &(dyn Any + Send)) -> bool {
    panic.downcast_ref::<&'static str>() == Some(&ALL_CLOSED)
}

/// All mailboxes are closed. Whether the actor is to stop; if it is to fail this unwinds, as a panic of a handler does.
/// A pipe whose continuation may open a mailbox lets it wait.
#[cold]
#[inline(never)]
pub(super) fn all_closed(header: &Header, guards: &mut Guards) -> bool {
    if header.bonds.get().is_some_and(Bonds::has_pipes) {
        return false;
    }
    if guards.stops_when_all_closed() {
        return true;
    }
    // For the case that its supervision resumes it.
    guards.open_only(u64::MAX);
    std::panic::resume_unwind(Box::new(ALL_CLOSED));
}
