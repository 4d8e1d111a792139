//! Letting virtual time pass.

use std::time::Duration;

use odeon_core::Clock;

use super::{Deterministic, ENDLESS_STEPS};
use crate::VirtualClock;

impl Deterministic {
    /// Lets `time` pass: runs until idle, moves the clock to the next timer, and so on, to the end
    /// of `time`. Returns how many steps that took.
    ///
    /// ```
    /// # use odeon_core::*;
    /// # use odeon_testkit::Deterministic;
    /// # use std::time::Duration;
    /// # struct Counter(u32);
    /// # enum Count { Up, Read(Reply<u32>) }
    /// # impl Message for Count {}
    /// # impl Actor for Counter {
    /// #     type Msg = Count;
    /// #     fn handle(&mut self, msg: Count, _: &mut Context<'_, Self>) {
    /// #         match msg { Count::Up => self.0 += 1, Count::Read(reply) => reply.send(self.0) }
    /// #     }
    /// # }
    /// let run = Deterministic::new(42);
    /// let counter = run.theater().spawn(Counter(0));
    /// counter.send_every(Duration::from_secs(60), || Count::Up);
    /// run.advance(Duration::from_secs(3600));
    /// let count = counter.ask(Count::Read);
    /// run.run_until_idle();
    /// assert_eq!(count.wait(), Ok(60));
    /// ```
    ///
    /// # Panics
    /// As [`run_until_idle`](Self::run_until_idle), at each stop.
    #[track_caller]
    pub fn advance(&self, time: Duration) -> usize {
        let end = self.clock.now().saturating_add(time);
        let steps = self.run_timers_until(end);
        self.clock.set(end);
        steps + self.run_until_idle()
    }

    /// Runs until nothing is left to do and no timer is pending, at most for `limit` of virtual
    /// time: timers that are due later stay pending. Moves the clock no further than to the last
    /// timer that fired. Returns how many steps that took.
    ///
    /// # Panics
    /// As [`run_until_idle`](Self::run_until_idle), at each stop.
    #[track_caller]
    pub fn run_through_timers(&self, limit: Duration) -> usize {
        self.run_timers_until(self.end_of(limit))
    }

    /// Makes steps until `done`, and lets time pass where nothing else is left to do, at most
    /// `limit` of virtual time. Whether it was `done`; if not, the theater is idle and `limit` has
    /// passed.
    ///
    /// ```
    /// # use odeon_core::*;
    /// # use odeon_testkit::Deterministic;
    /// # use std::time::Duration;
    /// # struct Quiet;
    /// # impl Actor for Quiet { type Msg = (); fn handle(&mut self, _: (), ctx: &mut Context<'_, Self>) { ctx.stop() } }
    /// let run = Deterministic::new(42);
    /// let actor = run.theater().spawn(Quiet);
    /// actor.send_after(Duration::from_secs(5), ());
    /// assert!(!run.run_until(Duration::from_secs(4), || actor.is_stopped()));
    /// assert!(run.run_until(Duration::from_secs(4), || actor.is_stopped()));
    /// assert_eq!(run.clock().now(), Duration::from_secs(5));
    /// ```
    ///
    /// # Panics
    /// If that takes more than twenty million steps.
    #[track_caller]
    pub fn run_until(&self, limit: Duration, mut done: impl FnMut() -> bool) -> bool {
        let end = self.end_of(limit);
        let mut steps = 0;
        while !done() {
            if self.run_steps(1) == 1 {
                steps += 1;
                assert!(steps < ENDLESS_STEPS, "seed {}: busy after {steps} steps", self.seed);
                continue;
            }
            if self.clock.now() == end {
                return false;
            }
            let next = self.stage.theater.next_deadline().map_or(end, |next| next.min(end));
            self.clock.set(next);
        }
        true
    }

    /// When `limit` has passed; the end of the clock if that would be later.
    fn end_of(&self, limit: Duration) -> Duration {
        self.clock.now().saturating_add(limit).min(VirtualClock::END)
    }

    #[track_caller]
    fn run_timers_until(&self, end: Duration) -> usize {
        let mut steps = self.run_until_idle();
        while let Some(next) = self.stage.theater.next_deadline().filter(|next| *next <= end) {
            self.clock.set(next);
            steps += self.run_until_idle();
        }
        steps
    }
}
