//! Watches that go with their actor to other theaters (`lifecycle/pending_events.rs`).
//!
//! The message waits among the pending events of the theater where the actor is. Of whom it tells,
//! knows the [`Watching`]: it refers to that actor, also where its own has moved to, and says
//! there, for as long as it exists, under the name of the message whom it watches ([`Watched`]).

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use odeon_sync::{Mutex, MutexGuard};

use crate::lifecycle::pending_events::{
    self, Awaits, Letter, LetterName, LetterTrigger, PendingEvents,
};
use crate::messaging::actor_ref::ActorRef;
use crate::process::erased_weak_ref::ErasedWeakRef;
use crate::process::theater_shared::TheaterShared;
use crate::turn::behavior::Behavior;
use crate::turn::context::Context;
use crate::vocabulary::message::{Message, mailbox_of};
use crate::vocabulary::observe::EndReason;

/// A watch that is in force, made by [`Context::watch_with`]. In the state of its actor it goes
/// with that to other theaters (S34).
///
/// It refers to the watched actor. Dropping it cancels nothing: the watch goes on in the theater
/// where its actor is at that moment. But it keeps nobody: if the watched actor lives in another
/// theater, and nobody in this one refers to it any more, it has ended as far as is seen from here,
/// and the watch says so.
pub struct Watching<W: Message>(WatchState<W>);

enum WatchState<W: Message> {
    /// It is, or has been, in this theater.
    Here(LetterGuard, ActorRef<W>),
    /// It was over when it was written in another one.
    Over(Option<EndReason>),
}

/// What is written of one in its actor's state.
pub enum WrittenWatch<W: Message> {
    /// It goes with its actor: the name of its message, and whom it watches.
    InForce(LetterName, ActorRef<W>),
    /// Why the watched actor has ended, if it has.
    Over(Option<EndReason>),
}

/// Says whom a letter tells of, until it is dropped.
struct LetterGuard {
    theater: Arc<TheaterShared>,
    name: LetterName,
    number: u64,
}

impl Drop for LetterGuard {
    fn drop(&mut self) {
        Watched::of(&self.theater).forget(self.name, self.number);
    }
}

/// Whom the letters of one theater tell of.
#[derive(Default)]
pub(crate) struct Watched(Mutex<KnownLetters>);

#[derive(Default)]
struct KnownLetters {
    last: u64,
    /// The latest of those who say so, by a number of its own.
    by_name: BTreeMap<LetterName, (u64, ErasedWeakRef)>,
}

impl Watched {
    /// Whom the letters of a theater tell of.
    fn of(theater: &TheaterShared) -> &Self {
        theater.attachments.get_or_attach(Self::default)
    }

    fn know(&self, name: LetterName, erased: ErasedWeakRef) -> u64 {
        let mut known = self.lock();
        known.last += 1;
        let number = known.last;
        let before = known.by_name.insert(name, (number, erased));
        drop(known);
        drop(before);
        number
    }

    fn get(&self, name: LetterName) -> Option<ErasedWeakRef> {
        self.lock().by_name.get(&name).map(|(_, erased)| erased.clone())
    }

    fn forget(&self, name: LetterName, number: u64) {
        let mut known = self.lock();
        let is_this = known.by_name.get(&name).is_some_and(|(latest, _)| *latest == number);
        let forgotten = is_this.then(|| known.by_name.remove(&name));
        drop(known);
        drop(forgotten);
    }

    fn lock(&self) -> MutexGuard<'_, KnownLetters> {
        self.0.lock().expect("nothing panics under this lock")
    }
}

impl<A: Behavior> Context<'_, A> {
    /// Has this actor told, by this message, when `other` ends; at once if it has ended already.
    /// Otherwise as [`watch`](Self::watch).
    ///
    /// Since the message is there from the beginning, the watch can go with this actor to other
    /// theaters (S34): it does if the [`Watching`] is in the actor's state. The message is sent
    /// once, wherever the actor is by then.
    ///
    /// ```
    /// # use odeon_core::*;
    /// # use std::collections::BTreeMap;
    /// # use std::sync::mpsc::{Sender, channel};
    /// # struct Worker;
    /// # impl Actor for Worker {
    /// #     type Msg = &'static str;
    /// #     fn handle(&mut self, work: &'static str, _: &mut Context<'_, Self>) { panic!("cannot {work}") }
    /// # }
    /// struct Boss { workers: BTreeMap<u32, Watching<&'static str>>, out: Sender<(u32, EndReason)> }
    /// #[derive(Debug)]
    /// enum Order { Hire(u32), Lost(u32) }
    /// impl Message for Order {}
    /// impl Actor for Boss {
    ///     type Msg = Order;
    ///     fn handle(&mut self, order: Order, ctx: &mut Context<'_, Self>) {
    ///         match order {
    ///             Order::Hire(number) => {
    ///                 let worker = ctx.spawn(Worker);
    ///                 worker.send("fly").unwrap();
    ///                 self.workers.insert(number, ctx.watch_with(&worker, Order::Lost(number)));
    ///             }
    ///             Order::Lost(number) => {
    ///                 let worker = self.workers.remove(&number).unwrap();
    ///                 self.out.send((number, worker.ended().unwrap())).unwrap();
    ///             }
    ///         }
    ///     }
    /// }
    /// # let theater = Theater::new()?;
    /// # let (out, told) = channel();
    /// # let boss = theater.spawn(Boss { workers: BTreeMap::new(), out });
    /// # boss.send(Order::Hire(7)).unwrap();
    /// # assert_eq!(told.recv().unwrap(), (7, EndReason::Failed));
    /// # Ok::<(), BuildError>(())
    /// ```
    ///
    /// # Panics
    /// If [`Message::mailbox`] names a mailbox that the message type does not have.
    #[track_caller]
    pub fn watch_with<W: Message>(&self, other: &ActorRef<W>, message: A::Msg) -> Watching<W> {
        // A message for a mailbox that does not exist shall panic here.
        let _ = mailbox_of(&message);
        let me = self.actor_ref();
        let theater = me.cell().header.stage.theater().clone();
        let name = PendingEvents::of(&theater).new_name();
        begin(&me, name, &other.erased(), Letter { message, tag: None });
        Watching(WatchState::Here(LetterGuard::of(&theater, name, other.erased()), other.clone()))
    }
}

