//! Pressure: senders hold back while a receiver has too much waiting.
//!
//! An inbox comes under pressure when about a thousand messages wait in it, and is relieved at half
//! of that (`mailbox/inbox.rs`). Whoever sends to it meanwhile has its message accepted, and then
//! * a thread that belongs to no stage, or a dedicated one, waits in `send` until the receiver is relieved;
//! * a pool actor is *held back*: after the message it is handling it gets no turn until then;
//! * an actor that is under pressure itself is not held back, nor one that sends to itself.
//!
//! Replies, watches, timers and messages to oneself make nobody wait.
//!
//! NO DEADLOCK. Who waits, waits for a receiver under pressure, which is not held back itself: it was not
//! held back when it came under pressure, or it was, by a third one, and so on. Such a chain never
//! closes: its last link would be an actor that is held back while others wait for it; to be held back it
//! must be without pressure, and an actor that loses its pressure releases all that wait for it first.
//! So at the end of every chain is an actor that gets turns, and with each it has less waiting.
//!
//! PROTOCOL of waiting: the sender enters itself with the receiver, then looks whether there still is
//! pressure, and if not takes all that wait out again; the owner takes pressure off, then takes out
//! all that wait. The list's lock orders the two: one of them sees the other. (`pressure/loom.rs`)
//!
//! After Pony's backpressure, which mutes senders of overloaded actors in the same way (Blessing et al.:
//! "Run, actor, run", AGERE 2019).

use std::ptr::NonNull;

use odeon_sync::atomic::{AtomicBool, Ordering};
use odeon_sync::{Arc, Mutex, Parker};

use crate::cell::{Header, MessageCell, signal};
use crate::current;
use crate::kin::Kin;
use crate::mailbox::{PRESSED_FROM, RELIEVED_AT};
use crate::message::Message;
use crate::scheduler::home::Home;
use crate::turn::Task;
use crate::turn::parked::Parked;

