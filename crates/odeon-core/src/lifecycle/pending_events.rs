//! What actors that may move have for themselves and take along: letters, each of which is sent to
//! its actor when what it waits for has come. They are kept with their messages, so that they can
//! be taken out when the actor leaves, and wait on where it comes.
//!
//! PROTOCOL
//! 1. A letter lies here from before what it waits for can come. Whoever takes it out, under the
//!    lock, has it: whoever sends it when that has come, who cancels it, or the actor's departure.
//!    Whoever comes to send a letter that has been taken finds nothing.
//! 2. If a [`Sending`] is dropped, as with its theater, its letter is taken out to be dropped.
//! 3. Nothing is armed, disarmed, watched, sent or dropped under the lock.
//!
//! What letters wait for: `lifecycle/timer/own.rs`, `lifecycle/watch/own.rs`.

use std::any::Any;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use odeon_sync::{Mutex, MutexGuard};

use crate::messaging::actor_ref::{ActorRef, WeakRef};
use crate::messaging::send::Hindered;
use crate::messaging::tag::Tag;
use crate::process::theater_shared::TheaterShared;
use crate::vocabulary::message::{Message, mailbox_of};
use crate::vocabulary::random::Random;

/// Tells a letter from all others, in all theaters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct LetterName {
    /// The theater where it was written, by a number that it has drawn.
    pub theater: u64,
    /// The so manieth there.
    pub number: u64,
}

/// A letter that goes, or has gone, with its actor.
#[derive(Debug)]
pub struct TakenLetter<M> {
    /// Which one it is.
    pub name: LetterName,
    /// What it waits for.
    pub awaits: Awaits,
    /// What it sends.
    pub message: M,
}

/// What a letter waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Awaits {
    /// This time, by the clock of the theater where it is.
    Time(Duration),
    /// The end of an actor, which who has the [`Watching`](crate::Watching) of the letter's name
    /// knows.
    End,
}

/// Those of one theater.
#[derive(Default)]
pub(crate) struct PendingEvents(Mutex<KeptEvents>);

#[derive(Default)]
struct KeptEvents {
    theater: Option<u64>,
    last: u64,
    /// Counted up with each that is kept here.
    order: u64,
    pending: BTreeMap<LetterName, Pending>,
    /// By the actor, in the order in which they came to be kept.
    of_actor: BTreeSet<(u64, u64, LetterName)>,
}

/// A letter that waits.
pub(crate) struct Pending {
    actor: u64,
    order: u64,
    pub(crate) call: LetterTrigger,
    /// Whether it goes with its actor: one that waits for an end does if it has been written in the
    /// state.
    goes: bool,
    /// A `Letter` to the actor.
    letter: Box<dyn Any + Send>,
}

/// What has a letter sent.
pub(crate) struct LetterTrigger {
    awaits: Awaits,
    /// Has it not come any more; `None` until it is in force.
    cancel: Option<Cancel>,
}

type Cancel = Box<dyn FnOnce(&TheaterShared) + Send>;

impl LetterTrigger {
    /// One that is not in force yet.
    pub(crate) fn to_come(awaits: Awaits) -> Self {
        Self { awaits, cancel: None }
    }

    /// One that is in force until this cancels it.
    pub(crate) fn in_force(
        awaits: Awaits,
        cancel: impl FnOnce(&TheaterShared) + Send + 'static,
    ) -> Self {
        Self { awaits, cancel: Some(Box::new(cancel)) }
    }

    /// Does not come any more.
    pub(crate) fn cancel(self, theater: &TheaterShared) {
        if let Some(cancel) = self.cancel {
            cancel(theater);
        }
    }
}

/// A message, and who is to be known as its cause.
pub(crate) struct Letter<M> {
    pub(crate) message: M,
    pub(crate) tag: Option<Tag>,
}

thread_local! {
    /// What has been written of watches while an actor packs on this thread.
    static PACKED: RefCell<Option<Vec<LetterName>>> = const { RefCell::new(None) };
}

/// The least of all.
const NO_NAME: LetterName = LetterName { theater: 0, number: 0 };

impl PendingEvents {
    /// That of a theater.
    pub(crate) fn of(theater: &TheaterShared) -> &Self {
        theater.attachments.get_or_attach(Self::default)
    }

    pub(crate) fn new_name(&self) -> LetterName {
        let mut kept = self.lock();
        kept.last += 1;
        let number = kept.last;
        LetterName { theater: *kept.theater.get_or_insert_with(Random::fresh_seed), number }
    }

    /// Answers by which number it is kept, and one of the same name that was, to be dropped.
    fn keep(&self, name: LetterName, mut pending: Pending) -> (u64, Option<Pending>) {
        let mut kept = self.lock();
        let before = kept.remove(name);
        kept.order += 1;
        let order = kept.order;
        pending.order = order;
        kept.of_actor.insert((pending.actor, order, name));
        kept.pending.insert(name, pending);
        (order, before)
    }

    /// Whether a letter waits. If an actor [packs](ActorRef::packs) on this thread it is one of
    /// those that go.
    pub(crate) fn is_written(&self, name: LetterName) -> bool {
        let waits = self.lock().pending.contains_key(&name);
        if waits {
            PACKED.with_borrow_mut(|packed| packed.iter_mut().for_each(|packed| packed.push(name)));
        }
        waits
    }

