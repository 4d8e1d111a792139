//! What an attempt borrows that leaves its thread.

use crate::actor::speculative_actor::SpeculativeActor;
use crate::contained::drop_quietly;
use std::sync::Arc;

/// The state and a message: they stay where they are until the attempt is over.
pub(crate) struct Setting<A: SpeculativeActor> {
    pub(crate) state: Arc<A>,
    pub(crate) message: A::Msg,
}

// SAFETY: messages are `Send` and not always `Sync`. Only the keeper of the message (a visit, or
// who runs and concludes a job in the order of arrival), which is one thread's at a time, looks at
// it; the attempt, which goes with the keeper, keeps a reference to the setting and does not look.
unsafe impl<A: SpeculativeActor> Sync for Setting<A> {}

impl<A: SpeculativeActor> Setting<A> {
    /// The message, when the attempt is over; `None` if somebody refers to it still. Nobody's
    /// message can be blamed for a panic of the state's destructor.
    pub(crate) fn into_message(self: Arc<Self>) -> Option<A::Msg> {
        let Self { state, message } = Arc::into_inner(self)?;
        drop_quietly(state);
        Some(message)
    }
}
