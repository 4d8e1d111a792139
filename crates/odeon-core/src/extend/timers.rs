//! Time, for an actor that may move and for stages.

use std::time::Duration;

use crate::lifecycle::pending_events::LetterName;
use crate::lifecycle::timer;
use crate::lifecycle::timer::Timer;
use crate::messaging::actor_ref::ActorRef;
use crate::process::outbox;
use crate::process::submit::Submit;
use crate::vocabulary::message::Message;

/// Calls `ring` once `delay` has passed in the theater of an actor, in virtual time too, unless the
/// timer is cancelled.
pub fn alarm<M: Message>(
    actor: &ActorRef<M>,
    delay: Duration,
    ring: impl FnOnce() + Send + 'static,
) -> Timer {
    Timer::alarm(actor.cell().header.stage.theater(), delay, ring)
}

/// As [`alarm`], in the theater of a stage, and also in an attempt at once: for what is no effect
/// of it.
pub fn alarm_at(
    stage: &dyn Submit,
    delay: Duration,
    ring: impl FnOnce() + Send + 'static,
) -> Timer {
    outbox::let_out(|| Timer::alarm(stage.theater(), delay, ring))
}

/// As [`Context::send_after`](crate::Context::send_after), of an actor that is at work beside its
/// turn.
///
/// # Panics
/// As there.
#[track_caller]
pub fn send_own_after<M: Message>(actor: &ActorRef<M>, delay: Duration, message: M) -> Timer {
    timer::send_own_after(actor.cell(), delay, message)
}

/// The timer with this name in the theater of a stage, where it may be still to come.
pub fn timer_named(stage: &dyn Submit, name: LetterName) -> Timer {
    Timer::named(stage.theater(), name)
}

/// What a timer is called, if it is one that goes with its actor.
pub fn name_of_timer(timer: &Timer) -> Option<LetterName> {
    timer.name()
}
