//! The timers that an actor which may move has begun for itself: kept with their messages, so that they can be taken out when it leaves, and go on
//! where it comes.
//!
//! PROTOCOL
//! 1. A message lies here from before its timer is armed. Whoever takes it out, under the lock, has it: the timer when it is due, who cancels it, or
//!    the actor's departure. A timer whose message has been taken finds nothing.
//! 2. A timer that is dropped without firing, as with its theater, takes its message out to be dropped.
//! 3. Nothing is armed, disarmed, sent or dropped under the lock.

use std::any::Any;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use odeon_sync::{Mutex, MutexGuard};

use super::wheel::TimerKey;
use super::{Cancel, Timer, held};
use crate::actor_ref::{ActorRef, WeakRef};
use crate::message::{Message, mailbox_of};
use crate::outbox;
use crate::random::Random;
use crate::send::Hindered;
use crate::sight::follow::Tag;
use crate::theater::shared::TheaterShared;

/// Tells a timer that goes with its actor from all others, in all theaters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct TimerName {
    /// The theater where it was begun, by a number that it has drawn.
    pub theater: u64,
    /// The so manieth there.
    pub number: u64,
}

/// A timer that has been taken out, with its message.
#[derive(Debug)]
pub struct TakenTimer<M> {
    /// Which one it is.
    pub name: TimerName,
    /// When it is due, by the clock of the theater.
    pub due: Duration,
    /// What it sends.
    pub message: M,
}

/// Those of one theater.
#[derive(Default)]
pub(super) struct Luggage(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    theater: Option<u64>,
    last: u64,
    /// Counted up with each that is kept here.
    order: u64,
    pending: BTreeMap<TimerName, Pending>,
    /// By the actor, in the order in which they came to be kept.
    of_actor: BTreeSet<(u64, u64, TimerName)>,
}

struct Pending {
    actor: u64,
    order: u64,
    due: Duration,
    /// Spent until it has been armed.
    armed: TimerKey,
    /// A `Letter` to the actor.
    letter: Box<dyn Any + Send>,
}

/// A message, and who is to be known as its cause.
struct Letter<M> {
    message: M,
    tag: Option<Tag>,
}

impl Luggage {
    fn new_name(&self) -> TimerName {
        let mut kept = self.lock();
        kept.last += 1;
        let number = kept.last;
        TimerName { theater: *kept.theater.get_or_insert_with(Random::fresh_seed), number }
    }

    /// Answers by which number it is kept, and one of the same name that was, to be dropped.
    fn keep(&self, name: TimerName, mut pending: Pending) -> (u64, Option<Pending>) {
        let mut kept = self.lock();
        let before = kept.remove(name);
        kept.order += 1;
        let order = kept.order;
        pending.order = order;
        kept.of_actor.insert((pending.actor, order, name));
        kept.pending.insert(name, pending);
        (order, before)
    }

    fn is_armed(&self, name: TimerName, order: u64, key: TimerKey) {
        let mut kept = self.lock();
        if let Some(pending) = kept.pending.get_mut(&name).filter(|it| it.order == order) {
            pending.armed = key;
        }
    }

    fn take(&self, name: TimerName) -> Option<Pending> {
        self.lock().remove(name)
    }

    /// As [`take`](Self::take), for the timer that was armed for it.
    fn take_ordered(&self, name: TimerName, order: u64) -> Option<Pending> {
        let mut kept = self.lock();
        kept.pending.get(&name).filter(|pending| pending.order == order)?;
        kept.remove(name)
    }

    fn take_all(&self, actor: u64) -> Vec<(TimerName, Pending)> {
        let mut kept = self.lock();
        let of_actor = kept.of_actor.range((actor, 0, NO_NAME)..);
        let names: Vec<_> =
            of_actor.take_while(|(of, ..)| *of == actor).map(|(.., name)| *name).collect();
        names.into_iter().filter_map(|name| Some((name, kept.remove(name)?))).collect()
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().expect("nothing panics under this lock")
    }
}

/// The least of all.
const NO_NAME: TimerName = TimerName { theater: 0, number: 0 };

