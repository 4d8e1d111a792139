//! Effects of messages whose commits are not durable yet.

use odeon_core::extend::{Outbox, as_sender, drop_failed, let_happen};
use odeon_core::{ActorRef, Message};
use odeon_sync::contained::{contained, forget, quietly};
use odeon_sync::{Condvar, Mutex, MutexGuard};
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
pub(super) struct HeldBack<M: Message> {
    queue: Mutex<Queue<M>>,
    /// Told when more is durable, when nothing is let go any more, and when nothing comes any more.
    changed: Condvar,
}

struct Queue<M: Message> {
    effects: WaitingEffects,
    /// The actor, while effects wait here or are being let go.
    actor: Option<ActorRef<M>>,
    /// Why nothing is let go any more.
    failure: Option<String>,
    /// Whether nothing comes any more.
    is_over: bool,
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

impl<M: Message> Default for HeldBack<M> {
    fn default() -> Self {
        let effects = WaitingEffects::default();
        let queue = Queue { effects, actor: None, failure: None, is_over: false };
        Self { queue: Mutex::new(queue), changed: Condvar::new() }
    }
}

impl<M: Message> HeldBack<M> {
    fn lock(&self) -> MutexGuard<'_, Queue<M>> {
        self.queue.lock().expect("no panic happens under this lock")
    }

    /// Has the effects of a message wait until all up to `number` is durable, and until those of
    /// the messages before it have happened. Answers them if they are to happen at once.
    ///
    /// `durable` is looked at under the lock: what becomes durable later is told behind that.
    pub(super) fn hold(
        &self,
        actor: &ActorRef<M>,
        number: u64,
        durable: impl FnOnce() -> u64,
        mut effects: Outbox,
    ) -> Option<Outbox> {
        let mut queue = self.lock();
        if let Some(failure) = queue.failure.clone() {
            drop(queue);
            refuse(effects, failure);
            return None;
        }
        if queue.actor.is_none() && number <= durable() {
            return Some(effects);
        }
        queue.actor.get_or_insert_with(|| actor.clone());
        queue.effects.messages.push_back((number, effects.len()));
        queue.effects.effects.append(&mut effects);
        drop(queue);
        keep_empty_outbox(effects);
        None
    }

    /// More is durable.
    pub(super) fn tell(&self) {
        drop(self.lock());
        self.changed.notify_one();
    }

    /// Nothing happens any more of what waits, nor of what comes: who has asked is told why.
    pub(super) fn refuse_all(&self, failure: String) {
        self.lock().failure.get_or_insert(failure);
        self.changed.notify_one();
    }

    /// Nothing comes any more.
    pub(super) fn end(&self) {
        self.lock().is_over = true;
        self.changed.notify_one();
    }

    /// Lets go of what waits as soon as it is `durable`, in order, until the [end](Self::end). For
    /// a thread of its own: it goes on while the log is being written.
    pub(super) fn let_go(&self, durable: impl Fn() -> u64) {
        let mut fetched = WaitingEffects::default();
        let mut queue = self.lock();
        loop {
            fetched.fetch(&mut queue.effects);
            let failure = queue.failure.clone();
            let waits = failure.is_none() && !fetched.messages.is_empty();
            if waits && fetched.is_due(durable()) {
                let actor = queue.actor.clone().expect("there while something waits");
                drop(queue);
                as_sender(&actor, || fetched.let_go(durable()));
            } else if waits || queue.actor.is_none() {
                if queue.is_over && !waits {
                    return;
                }
                queue = self.changed.wait(queue).expect("no panic happens under this lock");
                continue;
            } else {
                // All has happened, or nothing of it is to.
                let over = queue.actor.take();
                drop(queue);
                if let Some(failure) = failure {
                    refuse(mem::take(&mut fetched).effects, failure);
                }
                drop(over);
            }
            queue = self.lock();
        }
    }
}

impl WaitingEffects {
    fn let_go(&mut self, durable: u64) {
        while self.is_due(durable) {
            let (_, count) = self.messages.pop_front().expect("one is due");
            // What panics here is the user's, and undoes nothing.
            if let Err(panic) = contained(|| self.effects.release_first(count)) {
                forget(panic);
            }
        }
    }
}

fn refuse(mut effects: Outbox, failure: String) {
    quietly(|| drop_failed(&failure, || effects.discard()));
}
