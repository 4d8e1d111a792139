//! A timer that sends over and over.

use std::sync::Arc;
use std::time::Duration;

use super::{Cancel, Timer};
use crate::messaging::actor_ref::WeakRef;
use crate::process::theater_shared::TheaterShared;
use crate::scheduler::timers::repeat::Repeat;
use crate::vocabulary::message::Message;

struct Periodic<M: Message, F> {
    theater: Arc<TheaterShared>,
    to: WeakRef<M>,
    period: Duration,
    repeat: Repeat<F>,
}

/// Starts a periodic timer; its first message comes after one period.
pub(super) fn start<M, F>(
    theater: Arc<TheaterShared>,
    to: WeakRef<M>,
    period: Duration,
    make_message: F,
) -> Timer
where
    M: Message,
    F: FnMut() -> M + Send + 'static,
{
    let first = theater.now().saturating_add(period);
    let timer = Arc::new(Periodic { theater, to, period, repeat: Repeat::new() });
    timer.arm(make_message, first);
    Timer::shared(timer)
}

impl<M, F> Periodic<M, F>
where
    M: Message,
    F: FnMut() -> M + Send + 'static,
{
    fn arm(self: &Arc<Self>, make_message: F, due: Duration) {
        let timer = self.clone();
        let cancelled = self
            .repeat
            .go_on(make_message, || self.theater.arm_at(due, Box::new(move || timer.fire(due))));
        drop(cancelled);
    }

    /// A panic of `make_message` passes through here, and the timer is over.
    fn fire(self: Arc<Self>, due: Duration) {
        let Some(mut make_message) = self.repeat.begin() else { return };
        let sent = self.to.upgrade().is_some_and(|to| to.send_unhindered(make_message()).is_ok());
        if sent {
            self.arm(make_message, next_after(due, self.period, self.theater.now()));
        } else {
            self.repeat.end();
        }
    }
}

impl<M, F> Cancel for Periodic<M, F>
where
    M: Message,
    F: FnMut() -> M + Send + 'static,
{
    fn cancel(&self) -> bool {
        let Some((make_message, key)) = self.repeat.end() else { return false };
        self.theater.disarm(key);
        drop(make_message);
        true
    }
}

/// The first time after `now` that is a whole number of periods after `due`, but not `due` itself.
fn next_after(due: Duration, period: Duration, now: Duration) -> Duration {
    let late = now.saturating_sub(due);
    if late < period {
        return due.saturating_add(period);
    }
    let into_period = late.as_nanos() % period.as_nanos();
    let into_period = Duration::from_nanos(u64::try_from(into_period).unwrap_or(u64::MAX));
    now.saturating_sub(into_period).saturating_add(period)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_late_timer_skips_and_keeps_its_beat() {
        let ms = Duration::from_millis;
        assert_eq!(next_after(ms(10), ms(10), ms(10)), ms(20));
        assert_eq!(next_after(ms(10), ms(10), ms(19)), ms(20));
        assert_eq!(next_after(ms(10), ms(10), ms(20)), ms(30));
        assert_eq!(next_after(ms(10), ms(10), ms(57)), ms(60));
        assert_eq!(next_after(ms(7), ms(10), ms(100)), ms(107));
        assert_eq!(next_after(ms(7), Duration::MAX, ms(100)), Duration::MAX);
    }
}
