//! The gate of one mailbox: counts the messages behind it, and knows who waits for a place.
//!
//! A *place* is room for one message. Whoever has one leaves its message next; the owner frees it
//! when it takes the message to handle it.
//!
//! PROTOCOL
//! 1. The word holds the number of places taken and two marks. It changes by read-modify-writes
//!    alone, so each of them sees all before it.
//! 2. The queue changes under its lock, and `AWAITED` with it: while nobody has the lock, it is set
//!    exactly if the queue is not empty.
//! 3. Who finds `AWAITED` set or all places taken does not take one past those that wait. It enters
//!    the queue, sets `AWAITED`, and then admits whom there is room for, which may be itself.
//! 4. Who frees a place and finds `AWAITED` set does so under the lock, and then admits. If it does
//!    not find it set, then whoever sets it afterwards finds the place free (3).
//! 5. Those that wait are admitted in their order: threads and futures get a place each, actors
//!    that were held back go on without, since their message is behind the gate already.
//! 6. `CLOSED` is set under the lock, once, and empties the queue: nobody enters it any more. Who
//!    waits then goes on without a place.
//!
//! 7. To open a circle of waiting, those leave the queue that somebody in the theater may wait for.
//!    They go on without a place; threads of no stage, and futures outside of handlers, stay.
//!
//! Covered by `gate/loom.rs`.

use std::collections::VecDeque;

use odeon_sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use odeon_sync::{Arc, Mutex, MutexGuard, Parker};

use crate::process::waiters::Waiter;
use crate::vocabulary::oneshot;

/// No message is accepted any more.
const CLOSED: usize = 1;
/// Somebody waits for a place.
const AWAITED: usize = 2;
/// One place taken.
const ONE: usize = 4;

/// The gate of one mailbox; clones are the same gate.
#[derive(Clone)]
pub(crate) struct Gate(Arc<GateState>);

struct GateState {
    word: AtomicUsize,
    capacity: AtomicUsize,
    queue: Mutex<WaitQueue>,
}

#[derive(Default)]
struct WaitQueue {
    waiting: VecDeque<(u64, GateWaiter)>,
    next_key: u64,
}