    /// A letter that has been kept waits for this from here on.
    ///
    /// # Errors
    /// What it was to wait for, if somebody has taken it already.
    pub(crate) fn waits(
        &self,
        (name, order): (LetterName, u64),
        call: LetterTrigger,
    ) -> Result<(), LetterTrigger> {
        let mut kept = self.lock();
        match kept.pending.get_mut(&name).filter(|it| it.order == order) {
            Some(pending) => pending.call = call,
            None => return Err(call),
        }
        Ok(())
    }

    pub(crate) fn take(&self, name: LetterName) -> Option<Pending> {
        self.lock().remove(name)
    }

    /// As [`take`](Self::take), of the letter that is kept by this number.
    fn take_ordered(&self, name: LetterName, order: u64) -> Option<Pending> {
        let mut kept = self.lock();
        kept.pending.get(&name).filter(|pending| pending.order == order)?;
        kept.remove(name)
    }

    /// Of an actor's watches these go with it.
    fn are_packed(&self, actor: u64, packed: &[LetterName]) {
        let mut kept = self.lock();
        for name in kept.of(actor) {
            let pending = kept.pending.get_mut(&name);
            if let Some(it) = pending.filter(|it| it.call.awaits == Awaits::End) {
                it.goes = packed.contains(&name);
            }
        }
    }

    /// Takes out those of an actor that go with it.
    fn take_along(&self, actor: u64) -> Vec<(LetterName, Pending)> {
        let mut kept = self.lock();
        let goes = |kept: &KeptEvents, name| kept.pending.get(&name).is_some_and(|it| it.goes);
        let names = kept.of(actor).into_iter();
        let taken = names.filter_map(|name| {
            goes(&kept, name).then(|| kept.remove(name)).flatten().map(|pending| (name, pending))
        });
        taken.collect()
    }

    fn lock(&self) -> MutexGuard<'_, KeptEvents> {
        self.0.lock().expect("nothing panics under this lock")
    }
}

impl KeptEvents {
    fn remove(&mut self, name: LetterName) -> Option<Pending> {
        let pending = self.pending.remove(&name)?;
        self.of_actor.remove(&(pending.actor, pending.order, name));
        Some(pending)
    }

    fn of(&self, actor: u64) -> Vec<LetterName> {
        let of_actor = self.of_actor.range((actor, 0, NO_NAME)..);
        of_actor.take_while(|(of, ..)| *of == actor).map(|(.., name)| *name).collect()
    }
}

/// Sends a letter, once what it waits for has come.
pub(crate) struct Sending<M: Message> {
    to: WeakRef<M>,
    name: LetterName,
    order: u64,
}

/// Keeps a letter, and answers who sends it.
pub(crate) fn keep<M: Message>(
    to: WeakRef<M>,
    name: LetterName,
    call: LetterTrigger,
    letter: Letter<M>,
) -> Sending<M> {
    let header = to.header();
    let goes = call.awaits != Awaits::End;
    let actor = header.id.number();
    let pending = Pending { actor, order: 0, call, goes, letter: Box::new(letter) };
    let (order, before) = PendingEvents::of(header.stage.theater()).keep(name, pending);
    drop(before);
    Sending { to, name, order }
}

impl<M: Message> Sending<M> {
    /// Which letter, and by which number it is kept.
    pub(crate) fn place(&self) -> (LetterName, u64) {
        (self.name, self.order)
    }

    pub(crate) fn send(&self) {
        let Some(pending) = self.take() else { return };
        let Letter { message, tag } = open(pending.letter);
        let Some(to) = self.to.upgrade() else { return };
        // An actor that has stopped gets no more messages.
        let _ = match tag {
            Some(tag) => to.send_tagged(Some(tag), mailbox_of(&message), message, Hindered::No),
            None => to.send_unhindered(message),
        };
    }

    fn take(&self) -> Option<Pending> {
        PendingEvents::of(self.to.header().stage.theater()).take_ordered(self.name, self.order)
    }
}

impl<M: Message> Drop for Sending<M> {
    fn drop(&mut self) {
        // Rule 2.
        drop(self.take());
    }
}

fn open<M: Message>(letter: Box<dyn Any + Send>) -> Letter<M> {
    *letter.downcast().expect("kept for an actor of this type")
}

impl<M: Message> ActorRef<M> {
    /// The actor is written, by `work`: of its watches those go with it whose
    /// [`Watching`](crate::Watching) is written by that.
    pub(crate) fn packs<R>(&self, work: impl FnOnce() -> R) -> R {
        let before = PACKED.replace(Some(Vec::new()));
        let result = work();
        let packed = PACKED.replace(before).unwrap_or_default();
        let header = &self.cell().header;
        PendingEvents::of(header.stage.theater()).are_packed(header.id.number(), &packed);
        result
    }

    /// Takes out the letters that go with the actor: those that wait for a time by that, and then
    /// the others.
    pub(crate) fn take_letters(&self) -> Vec<TakenLetter<M>> {
        let header = &self.cell().header;
        let theater = header.stage.theater();
        let taken = PendingEvents::of(theater).take_along(header.id.number());
        let taken = taken.into_iter().map(|(name, Pending { call, letter, .. })| {
            let awaits = call.awaits;
            call.cancel(theater);
            TakenLetter { name, awaits, message: open(letter).message }
        });
        let mut taken: Vec<_> = taken.collect();
        taken.sort_by_key(|letter| match letter.awaits {
            Awaits::Time(due) => (0, due),
            Awaits::End => (1, Duration::ZERO),
        });
        taken
    }
}
