//! What the runtime can do with an actor whose type it does not know.

use std::any::Any;
use std::ptr::NonNull;

use super::cell::Header;
use crate::process::payload::Payload;
use crate::process::task::TurnReport;
use crate::process::turn_limits::TurnLimits;

/// A `wire::Introduction`, if there are networks.
pub(crate) type AnyIntroduction = &'static (dyn Any + Send + Sync);

/// The operations on a cell whose types have been forgotten.
pub(crate) struct TurnVTable {
    /// Pool: one turn of a scheduled actor.
    pub(crate) run: unsafe fn(NonNull<Header>, &TurnLimits<'_>) -> TurnReport,
    /// Pinned stage: handles one message or signal; `true` asks to be delivered a
    /// [`RESUME`](crate::scheduler::envelope::RESUME) after what is already waiting.
    pub(crate) deliver: unsafe fn(NonNull<Header>, u32, *const Payload) -> bool,
    /// Any thread: leaves a signal and sees to the turn that follows from it.
    pub(crate) signal: unsafe fn(NonNull<Header>, u32),
    /// Ends an actor whose stage is gone or never ran it; the caller owns it.
    pub(crate) end: unsafe fn(NonNull<Header>),
    /// Any thread: whether senders are to hold back.
    pub(crate) is_pressed: unsafe fn(NonNull<Header>) -> bool,
    /// Any thread: how many messages wait in the inbox, if its owner is at this position.
    pub(crate) waiting: unsafe fn(NonNull<Header>, u64) -> usize,
    /// Any thread: whether a handler waits that the drain of a shutdown waits for.
    pub(crate) is_waiting: unsafe fn(NonNull<Header>) -> bool,
    /// Whether the actor is asked to go on with what it has deferred.
    pub(crate) defers: bool,
    /// Whether its messages come with lanes.
    pub(crate) laned: bool,
    /// Whether the actor may go on in another theater: account is kept of what it has begun here,
    /// timers and watches (`lifecycle/pending_events.rs`) and questions
    /// (`messaging/open_question.rs`).
    pub(crate) may_move: bool,
    /// How the actor is introduced to a network that knows nothing of it.
    #[allow(dead_code, reason = "only networks read it, and there need not be any")]
    pub(crate) introduction: Option<AnyIntroduction>,
    /// Frees a cell that nobody can reach.
    pub(crate) dealloc: unsafe fn(NonNull<Header>),
    /// The Rust type of the actor.
    pub(crate) actor_type: fn() -> &'static str,
}