/// Somebody who waits until a receiver is relieved; dropped, it goes on.
pub(crate) enum Waiter {
    Actor(#[expect(dead_code, reason = "dropping it is what it is for")] Parked),
    Thread(#[expect(dead_code, reason = "as above")] Sleeper),
    Future(#[expect(dead_code, reason = "as above")] oneshot::Sender<()>),
}

/// What a thread waits for.
#[derive(Default)]
struct Relief {
    relieved: AtomicBool,
    parker: Parker,
}

/// A thread that waits; dropped, it is woken.
pub(crate) struct Sleeper(Arc<Relief>);

impl Drop for Sleeper {
    fn drop(&mut self) {
        // ORDERING: Release: what the receiver did comes before what the thread does next.
        self.0.relieved.store(true, Ordering::Release);
        self.0.parker.unpark();
    }
}

/// All that wait for one receiver.
#[derive(Default)]
pub(crate) struct Waiters(Mutex<Vec<Waiter>>);

impl Waiters {
    /// Enters `waiter`, unless the pressure is gone by then.
    pub(crate) fn enter(&self, waiter: Waiter, is_pressed: impl FnOnce() -> bool) {
        self.lock().push(waiter);
        if !is_pressed() {
            self.release();
        }
    }

    /// Lets all go on.
    pub(crate) fn release(&self) {
        // Outside of the lock: an actor is submitted by being dropped.
        let all = std::mem::take(&mut *self.lock());
        drop(all);
    }

    fn lock(&self) -> odeon_sync::MutexGuard<'_, Vec<Waiter>> {
        self.0.lock().expect("no panic happens under the lock of waiters")
    }
}

/// Whether senders to this actor are to hold back.
pub(crate) fn is_pressed(receiver: &Header) -> bool {
    match receiver.pinned() {
        Some(stage) => stage.is_pressed(),
        // SAFETY: the vtable belongs to this cell.
        None => unsafe { (receiver.vtable.is_pressed)(NonNull::from(receiver)) },
    }
}

/// Enters `waiter` with whoever relieves `receiver`; drops it if nobody will.
fn enter(receiver: &Header, waiter: Waiter) {
    let waiters = match receiver.pinned() {
        Some(stage) => Some(stage.waiters()),
        None => receiver.bonds.get_or_make().ok().map(|bonds| &bonds.waiters),
    };
    if let Some(waiters) = waiters {
        waiters.enter(waiter, || is_pressed(receiver));
    }
}

/// The sender's side: a message has been accepted by a receiver under pressure.
#[cold]
#[inline(never)]
pub(crate) fn felt(receiver: &Header) {
    let here = current::here();
    let sender = NonNull::new(here.actor.get());
    if let Some(sender) = sender {
        // SAFETY: set by this thread for the length of the turn, which keeps the cell.
        hold_back(unsafe { sender.as_ref() }, receiver);
    } else if may_wait(here.home.get(), receiver) {
        wait(receiver);
    }
}

/// Remembers that the actor whose turn this is has to wait for `receiver`.
fn hold_back(sender: &Header, receiver: &Header) {
    // ORDERING: Relaxed, here and below: this thread is the owner.
    let is_held = sender.signals.load(Ordering::Relaxed) & signal::HELD != 0;
    if is_held || std::ptr::eq(sender, receiver) || is_pressed(sender) {
        return;
    }
    let Ok(bonds) = sender.bonds.get_or_make() else { return };
    bonds.set_held_by(Kin::new(receiver));
    sender.signals.fetch_or(signal::HELD, Ordering::Relaxed);
}

/// Whether a thread that gives no turn of the pool may wait: one of no stage, and a dedicated one that is
/// not under pressure itself. A theater that the caller drives must not wait for itself.
fn may_wait(home: Home, receiver: &Header) -> bool {
    if receiver.stage.theater().is_driven_from_outside() {
        return false;
    }
    match home.as_pinned() {
        None => false,
        // SAFETY: set by this very thread for as long as its stage lives; null on threads of no stage.
        Some(stage) => unsafe { stage.as_ref() }.is_none_or(|stage| {
            stage.is_dedicated() && receiver.home != home && !stage.is_pressed()
        }),
    }
}

fn wait(receiver: &Header) {
    let relief = Arc::new(Relief::default());
    enter(receiver, Waiter::Thread(Sleeper(relief.clone())));
    // ORDERING: Acquire: pairs with the Release in `Sleeper::drop`.
    while !relief.relieved.load(Ordering::Acquire) {
        relief.parker.park();
    }
}

/// Becomes ready when `receiver` is relieved, has ended, or was not under pressure.
pub(crate) fn relief(receiver: &Header) -> oneshot::AsyncReceiver<()> {
    let (relieved, wait) = oneshot::channel();
    enter(receiver, Waiter::Future(relieved));
    wait.into_future()
}

/// The owner's side, between two turns or before going idle: puts pressure on or takes it off.
/// `aside`: messages that the owner has taken from the inbox and could handle.
pub(crate) fn weigh<M: Message>(cell: &MessageCell<M>, aside: usize) {
    let waiting = cell.inbox.backlog() + aside;
    if waiting >= PRESSED_FROM {
        cell.inbox.press();
    } else if waiting <= RELIEVED_AT && cell.inbox.is_pressed() {
        relieve(cell);
    }
}

/// The owner takes pressure off and lets all senders go on.
#[cold]
pub(crate) fn relieve<M: Message>(cell: &MessageCell<M>) {
    cell.inbox.relieve();
    if let Some(bonds) = cell.header.bonds.get() {
        bonds.waiters.release();
    }
}

/// The owner's turn is over for now: whom the actor has to wait for, if it was to be held back.
pub(crate) fn take_held(header: &Header) -> Option<Kin> {
    // ORDERING: Relaxed, here and below: set and cleared by the owner.
    if header.signals.load(Ordering::Relaxed) & signal::HELD == 0 {
        return None;
    }
    header.signals.fetch_and(!signal::HELD, Ordering::Relaxed);
    header.bonds.get()?.take_held_by()
}

/// Parks an actor until `receiver` is relieved. An actor that has come under pressure itself goes on
/// (`false`).
///
/// # Safety
/// The caller owns the actor, and after `true` does not touch it any more.
pub(crate) unsafe fn park<M>(cell: NonNull<MessageCell<M>>, receiver: &Kin) -> bool {
    // SAFETY: by contract.
    if unsafe { &(*cell.as_ptr()).inbox }.is_pressed() {
        return false;
    }
    // SAFETY: the owner passes its right to run on to the waiter.
    let parked = Parked::new(unsafe { Task::new(cell.cast()) });
    enter(receiver.header(), Waiter::Actor(parked));
    true
}

#[cfg(all(test, odeon_loom))]
mod loom;
