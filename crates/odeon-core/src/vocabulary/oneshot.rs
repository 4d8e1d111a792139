//! One value from one side to the other, once: for threads and for futures, and for both in turn.
//!
//! PROTOCOL
//! 1. All that both sides know is [`ChannelState`], under one lock. It goes from `Open` to `Sent`
//!    or to `Over`, by whoever comes first, and from `Sent` to `Over` by the receiver alone.
//! 2. A waker is put in and taken out under the lock. It is cloned, woken and dropped outside of
//!    it, and so is the value: nothing of a user's runs under the lock. A panic of the receiver's
//!    waker is contained: who sends is not to suffer for who receives.
//! 3. Who waits has put its waker in while the state was `Open`; who ends that takes the waker out
//!    and wakes. So nobody waits for what has happened, and who gives up leaves nothing that the
//!    other side could still touch.
//!
//! Why not a crate: see `docs/decisions/030-own-oneshot-channel.md`. Covered by
//! `vocabulary/oneshot/loom.rs`.

use std::future::Future;
use std::mem;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use odeon_sync::{Mutex, MutexGuard, Parker};

use crate::vocabulary::blocked_thread::BlockedThread;
use crate::vocabulary::contain::contain;

enum ChannelState<T> {
    /// Nothing has been sent; who waits for it, if anybody does.
    Open(Option<Waker>),
    Sent(T),
    /// The value has been received, or one side has gone without it.
    Over,
}

struct ChannelSlot<T>(Mutex<ChannelState<T>>);

impl<T> ChannelSlot<T> {
    fn lock(&self) -> MutexGuard<'_, ChannelState<T>> {
        self.0.lock().expect("nothing panics under this lock")
    }

    /// Ends the waiting, if it has not ended yet; what could not be sent comes back.
    fn end(&self, last: ChannelState<T>) -> Result<(), ChannelState<T>> {
        let mut state = self.lock();
        let ChannelState::Open(waker) = &mut *state else { return Err(last) };
        let waker = waker.take();
        *state = last;
        drop(state);
        if let Some(waker) = waker {
            contain(|| waker.wake());
        }
        Ok(())
    }
}

/// A channel for one value.
pub(crate) fn channel<T>() -> (Sender<T>, Receiver<T>) {
    let slot = Arc::new(ChannelSlot(Mutex::new(ChannelState::Open(None))));
    (Sender(Some(slot.clone())), Receiver(slot))
}

/// The right to send the value; dropped, it tells the receiver that none will come.
pub(crate) struct Sender<T>(
    /// `None`: it has been used.
    Option<Arc<ChannelSlot<T>>>,
);

impl<T> Sender<T> {
    /// Sends the value; gives it back if the receiver is gone.
    pub(crate) fn send(mut self, value: T) -> Result<(), T> {
        let slot = self.0.take().expect("a sender is used once");
        slot.end(ChannelState::Sent(value)).map_err(|refused| match refused {
            ChannelState::Sent(value) => value,
            ChannelState::Open(_) | ChannelState::Over => {
                unreachable!("what was not taken comes back")
            }
        })
    }

    /// Whether the receiver is gone.
    pub(crate) fn is_closed(&self) -> bool {
        self.0.as_ref().is_none_or(|slot| !matches!(*slot.lock(), ChannelState::Open(_)))
    }
}

impl<T> Drop for Sender<T> {
    fn drop(&mut self) {
        if let Some(slot) = self.0.take() {
            // The receiver may be gone as well.
            let _ = slot.end(ChannelState::Over);
        }
    }
}

/// No value will come: the sender is gone, or the value has been received.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NoValue;

/// Why a thread has waited in vain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum InVain {
    NoValue,
    /// The time is up; the value may come later.
    Timeout,
}

/// Receives the value: a future, or by [`wait`](Self::wait) and
/// [`wait_timeout`](Self::wait_timeout).
pub(crate) struct Receiver<T>(Arc<ChannelSlot<T>>);

impl<T> Receiver<T> {
    /// Takes the value if it is there; if it may still come, has `waker` woken then.
    fn receive(&self, waker: Option<&Waker>) -> Poll<Result<T, NoValue>> {
        // A waker is a user's code.
        let mut new = waker.cloned();
        let mut state = self.0.lock();
        if let ChannelState::Open(waker) = &mut *state {
            if new.is_some() {
                mem::swap(waker, &mut new);
            }
            drop(state);
            return Poll::Pending;
        }
        let last = mem::replace(&mut *state, ChannelState::Over);
        drop(state);
        match last {
            ChannelState::Sent(value) => Poll::Ready(Ok(value)),
            ChannelState::Over => Poll::Ready(Err(NoValue)),
            ChannelState::Open(_) => unreachable!("seen above"),
        }
    }

    /// Blocks the thread until the value comes.
    pub(crate) fn wait(&self) -> Result<T, NoValue> {
        self.block(|parker| {
            parker.park();
            true
        })
        .map_err(|_| NoValue)
    }

    /// Blocks the thread until the value comes, at most for `limit`; then it can be waited for
    /// again.
    pub(crate) fn wait_timeout(&self, limit: Duration) -> Result<T, InVain> {
        // A time that no clock can tell is waited for without limit.
        let deadline = Instant::now().checked_add(limit);
        self.block(|parker| match deadline {
            None => {
                parker.park();
                true
            }
            Some(deadline) => {
                let left = deadline.saturating_duration_since(Instant::now());
                if !left.is_zero() {
                    parker.park_timeout(left);
                }
                !left.is_zero()
            }
        })
    }

    /// `park`: sleeps; `false` if the time was up before.
    fn block(&self, park: impl Fn(&Parker) -> bool) -> Result<T, InVain> {
        let over = |value: Result<T, NoValue>| value.map_err(|NoValue| InVain::NoValue);
        // Often it is there already.
        if let Poll::Ready(value) = self.receive(None) {
            return over(value);
        }
        let thread = Arc::new(BlockedThread::default());
        let waker = Waker::from(thread.clone());
        loop {
            if let Poll::Ready(value) = self.receive(Some(&waker)) {
                return over(value);
            }
            if !park(&thread.0) {
                return Err(InVain::Timeout);
            }
        }
    }
}

impl<T> Future for Receiver<T> {
    type Output = Result<T, NoValue>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        self.receive(Some(cx.waker()))
    }
}

impl<T> Drop for Receiver<T> {
    fn drop(&mut self) {
        let last = mem::replace(&mut *self.0.lock(), ChannelState::Over);
        // Outside of the lock.
        drop(last);
    }
}

#[cfg(all(test, odeon_loom))]
mod loom;

#[cfg(all(test, not(any(odeon_loom, odeon_shuttle))))]
mod tests;
