//! Effects of messages whose commits are not durable yet.

use odeon_core::extend::{Effect, Outbox, as_sender, drop_failed, let_happen};
use odeon_core::{ActorRef, Message};
use odeon_sync::contained::{contained, forget, quietly};
use odeon_sync::{Mutex, MutexGuard};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::mem;

/// TUNE: empty outboxes that a thread keeps: those of messages that one attempt handles together.
const KEPT: usize = 64;

thread_local! {
    /// Outboxes that were emptied on this thread: their memory is for the next messages.
    static EMPTIED: RefCell<Vec<Outbox>> = const { RefCell::new(Vec::new()) };
}

/// The effects that a handler asks for, until it has ended well. Dropped before, they go to the
/// outbox around this one: whoever has that discards them when the attempt is over, where what
/// panics of it does no harm.
pub(super) struct AskedEffects(pub(super) Outbox);

impl AskedEffects {
    pub(super) fn new() -> Self {
        Self(EMPTIED.with_borrow_mut(Vec::pop).unwrap_or_default())
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

/// One effect, to be held.
pub(super) fn outbox_of(effect: Effect) -> Outbox {
    let mut outbox = Outbox::new();
    outbox.hold_during(|| let_happen(effect));
    outbox
}

pub(super) fn keep_empty_outbox(outbox: Outbox) {
    EMPTIED.with_borrow_mut(|emptied| {
        if emptied.len() < KEPT {
            emptied.push(outbox);
        }
    });
}

/// See the module; in the order in which they are to happen.
pub(super) struct HeldBack<M: Message> {
    queue: Mutex<Queue<M>>,
    /// What was fetched from there. Who has the lock lets go of it.
    fetched: Mutex<WaitingEffects>,
}

struct Queue<M: Message> {
    effects: WaitingEffects,
    /// The actor, while effects wait here or are being let go.
    actor: Option<ActorRef<M>>,
    /// Whether the courier was told, and has not looked since.
    is_told: bool,
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

impl<M: Message> Default for HeldBack<M> {
    fn default() -> Self {
        let effects = WaitingEffects::default();
        let queue = Queue { effects, actor: None, is_told: false, failure: None };
        Self { queue: Mutex::new(queue), fetched: Mutex::default() }
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

    /// Nothing happens any more of what waits, nor of what comes: who has asked is told why, by
    /// the next who [lets go](Self::let_go).
    pub(super) fn refuse_all(&self, failure: String) {
        self.lock().failure.get_or_insert(failure);
    }

    /// The actor, if something waits and nobody is to be told: the courier, who is from here on.
    pub(super) fn is_to_tell(&self) -> Option<ActorRef<M>> {
        let mut queue = self.lock();
        let actor = queue.actor.clone()?;
        (!mem::replace(&mut queue.is_told, true)).then_some(actor)
    }

    /// Whether effects wait, or are being let go.
    pub(super) fn is_waiting(&self) -> bool {
        self.lock().actor.is_some()
    }

    /// Lets go of what waits and is `durable`, in order, of so many messages at most. Answers
    /// whether there is more of it.
    pub(super) fn let_go(&self, durable: impl Fn() -> u64, messages: usize) -> bool {
        let mut fetched = self.fetched.lock().expect("what panics under this lock is contained");
        let mut queue = self.lock();
        // What becomes durable, or comes, behind this look is told, or seen below.
        queue.is_told = false;
        fetched.fetch(&mut queue.effects);
        let (actor, failure) = (queue.actor.clone(), queue.failure.clone());
        drop(queue);
        let Some(actor) = actor else { return false };
        match failure {
            Some(failure) => refuse(mem::take(&mut *fetched).effects, failure),
            None => as_sender(&actor, || fetched.let_go(durable(), messages)),
        }
        let mut queue = self.lock();
        if let Some(next) = fetched.first().or(queue.effects.first()) {
            return next <= durable();
        }
        // All has happened, or nothing of it is to.
        let over = queue.actor.take();
        drop((queue, fetched));
        drop(over);
        false
    }
}

impl WaitingEffects {
    /// Up to which number all is to be durable for the first message's effects.
    fn first(&self) -> Option<u64> {
        self.messages.front().map(|&(number, _)| number)
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

    fn let_go(&mut self, durable: u64, messages: usize) {
        for _ in 0..messages {
            let Some(&(number, count)) = self.messages.front() else { return };
            if number > durable {
                return;
            }
            self.messages.pop_front();
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
