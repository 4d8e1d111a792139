//! A question that has not been sent, because it has to wait for room: until somebody waits for the
//! answer.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use odeon_sync::Parker;

use crate::vocabulary::blocked_thread::BlockedThread;
use crate::vocabulary::error::{AskError, SendError};

type Sending = Pin<Box<dyn Future<Output = Result<(), AskError>> + Send>>;

/// See the module. Dropped, it has not been sent.
///
/// WHY the lock, which is never taken: a question may be looked at from several threads, a future
/// that sends it not.
pub(crate) struct KeptQuestion(Box<Mutex<Sending>>);

impl KeptQuestion {
    /// A question that `sending` sends when its time has come.
    #[cold]
    pub(crate) fn new<M>(
        sending: impl Future<Output = Result<(), SendError<M>>> + Send + 'static,
    ) -> Self {
        let sending = async { sending.await.map_err(AskError::from) };
        Self(Box::new(Mutex::new(Box::pin(sending))))
    }

    /// Sends it as soon as there is room.
    pub(crate) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), AskError>> {
        self.0.get_mut().expect("the lock is never taken").as_mut().poll(cx)
    }

    /// Blocks the thread until it has been sent.
    pub(crate) fn wait(mut self) -> Result<(), AskError> {
        self.block(|parker| {
            parker.park();
            true
        })
    }

    /// Blocks the thread until it has been sent, at most for `limit`, of which the rest comes back.
    /// If that is not enough it is not sent.
    pub(crate) fn wait_timeout(mut self, limit: Duration) -> Result<Duration, AskError> {
        // A time that no clock can tell is waited for without limit.
        let Some(deadline) = Instant::now().checked_add(limit) else {
            return self.wait().map(|()| limit);
        };
        let left = || deadline.saturating_duration_since(Instant::now());
        self.block(|parker| {
            let left = left();
            if !left.is_zero() {
                parker.park_timeout(left);
            }
            !left.is_zero()
        })?;
        Ok(left())
    }

    /// `park`: sleeps; `false` if the time was up before.
    fn block(&mut self, park: impl Fn(&Parker) -> bool) -> Result<(), AskError> {
        let thread = Arc::new(BlockedThread::default());
        let waker = Waker::from(thread.clone());
        loop {
            if let Poll::Ready(sent) = self.poll(&mut Context::from_waker(&waker)) {
                return sent;
            }
            if !park(&thread.0) {
                return Err(AskError::Timeout);
            }
        }
    }
}
