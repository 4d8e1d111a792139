//! How long the oldest message waits for others, and how that is waited for.

use std::hint;
use std::thread;
use std::time::Duration;

use odeon_core::{Context, extend};

use super::OnDevice;
use crate::device_actor::DeviceActor;

/// TUNE: a thread that sleeps is woken up to so much late (Linux, by default: 50 us and what the
/// switch takes). So long before its time it stays awake.
const TOO_CLOSE: Duration = Duration::from_micros(150);

/// TUNE: what is slept at once: a batch that is full meanwhile, or a stop, waits so long at most.
const LONGEST_SLEEP: Duration = Duration::from_micros(250);

/// TUNE: a stage takes up to 64 messages at once; if it has taken half of that since the last look
/// there are likely more.
const MANY: usize = 32;

/// TUNE: for so long a batch takes what is there already, if its window is shorter. A thousand
/// messages take a tenth of that; guessed 2026-11.
const LONGEST_LOOK: Duration = Duration::from_micros(250);

impl<A: DeviceActor> OnDevice<A> {
    /// The actor has a place: what follows from that.
    pub(super) fn settle_in(&mut self, ctx: &Context<'_, Self>) {
        self.is_direct = !extend::handles_deferred(ctx);
        self.has_thread = extend::has_own_thread(ctx);
        self.clock = Some(extend::clock_here(ctx));
    }

    fn now(&self) -> Duration {
        self.clock.as_ref().expect("known since the start").now()
    }

    /// A message waits for others.
    pub(super) fn open_window(&mut self) {
        if self.first_came.is_none() && !self.plan.batching.window.is_zero() {
            self.first_came = Some(self.now());
        }
    }

    /// The batch begins, or is begun anew.
    pub(super) fn close_window(&mut self) {
        self.first_came = None;
        if let Some(alarm) = self.alarm.take() {
            alarm.cancel();
        }
    }

    /// A batch is over: the next message may come soon.
    pub(super) fn stay_awake(&mut self, now: Duration) {
        if self.has_thread && self.waiting.is_empty() && !self.plan.batching.awake.is_zero() {
            self.awake_until = Some(now.saturating_add(self.plan.batching.awake));
        }
    }

    /// How long the batch waits for more.
    fn left(&self) -> Duration {
        if self.is_due || self.waiting.len() >= self.plan.batching.most {
            return Duration::ZERO;
        }
        let Some(first_came) = self.first_came else { return Duration::ZERO };
        first_came.saturating_add(self.plan.batching.window).saturating_sub(self.now())
    }

    /// All that has come has been put aside. `false`: there is nothing to do.
    pub(super) fn go_on(&mut self, ctx: &mut Context<'_, Self>) -> bool {
        self.is_asked = false;
        let came = std::mem::take(&mut self.came);
        if self.waiting.is_empty() {
            return self.looks_on();
        }
        let left = self.left();
        if left.is_zero() {
            if came < MANY || self.is_due || !self.has_thread || self.has_looked_enough() {
                self.handle_batch(ctx);
            }
            return true;
        }
        if self.has_thread {
            wait_a_little(left);
            return true;
        }
        if self.alarm.is_none() {
            let me = ctx.actor_ref();
            self.alarm = Some(extend::alarm(&me.clone(), left, move || extend::wake(&me)));
        }
        false
    }

    /// Whether messages that come without end are to wait for the next batch: the window is over,
    /// or, if it is shorter than taking what is there takes, the time for that.
    fn has_looked_enough(&mut self) -> bool {
        let now = self.now();
        let since = *self.first_came.get_or_insert(now);
        now.saturating_sub(since) >= self.plan.batching.window.max(LONGEST_LOOK)
    }

    /// Nothing waits: whether the thread looks for the next message, or sleeps.
    fn looks_on(&mut self) -> bool {
        let Some(until) = self.awake_until else { return false };
        if self.now() < until {
            hint::spin_loop();
            return true;
        }
        self.awake_until = None;
        false
    }
}

fn wait_a_little(left: Duration) {
    if left > 2 * TOO_CLOSE {
        thread::sleep((left - TOO_CLOSE).min(LONGEST_SLEEP));
    } else {
        // Who sends may need this core.
        thread::yield_now();
    }
}
