//! A reply with a deadline: whoever comes first, the answer or the timer, settles it.

use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use odeon_sync::{Mutex, MutexGuard};

use super::{Timer, held};
use crate::messaging::reply::Reply;
use crate::process::theater_shared::TheaterShared;
use crate::vocabulary::error::AskError;

/// Hands a result to `F`, the first one only.
struct Deadline<T, F> {
    open: Mutex<Open<F>>,
    _result: PhantomData<fn(T)>,
}

struct Open<F> {
    answer: Option<F>,
    timer: Option<Timer>,
}

/// A reply to `answer`, which is told [`AskError::Timeout`] if nothing else for so long. If the
/// theater stops before that, it is told [`AskError::NoReply`] instead.
pub(super) fn reply_within<T, F>(
    theater: &Arc<TheaterShared>,
    limit: Duration,
    answer: F,
) -> Reply<T>
where
    T: Send + 'static,
    F: FnOnce(Result<T, AskError>) + Send + 'static,
{
    let open = Open { answer: Some(answer), timer: None };
    let deadline = Arc::new(Deadline { open: Mutex::new(open), _result: PhantomData });
    let (theater, expiry) = (theater.clone(), Expiry(deadline.clone()));
    let timer = held::arm(move || {
        let key = theater.arm(limit, Box::new(move || expiry.0.settle(Err(AskError::Timeout))));
        Timer::once(theater, key)
    });
    deadline.keep(timer);
    Reply::to_function(Box::new(move |answer| deadline.settle(answer)))
}

impl<T, F: FnOnce(Result<T, AskError>)> Deadline<T, F> {
    /// The timer is only of use until the answer comes.
    fn keep(&self, timer: Timer) {
        let mut open = self.lock();
        if open.answer.is_some() {
            open.timer = Some(timer);
        }
    }

    fn settle(&self, result: Result<T, AskError>) {
        let mut open = self.lock();
        let (answer, timer) = (open.answer.take(), open.timer.take());
        drop(open);
        if let Some(timer) = timer {
            timer.cancel();
        }
        if let Some(answer) = answer {
            answer(result);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Open<F>> {
        self.open.lock().expect("nothing panics under a deadline's lock")
    }
}

/// The timer's side; dropped with its theater, nobody is left to keep the time.
struct Expiry<T, F: FnOnce(Result<T, AskError>)>(Arc<Deadline<T, F>>);

impl<T, F: FnOnce(Result<T, AskError>)> Drop for Expiry<T, F> {
    fn drop(&mut self) {
        self.0.settle(Err(AskError::NoReply));
    }
}
