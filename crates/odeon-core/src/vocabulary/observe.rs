//! Hooks for metrics and tracing. Empty by default; a theater without an observer pays one branch
//! per turn.

use std::any::Any;

use crate::vocabulary::actor_id::ActorId;
use crate::vocabulary::dead_letter::DeadLetterReason;

/// Why an actor ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndReason {
    /// It was asked to stop, or nobody could reach it any more.
    Stopped,
    /// One of its functions panicked.
    Failed,
    /// Its theater ended it.
    Shutdown,
    /// It lived in another theater, which has died, has left, or cannot be reached any more. The
    /// actor itself may live on there, where nobody here will hear of it.
    Unreachable,
}

/// Is told what happens in a theater. A pair of observers is one: both are told, the first one
/// first. Called on the stages' threads: must be quick and not block. A panic in an observer ends
/// the process.
pub trait Observer: Send + Sync + 'static {
    /// An actor was created; its `started` is still to come.
    fn actor_spawned(&self, actor: ActorId) {
        let _ = actor;
    }

    /// A function of an actor panicked with `panic`.
    fn actor_failed(&self, actor: ActorId, panic: &(dyn Any + Send)) {
        let _ = (actor, panic);
    }

    /// A supervised actor has been made anew after a failure, its own or a sibling's.
    fn actor_restarted(&self, actor: ActorId) {
        let _ = actor;
    }

    /// An actor has ended.
    fn actor_ended(&self, actor: ActorId, reason: EndReason) {
        let _ = (actor, reason);
    }

    /// A turn on the pool is over; `messages` were taken, bare signals included.
    fn turn_ended(&self, actor: ActorId, messages: u32) {
        let _ = (actor, messages);
    }

    /// Actors wait for each other's answers in a circle: each for the next one, the last one for
    /// the first. Told when the wait that closes it begins, if
    /// [`asks_seen`](crate::TheaterBuilder::asks_seen) is on.
    fn asks_in_a_circle(&self, actors: &[ActorId]) {
        let _ = actors;
    }

    /// A message that was accepted will not be handled.
    fn dead_letter(&self, actor: ActorId, reason: DeadLetterReason) {
        let _ = (actor, reason);
    }
}

/// Tells both.
impl<A: Observer, B: Observer> Observer for (A, B) {
    fn actor_spawned(&self, actor: ActorId) {
        self.0.actor_spawned(actor);
        self.1.actor_spawned(actor);
    }

    fn actor_failed(&self, actor: ActorId, panic: &(dyn Any + Send)) {
        self.0.actor_failed(actor, panic);
        self.1.actor_failed(actor, panic);
    }

    fn actor_restarted(&self, actor: ActorId) {
        self.0.actor_restarted(actor);
        self.1.actor_restarted(actor);
    }

    fn actor_ended(&self, actor: ActorId, reason: EndReason) {
        self.0.actor_ended(actor, reason);
        self.1.actor_ended(actor, reason);
    }

    fn turn_ended(&self, actor: ActorId, messages: u32) {
        self.0.turn_ended(actor, messages);
        self.1.turn_ended(actor, messages);
    }

    fn asks_in_a_circle(&self, actors: &[ActorId]) {
        self.0.asks_in_a_circle(actors);
        self.1.asks_in_a_circle(actors);
    }

    fn dead_letter(&self, actor: ActorId, reason: DeadLetterReason) {
        self.0.dead_letter(actor, reason);
        self.1.dead_letter(actor, reason);
    }
}