impl Kept {
    fn remove(&mut self, name: TimerName) -> Option<Pending> {
        let pending = self.pending.remove(&name)?;
        self.of_actor.remove(&(pending.actor, pending.order, name));
        Some(pending)
    }
}

/// What the timer itself has.
struct Fires<M: Message> {
    to: WeakRef<M>,
    name: TimerName,
    order: u64,
}

impl<M: Message> Fires<M> {
    fn fire(&self) {
        let Some(pending) = self.take() else { return };
        let letter =
            pending.letter.downcast::<Letter<M>>().expect("kept for an actor of this type");
        let Letter { message, tag } = *letter;
        let Some(to) = self.to.upgrade() else { return };
        // An actor that has stopped gets no more messages.
        let _ = match tag {
            Some(tag) => to.send_tagged(Some(tag), mailbox_of(&message), message, Hindered::No),
            None => to.send_unhindered(message),
        };
    }

    fn take(&self) -> Option<Pending> {
        let theater = self.to.header().stage.theater();
        theater.timers.luggage.take_ordered(self.name, self.order)
    }
}

impl<M: Message> Drop for Fires<M> {
    fn drop(&mut self) {
        // Rule 2.
        drop(self.take());
    }
}

/// A timer by its name.
struct Named {
    theater: Arc<TheaterShared>,
    name: TimerName,
}

impl Cancel for Named {
    fn cancel(&self) -> bool {
        let Some(pending) = self.theater.timers.luggage.take(self.name) else { return false };
        self.theater.disarm(pending.armed);
        true
    }

    fn name(&self) -> Option<TimerName> {
        Some(self.name)
    }
}

/// Begins a timer of an actor for itself, which goes with it.
#[cold]
pub(super) fn begin<M: Message>(to: WeakRef<M>, delay: Duration, message: M) -> Timer {
    let theater = to.header().stage.theater().clone();
    let tag = if outbox::is_followed() { Tag::here(&theater) } else { None };
    held::arm(move || {
        let name = theater.timers.luggage.new_name();
        keep(&theater, to, name, theater.now().saturating_add(delay), Letter { message, tag });
        Timer::shared(Arc::new(Named { theater, name }))
    })
}

fn keep<M: Message>(
    theater: &Arc<TheaterShared>,
    to: WeakRef<M>,
    name: TimerName,
    due: Duration,
    letter: Letter<M>,
) {
    let actor = to.header().id.number();
    let (armed, letter) = (TimerKey::SPENT, Box::new(letter));
    let luggage = &theater.timers.luggage;
    let (order, before) = luggage.keep(name, Pending { actor, order: 0, due, armed, letter });
    drop(before);
    let fires = Fires { to, name, order };
    let key = theater.arm_at(due, Box::new(move || fires.fire()));
    luggage.is_armed(name, order, key);
}

impl<M: Message> ActorRef<M> {
    /// Takes out all timers that the actor has begun for itself, the one that is due first before the others: for one that goes elsewhere.
    pub(crate) fn take_timers(&self) -> Vec<TakenTimer<M>> {
        let header = &self.cell().header;
        let theater = header.stage.theater();
        let taken = theater.timers.luggage.take_all(header.id.number());
        let taken = taken.into_iter().map(|(name, pending)| {
            theater.disarm(pending.armed);
            let letter = pending.letter.downcast::<Letter<M>>();
            let letter = letter.expect("kept for an actor of this type");
            TakenTimer { name, due: pending.due, message: letter.message }
        });
        let mut taken: Vec<_> = taken.collect();
        taken.sort_by_key(|timer| timer.due);
        taken
    }

    /// Has a timer that was taken out go on, as one of this actor.
    pub(crate) fn begin_taken_timer(&self, timer: TakenTimer<M>) {
        let TakenTimer { name, due, message } = timer;
        let theater = self.cell().header.stage.theater();
        keep(theater, self.downgrade(), name, due, Letter { message, tag: None });
    }
}

impl Timer {
    /// The timer with this name, if it is, or comes to be, in this theater.
    pub(crate) fn named(theater: &Arc<TheaterShared>, name: TimerName) -> Self {
        Self::shared(Arc::new(Named { theater: theater.clone(), name }))
    }
}

#[cfg(all(test, not(any(odeon_loom, odeon_shuttle))))]
mod tests;
