//! Futures that wait for what the test says.

use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Context, Poll, Waker};

use odeon_core::Message;

/// Something to wait for: rings once, and stays rung.
#[derive(Debug, Clone, Default)]
pub struct Bell(Arc<Mutex<Rung>>);

#[derive(Debug, Default)]
struct Rung {
    rung: bool,
    wakers: Vec<Waker>,
    polls: u64,
}

impl Bell {
    /// A bell that has not rung.
    pub fn new() -> Self {
        Self::default()
    }

    fn lock(&self) -> MutexGuard<'_, Rung> {
        self.0.lock().expect("no panic happens under the bell's lock")
    }

    /// Completes all that wait, now and later.
    pub fn ring(&self) {
        let wakers = {
            let mut state = self.lock();
            state.rung = true;
            std::mem::take(&mut state.wakers)
        };
        wakers.into_iter().for_each(Waker::wake);
    }

    /// Wakes those that wait although there is no reason to.
    pub fn disturb(&self) {
        let wakers = self.lock().wakers.clone();
        wakers.into_iter().for_each(Waker::wake);
    }

    /// How many wait at this moment, or have given up waiting.
    pub fn waiting(&self) -> usize {
        self.lock().wakers.len()
    }

    /// How often those that wait have looked.
    pub fn polls(&self) -> u64 {
        self.lock().polls
    }

    /// Waits for the bell.
    pub fn rings(&self) -> Rings {
        Rings(self.clone())
    }
}

impl Message for Bell {}

/// Made by [`Bell::rings`].
#[derive(Debug)]
#[must_use = "a future does nothing unless it is polled"]
pub struct Rings(Bell);

impl Future for Rings {
    type Output = ();
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let mut state = self.0.lock();
        state.polls += 1;
        if state.rung {
            return Poll::Ready(());
        }
        if !state.wakers.iter().any(|waker| waker.will_wake(cx.waker())) {
            state.wakers.push(cx.waker().clone());
        }
        Poll::Pending
    }
}

/// A future that is ready at its `times`th look after the first, and wakes itself until then.
pub fn yields(times: u32) -> Yields {
    Yields(times)
}

/// Made by [`yields`].
#[derive(Debug)]
#[must_use = "a future does nothing unless it is polled"]
pub struct Yields(u32);

impl Future for Yields {
    type Output = ();
    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        if self.0 == 0 {
            return Poll::Ready(());
        }
        self.0 -= 1;
        cx.waker().wake_by_ref();
        Poll::Pending
    }
}
