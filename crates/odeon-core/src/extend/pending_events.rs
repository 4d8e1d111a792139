//! An actor that moves, and its timers and watches.

use crate::lifecycle::pending_events::Awaits;
use crate::lifecycle::pending_events::Letter;
use crate::lifecycle::pending_events::TakenLetter;
use crate::lifecycle::timer;
use crate::lifecycle::watch;
use crate::lifecycle::watch::Watching;
use crate::lifecycle::watch::WrittenWatch;
use crate::messaging::actor_ref::ActorRef;
use crate::process::submit::Submit;
use crate::vocabulary::message::Message;

/// An actor is written, by `work`: of its watches those go with it whose [`Watching`] is written by
/// that.
pub fn packs<M: Message, R>(actor: &ActorRef<M>, work: impl FnOnce() -> R) -> R {
    actor.packs(work)
}

/// Takes out the letters that go with an actor, if it is one that
/// [keeps](crate::extend::Behavior::MAY_MOVE) them: the timers that it has begun for itself by
/// [`Context::send_after`](crate::Context::send_after), those that are due first before the others,
/// and behind them the watches that it has [packed](packs).
pub fn take_letters<M: Message>(actor: &ActorRef<M>) -> Vec<TakenLetter<M>> {
    actor.take_letters()
}

/// Has a letter that was taken out wait on, as one of this actor, in whose theater it is due by
/// that one's clock.
///
/// # Errors
/// The message, if it waits for the end of an actor, and nobody has a [`Watching`] of its name
/// here.
///
/// # Panics
/// If the theater's first timer needs a thread that the operating system refuses.
pub fn keep_letter<M: Message>(actor: &ActorRef<M>, letter: TakenLetter<M>) -> Result<(), M> {
    let TakenLetter { name, awaits, message } = letter;
    let letter = Letter { message, tag: None };
    match awaits {
        Awaits::Time(due) => timer::keep_own(actor.downgrade(), name, due, letter),
        Awaits::End => watch::keep_own(actor, name, letter).map_err(|it| it.message)?,
    }
    Ok(())
}

/// What is to be written of a watch in its actor's state: one that is in force goes with that.
pub fn write_watch<W: Message>(watching: &Watching<W>) -> WrittenWatch<W> {
    watching.write()
}

/// Reads what was written of a watch, in a theater to which its actor comes.
pub fn read_watch<W: Message>(stage: &dyn Submit, written: WrittenWatch<W>) -> Watching<W> {
    Watching::read(stage.theater(), written)
}