impl LetterGuard {
    fn of(theater: &Arc<TheaterShared>, name: LetterName, erased: ErasedWeakRef) -> Self {
        let number = Watched::of(theater).know(name, erased);
        Self { theater: theater.clone(), name, number }
    }
}

/// Has a letter wait for the end of an actor.
fn begin<M: Message>(me: &ActorRef<M>, name: LetterName, other: &ErasedWeakRef, letter: Letter<M>) {
    let sending =
        pending_events::keep(me.downgrade(), name, LetterTrigger::to_come(Awaits::End), letter);
    let place = sending.place();
    // Kept by it, as by every watch.
    let keeps = me.clone();
    let watch = super::watch(
        other,
        Box::new(move |_| {
            sending.send();
            drop(keeps);
        }),
    );
    let theater = me.cell().header.stage.theater();
    let call = LetterTrigger::in_force(Awaits::End, move |_| {
        let _ = watch.cancel();
    });
    if let Err(call) = PendingEvents::of(theater).waits(place, call) {
        // It has told, or somebody has cancelled it: then nobody is to be kept by it.
        call.cancel(theater);
    }
}

/// As [`begin`], of the actor of whom the letter's [`Watching`] says so.
///
/// # Errors
/// The letter, if there is none.
pub(crate) fn keep<M: Message>(
    me: &ActorRef<M>,
    name: LetterName,
    letter: Letter<M>,
) -> Result<(), Letter<M>> {
    match Watched::of(me.cell().header.stage.theater()).get(name) {
        Some(other) => begin(me, name, &other, letter),
        None => return Err(letter),
    }
    Ok(())
}

impl<W: Message> Watching<W> {
    /// Ends the watch, and drops its message. `true`: the message has not been sent, and will not
    /// be. `false`: it has been sent, or is being sent; or its actor is in another theater than
    /// this.
    pub fn cancel(self) -> bool {
        let WatchState::Here(LetterGuard { theater, name, .. }, _) = &self.0 else { return false };
        let Some(pending) = PendingEvents::of(theater).take(*name) else { return false };
        pending.call.cancel(theater);
        true
    }

    /// Why the watched actor has ended, if it has, as far as that is known in this theater: of one
    /// in another theater the message may come before it is.
    pub fn ended(&self) -> Option<EndReason> {
        match &self.0 {
            WatchState::Over(reason) => *reason,
            WatchState::Here(_, other) => match other.erased().relations() {
                Err(reason) => Some(reason),
                Ok(relations) => relations.ended(),
            },
        }
    }

    /// What is to be written of it in its actor's state. If it is in force it goes with that.
    pub(crate) fn write(&self) -> WrittenWatch<W> {
        let (handle, other) = match &self.0 {
            WatchState::Over(reason) => return WrittenWatch::Over(*reason),
            WatchState::Here(handle, other) => (handle, other),
        };
        let waits = PendingEvents::of(&handle.theater).is_written(handle.name);
        match self.ended().filter(|_| !waits) {
            Some(reason) => WrittenWatch::Over(Some(reason)),
            // If it has told, and why is not known here yet, then who refers to the actor will come
            // to know.
            None => WrittenWatch::InForce(handle.name, other.clone()),
        }
    }

    /// Reads what was written, in a theater to which its actor comes.
    pub(crate) fn read(theater: &Arc<TheaterShared>, written: WrittenWatch<W>) -> Self {
        Self(match written {
            WrittenWatch::Over(reason) => WatchState::Over(reason),
            WrittenWatch::InForce(name, other) => {
                WatchState::Here(LetterGuard::of(theater, name, other.erased()), other)
            }
        })
    }
}

impl<W: Message> fmt::Debug for Watching<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let watched = match &self.0 {
            WatchState::Here(_, other) => Some(other.id()),
            WatchState::Over(_) => None,
        };
        f.debug_struct("Watching").field("watched", &watched).finish_non_exhaustive()
    }
}

#[cfg(all(test, not(any(odeon_loom, odeon_shuttle))))]
mod tests;
