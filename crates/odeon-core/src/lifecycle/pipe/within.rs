//! A future with a deadline.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use crate::lifecycle::timer::Timer;
use crate::process::theater_shared::TheaterShared;
use crate::vocabulary::error::Elapsed;
use crate::vocabulary::oneshot;

/// Cancels its timer when it is dropped.
struct Alarm(Option<Timer>);

impl Drop for Alarm {
    fn drop(&mut self) {
        self.0.take().map(Timer::cancel);
    }
}

/// Completes as `future` does, or with [`Elapsed`] once `limit` has passed from this call on.
pub(super) fn within<F>(
    theater: &Arc<TheaterShared>,
    limit: Duration,
    future: F,
) -> impl Future<Output = Result<F::Output, Elapsed>> + Send + 'static + use<F>
where
    F: Future + Send + 'static,
{
    let (ring, mut rings) = oneshot::channel();
    let alarm = Timer::alarm(theater, limit, move || {
        // Whoever waited may be gone.
        let _ = ring.send(());
    });
    let alarm = Alarm(Some(alarm));
    async move {
        let _alarm = alarm;
        let mut future = pin!(future);
        poll_fn(|cx| {
            if let Poll::Ready(output) = future.as_mut().poll(cx) {
                return Poll::Ready(Ok(output));
            }
            // An error is how a timer of a theater that stops comes.
            Pin::new(&mut rings).poll(cx).map(|_| Err(Elapsed))
        })
        .await
    }
}
