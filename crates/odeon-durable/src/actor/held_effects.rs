//! Effects of messages whose commits are not durable yet.

use odeon_core::extend::{Outbox, as_sender, drop_failed, let_happen};
use odeon_core::{ActorRef, Message};
use odeon_sync::Mutex;
use odeon_sync::contained::{contained, forget, quietly};
use std::cell::Cell;
use std::collections::VecDeque;
use std::mem;

thread_local! {
    /// The memory of an outbox that was emptied on this thread, for the next message.
    static SPARE: Cell<Option<Outbox>> = const { Cell::new(None) };
}

/// The effects that a handler asks for, until it has ended well. Dropped before, they go to the
/// outbox around this one: whoever has that discards them when the attempt is over, where what
/// panics of it does no harm.
pub(super) struct AskedEffects(pub(super) Outbox);

impl AskedEffects {
    pub(super) fn new() -> Self {
        Self(SPARE.take().unwrap_or_default())
    }

    /// What was asked for, to happen.
    pub(super) fn take(mut self) -> Outbox {
        mem::take(&mut self.0)
    }
}

impl Drop for AskedEffects {
    fn drop(&mut self) {
        if !self.0.is_empty() {
            let effects = mem::take(&mut self.0);
            let_happen(move || drop(effects));
        }
    }
}

pub(super) fn keep_empty_outbox(outbox: Outbox) {
    SPARE.set(Some(outbox));
}

/// See the module; in the order in which they are to happen.
pub(super) struct HeldBack<M: Message>(Mutex<Queue<M>>);

struct Queue<M: Message> {
    effects: WaitingEffects,
    /// The actor, while effects wait here or are [fetched](FetchedEffects).
    actor: Option<ActorRef<M>>,
    /// Why nothing is let go any more.
    failure: Option<String>,
}

/// Effects of several messages.
#[derive(Default)]
struct WaitingEffects {
    effects: Outbox,
    /// Of each message the last number that was taken before its effects: of what it has written,
    /// and of all that it has seen; and how many they are.
    messages: VecDeque<(u64, usize)>,
}

impl WaitingEffects {
    fn is_due(&self, durable: u64) -> bool {
        self.messages.front().is_some_and(|&(number, _)| number <= durable)
    }

    /// What `from` has goes behind what is here.
    fn fetch(&mut self, from: &mut Self) {
        if self.messages.is_empty() {
            mem::swap(self, from);
        } else {
            self.effects.append(&mut from.effects);
            self.messages.append(&mut from.messages);
        }
    }
}

/// What the log's thread has fetched to let it go.
#[derive(Default)]
pub(super) struct FetchedEffects(WaitingEffects);

/// What is to be done with effects at once.
pub(super) enum AtOnce {
    LetGo(Outbox),
    /// The log's thread is to know of them.
    Wake,
    /// They were refused.
    Nothing,
}

impl<M: Message> Default for HeldBack<M> {
    fn default() -> Self {
        let effects = WaitingEffects::default();
        Self(Mutex::new(Queue { effects, actor: None, failure: None }))
    }
}

impl<M: Message> HeldBack<M> {
    /// Has the effects of a message wait until all up to `number` is durable, which it is up to
    /// `durable`, and until those of the messages before it have happened.
    pub(super) fn hold(
        &self,
        actor: &ActorRef<M>,
        number: u64,
        durable: u64,
        mut effects: Outbox,
    ) -> AtOnce {
        let mut queue = self.0.lock().expect("no panic happens under this lock");
        if let Some(failure) = queue.failure.clone() {
            drop(queue);
            refuse(effects, failure);
            return AtOnce::Nothing;
        }
        if queue.actor.is_none() && number <= durable {
            return AtOnce::LetGo(effects);
        }
        queue.actor.get_or_insert_with(|| actor.clone());
        queue.effects.messages.push_back((number, effects.len()));
        queue.effects.effects.append(&mut effects);
        drop(queue);
        keep_empty_outbox(effects);
        AtOnce::Wake
    }

    /// Whether something waits that does not have to, as all up to `durable` is.
    pub(super) fn is_due(&self, durable: u64, fetched: &FetchedEffects) -> bool {
        let queue = self.0.lock().expect("no panic happens under this lock");
        fetched.0.is_due(durable) || queue.effects.is_due(durable)
    }

    /// Lets go of all that waits for numbers up to `durable`, in order. For the log's thread.
    pub(super) fn let_go(&self, durable: u64, fetched: &mut FetchedEffects) {
        loop {
            let mut queue = self.0.lock().expect("no panic happens under this lock");
            fetched.0.fetch(&mut queue.effects);
            if !fetched.0.is_due(durable) {
                let over = if fetched.0.messages.is_empty() { queue.actor.take() } else { None };
                drop(queue);
                drop(over);
                return;
            }
            let actor = queue.actor.clone().expect("there while something waits");
            drop(queue);
            as_sender(&actor, || fetched.let_go(durable));
        }
    }

    /// Nothing happens any more of what waits, nor of what comes: who has asked is told why.
    pub(super) fn refuse_all(&self, failure: &str, fetched: FetchedEffects) {
        let mut queue = self.0.lock().expect("no panic happens under this lock");
        queue.failure.get_or_insert_with(|| failure.into());
        let waiting = mem::take(&mut queue.effects);
        let actor = queue.actor.take();
        drop(queue);
        refuse(fetched.0.effects, failure.into());
        refuse(waiting.effects, failure.into());
        drop(actor);
    }
}

impl FetchedEffects {
    fn let_go(&mut self, durable: u64) {
        while self.0.is_due(durable) {
            let (_, count) = self.0.messages.pop_front().expect("one is due");
            // What panics here is the user's, and undoes nothing.
            if let Err(panic) = contained(|| self.0.effects.release_first(count)) {
                forget(panic);
            }
        }
    }
}

fn refuse(mut effects: Outbox, failure: String) {
    quietly(|| drop_failed(&failure, || effects.discard()));
}