/// Somebody who waits; dropped, it goes on without a place.
pub(super) enum GateWaiter {
    /// An actor, whose message has been accepted.
    Actor(#[expect(dead_code, reason = "dropping it is what it is for")] Waiter),
    /// A future inside an actor's handler. It gets no place, which it might keep while its actor
    /// waits for something else.
    Handler(#[expect(dead_code, reason = "as above")] oneshot::Sender<Place>),
    Future(oneshot::Sender<Place>),
    Thread(Called),
    /// The thread of a stage.
    Stage(Called),
}

impl GateWaiter {
    /// Whether others may wait for whoever this is.
    fn is_in_theater(&self) -> bool {
        matches!(self, Self::Actor(_) | Self::Handler(_) | Self::Stage(_))
    }
}

/// What a sender that does not wait finds.
#[derive(Debug, PartialEq, Eq)]
#[must_use]
pub(super) enum GateOutcome {
    /// It has a place, and is to leave its message.
    Place,
    Full,
    Closed,
}

/// A place that nobody has left a message in yet, or whose message has been taken; dropped, it is
/// free again.
pub struct Place(Option<Gate>);

impl Place {
    /// The place of a message behind the gate, from whoever has taken that.
    pub(super) fn of(gate: &Gate) -> Self {
        Self(Some(gate.clone()))
    }

    /// A message is being left in it.
    pub(super) fn fill(mut self) {
        self.0 = None;
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Some(gate) = self.0.take() {
            gate.leave();
        }
    }
}

impl Gate {
    pub(super) fn new(capacity: usize) -> Self {
        Self(Arc::new(GateState {
            word: AtomicUsize::new(0),
            capacity: AtomicUsize::new(capacity),
            queue: Mutex::default(),
        }))
    }

    fn lock(&self) -> MutexGuard<'_, WaitQueue> {
        self.0.queue.lock().expect("no panic happens under the lock of a gate")
    }

    // ORDERING: Relaxed for all accesses to the word and the capacity: they count, and the inbox
    // hands over the messages. Protocol 1 to 4 needs the order of one word's changes and of the
    // lock.

    fn word(&self) -> usize {
        self.0.word.load(Ordering::Relaxed)
    }

    pub(super) fn capacity(&self) -> usize {
        self.0.capacity.load(Ordering::Relaxed)
    }

    /// How many places are taken.
    pub(super) fn taken(&self) -> usize {
        self.word() / ONE
    }

    /// Whether a sender that does not wait would be turned away.
    pub(super) fn is_full(&self) -> bool {
        let word = self.word();
        word & CLOSED == 0 && (word & AWAITED != 0 || word / ONE >= self.capacity())
    }

    /// Takes a place, if there is one and nobody waits for it.
    pub(super) fn enter(&self) -> GateOutcome {
        let mut word = self.word();
        loop {
            if word & CLOSED != 0 {
                return GateOutcome::Closed;
            }
            if word & AWAITED != 0 || word / ONE >= self.capacity() {
                return GateOutcome::Full;
            }
            match self.exchange(word, word + ONE) {
                Ok(()) => return GateOutcome::Place,
                Err(now) => word = now,
            }
        }
    }

    fn exchange(&self, from: usize, to: usize) -> Result<(), usize> {
        let changed =
            self.0.word.compare_exchange_weak(from, to, Ordering::Relaxed, Ordering::Relaxed);
        changed.map(drop)
    }

    /// Takes a place whether there is one or not.
    pub(super) fn enter_beyond(&self) {
        self.0.word.fetch_add(ONE, Ordering::Relaxed);
    }

    /// Frees a place: the owner has taken a message, or nobody will leave one.
    pub(super) fn leave(&self) {
        let mut word = self.word();
        while word & AWAITED == 0 {
            // A message that goes to another mailbox by now than when it was sent was never counted
            // here.
            if word < ONE {
                return;
            }
            match self.exchange(word, word - ONE) {
                Ok(()) => return,
                Err(now) => word = now,
            }
        }
        let mut queue = self.lock();
        if self.taken() > 0 {
            self.0.word.fetch_sub(ONE, Ordering::Relaxed);
        }
        let admitted = self.admit(&mut queue);
        drop(queue);
        self.let_on(admitted);
    }

    /// Takes out of the queue whom there is room for, with the places they get.
    fn admit(&self, queue: &mut WaitQueue) -> Vec<GateWaiter> {
        let mut admitted = Vec::new();
        while self.taken() < self.capacity() {
            let Some((_, waiting)) = queue.waiting.pop_front() else { break };
            if matches!(
                waiting,
                GateWaiter::Future(_) | GateWaiter::Thread(_) | GateWaiter::Stage(_)
            ) {
                self.enter_beyond();
            }
            admitted.push(waiting);
        }
        if queue.waiting.is_empty() {
            self.0.word.fetch_and(!AWAITED, Ordering::Relaxed);
        }
        admitted
    }

    /// Outside of the lock: wakes, submits, and may free places again.
    fn let_on(&self, admitted: Vec<GateWaiter>) {
        for waiting in admitted {
            match waiting {
                GateWaiter::Thread(called) | GateWaiter::Stage(called) => {
                    called.with(Place(Some(self.clone())))
                }
                // One that has given up leaves its place to the next.
                GateWaiter::Future(future) => drop(future.send(Place(Some(self.clone())))),
                GateWaiter::Actor(_) | GateWaiter::Handler(_) => {}
            }
        }
    }

    /// Enters somebody who waits; a key to take it out by. It may go on at once.
    fn line_up(&self, waiting: GateWaiter) -> u64 {
        let mut queue = self.lock();
        if self.word() & CLOSED != 0 {
            drop(queue);
            drop(waiting);
            return 0;
        }
        queue.next_key += 1;
        let key = queue.next_key;
        queue.waiting.push_back((key, waiting));
        self.0.word.fetch_or(AWAITED, Ordering::Relaxed);
        let admitted = self.admit(&mut queue);
        drop(queue);
        self.let_on(admitted);
        key
    }

    /// An actor waits, held back, until there is room.
    pub(crate) fn line_up_actor(&self, held: Waiter) {
        self.line_up(GateWaiter::Actor(held));
    }

    /// This thread, one of no stage, is about to wait for a place.
    pub(crate) fn line_up_thread(&self) -> Arc<ThreadWaiter> {
        let call = Arc::new(ThreadWaiter::default());
        self.line_up(GateWaiter::Thread(Called(call.clone())));
        call
    }

    /// As [`line_up_thread`](Self::line_up_thread), the thread of a stage.
    pub(crate) fn line_up_stage(&self) -> Arc<ThreadWaiter> {
        let call = Arc::new(ThreadWaiter::default());
        self.line_up(GateWaiter::Stage(Called(call.clone())));
        call
    }

    /// A future waits for a place.
    pub(crate) fn line_up_future(&self, in_handler: bool) -> PlaceToCome<'_> {
        let (tell, told) = oneshot::channel();
        let waiting = if in_handler { GateWaiter::Handler(tell) } else { GateWaiter::Future(tell) };
        let entered = Entered { gate: self, key: self.line_up(waiting) };
        PlaceToCome { told, _entered: entered }
    }

