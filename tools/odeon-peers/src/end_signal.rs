//! How actors tell the driving thread, which is no part of the runtime, that they are done.

use std::sync::mpsc::{self, Receiver, Sender};

/// Held by actors; each may signal on its own.
#[derive(Debug)]
pub struct EndSignal<T>(Sender<Result<T, String>>);

// WHY: a derived Clone would ask for `T: Clone`.
impl<T> Clone for EndSignal<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T> EndSignal<T> {
    pub fn send(&self, value: T) {
        self.report(Ok(value));
    }

    pub fn fail(&self, text: String) {
        self.report(Err(text));
    }

    /// A driver that has given the sample up no longer listens, and that is no error here.
    fn report(&self, outcome: Result<T, String>) {
        let _ = self.0.send(outcome);
    }
}

/// Held by the driver; blocks its thread.
pub struct Ending<T>(Receiver<Result<T, String>>);

impl<T> Ending<T> {
    pub fn wait(&self) -> Result<T, String> {
        self.0
            .recv()
            .unwrap_or_else(|_| Err("every actor has gone without signalling the end".into()))
    }

    /// Waits for `signals` signals, or for the first failure.
    pub fn wait_for(&self, signals: usize) -> Result<Vec<T>, String> {
        (0..signals).map(|_| self.wait()).collect()
    }
}

pub fn channel<T>() -> (EndSignal<T>, Ending<T>) {
    let (sender, receiver) = mpsc::channel();
    (EndSignal(sender), Ending(receiver))
}