    /// Lets all go on without a place that others may wait for.
    pub(crate) fn let_go(&self) {
        let mut queue = self.lock();
        let waiting = std::mem::take(&mut queue.waiting);
        let (gone, left) = waiting.into_iter().partition(|(_, one)| one.is_in_theater());
        queue.waiting = left;
        if queue.waiting.is_empty() {
            self.0.word.fetch_and(!AWAITED, Ordering::Relaxed);
        }
        drop(queue);
        let gone: VecDeque<(u64, GateWaiter)> = gone;
        drop(gone);
    }

    /// Changes the capacity, and admits whom there is room for then.
    pub(super) fn set_capacity(&self, capacity: usize) {
        let mut queue = self.lock();
        self.0.capacity.store(capacity, Ordering::Relaxed);
        let admitted = self.admit(&mut queue);
        drop(queue);
        self.let_on(admitted);
    }

    /// Has all that wait go on without a place.
    pub(super) fn release(&self) {
        self.empty(0);
    }

    /// As [`release`](Self::release), and nobody gets a place any more.
    pub(super) fn close(&self) {
        self.empty(CLOSED);
    }

    fn empty(&self, mark: usize) {
        let mut queue = self.lock();
        self.0.word.fetch_or(mark, Ordering::Relaxed);
        self.0.word.fetch_and(!AWAITED, Ordering::Relaxed);
        let all = std::mem::take(&mut queue.waiting);
        drop(queue);
        drop(all);
    }
}

/// A place that a future waits for.
pub(crate) struct PlaceToCome<'a> {
    told: oneshot::Receiver<Place>,
    _entered: Entered<'a>,
}

impl PlaceToCome<'_> {
    /// `None`: the future's sender goes on without one.
    pub(crate) async fn wait(self) -> Option<Place> {
        self.told.await.ok()
    }
}

/// A future in the queue; dropped, it is taken out if it still is there.
struct Entered<'a> {
    gate: &'a Gate,
    key: u64,
}

impl Drop for Entered<'_> {
    fn drop(&mut self) {
        let mut queue = self.gate.lock();
        // Keys ascend. Many may wait, and whoever has been admitted is not there any more.
        let place = queue.waiting.binary_search_by_key(&self.key, |(key, _)| *key).ok();
        let removed = place.and_then(|place| queue.waiting.remove(place));
        if queue.waiting.is_empty() {
            self.gate.0.word.fetch_and(!AWAITED, Ordering::Relaxed);
        }
        drop(queue);
        drop(removed);
    }
}

/// What a thread waits for.
#[derive(Default)]
pub(crate) struct ThreadWaiter {
    place: Mutex<Option<Place>>,
    called: AtomicBool,
    parker: Parker,
}

impl ThreadWaiter {
    /// `None`: the thread goes on without a place.
    pub(crate) fn wait(&self) -> Option<Place> {
        // ORDERING: Acquire: pairs with the Release in `Called::drop`.
        while !self.called.load(Ordering::Acquire) {
            self.parker.park();
        }
        self.place.lock().expect("nothing panics under this lock").take()
    }
}

/// A thread that waits; dropped, it goes on.
pub(super) struct Called(Arc<ThreadWaiter>);

impl Called {
    fn with(self, place: Place) {
        *self.0.place.lock().expect("nothing panics under this lock") = Some(place);
    }
}

impl Drop for Called {
    fn drop(&mut self) {
        // ORDERING: Release: what the receiver did comes before what the thread does next.
        self.0.called.store(true, Ordering::Release);
        self.0.parker.unpark();
    }
}

#[cfg(all(test, odeon_loom))]
#[path = "gate/loom.rs"]
mod loom;
