//! What every stage promises, whatever runs it: see
//! [`stage_conformance!`](crate::stage_conformance).
//!
//! | tests of | file |
//! |---|---|
//! | one at a time, order, first turn, children | `stage/order.rs` |
//! | mailboxes and guards | `stage/mailboxes.rs` |
//! | stops, panics, last references, shutdown | `stage/endings.rs` |
//! | asynchronous actors | `stage/waiting.rs` |
//! | all of it at random, with accounts | `population.rs`, `async_population.rs` |
//!
//! A test speaks to actors through [`StageUnderTest`] and waits with
//! [`run_until`](StageUnderTest::run_until), which lets threads work or makes steps.

pub mod async_probe;
pub mod endings;
pub mod mailboxes;
pub mod order;
pub mod probe;
pub mod waiting;

use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use odeon_core::extend::Spawnable;
use odeon_core::{ActorRef, Ask, AskError, StopReport, Supervision, Theater, TheaterBuilder};

/// How long threads may take for what a test waits for; a lost wake-up shows as this running out.
pub(super) const PATIENCE: Duration = Duration::from_secs(60);

/// A theater with a stage of the kind to be tested.
pub trait StageUnderTest: Sized {
    /// How many seeds a test is worth: many if the seed decides everything, few if threads do.
    const SEEDS: u64;

    /// A theater with such a stage.
    fn new(builder: TheaterBuilder, seed: u64) -> Self;

    /// The theater.
    fn theater(&self) -> &Theater;

    /// Creates an actor on the stage.
    fn spawn<Kind, A: Spawnable<Kind>>(&self, actor: A) -> ActorRef<A::Msg>;

    /// Creates a supervised actor on the stage, or on the theater's pool if the stage has none.
    fn spawn_supervised<Kind, A: Spawnable<Kind>>(
        &self,
        supervision: Supervision,
        make: impl FnMut() -> A + Send + 'static,
    ) -> ActorRef<A::Msg> {
        self.theater().actor().supervised(supervision).spawn(make)
    }

    /// Lets the actors work until `done`.
    ///
    /// # Panics
    /// If they cannot or do not get there.
    #[track_caller]
    fn run_until(&self, done: impl FnMut() -> bool);

    /// Lets the actors work for some `amount` of turns, microseconds or the like.
    fn work_a_little(&self, amount: usize);

    /// Lets the actors work until nothing is left to do, as far as the stage can, or `limit` has
    /// passed; then shuts down. Limits of real time are none where time is virtual.
    fn drain_within(self, limit: Duration) -> StopReport;

    /// As [`drain_within`](Self::drain_within), for actors of which none waits for ever.
    fn drain(self) -> StopReport {
        self.drain_within(PATIENCE)
    }

    /// Shuts down, giving messages under way no more time.
    fn shutdown_now(self) -> StopReport;

    /// The answer to a question.
    #[track_caller]
    fn answer<T: Send + 'static>(&self, ask: Ask<T>) -> Result<T, AskError> {
        let mut ask = pin!(ask);
        let mut answer = None;
        self.run_until(|| {
            if let Poll::Ready(ready) = ask.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
                answer = Some(ready);
            }
            answer.is_some()
        });
        answer.expect("`run_until` waits for it")
    }
}

/// Runs `test` for each seed that the stage is worth.
pub(crate) fn for_stages<S: StageUnderTest>(test: impl Fn(S)) {
    crate::for_seeds(S::SEEDS, |seed| test(S::new(Theater::builder().workers(2), seed)));
}

/// Instantiates the suite for one implementation of
/// [`StageUnderTest`](crate::conformance::stage::StageUnderTest), as `#[test]`s in a module of the
/// given name.
#[macro_export]
macro_rules! stage_conformance {
    ($name:ident, $stage:ty) => {
        mod $name {
            #[allow(unused_imports)]
            use super::*;
            $crate::stage_conformance!(@tests $stage: order
                s1_an_actor_handles_one_message_at_a_time
                s1_started_comes_before_the_first_message
                s2_order_holds_per_sender
                s2_messages_to_self_come_behind_what_waits
                s1_a_child_spawned_by_a_handler_works
            );
            $crate::stage_conformance!(@tests $stage: mailboxes
                s3_a_closed_mailbox_waits_in_order
                s3_opened_mailboxes_are_served_by_priority
                s3_a_handler_may_close_the_mailbox_it_was_called_from
            );
            $crate::stage_conformance!(@tests $stage: endings
                s4_a_stopped_actor_gives_messages_back
                s4_what_waits_at_the_stop_is_dead_lettered
                s4_shutdown_returns_what_was_not_handled
                s5_a_panic_ends_one_actor_only
                s5_a_panic_anywhere_is_contained
                s5_what_waits_behind_a_panic_is_dead_lettered_as_failed
                s11_the_last_reference_ends_an_actor_after_its_messages
            );
            $crate::stage_conformance!(@tests $stage: waiting
                s13_the_next_message_waits_for_the_future
                s13_started_may_wait
                s13_a_stop_cancels_the_handler_where_it_waits
                s13_an_actor_that_stops_itself_ends_when_its_handler_returns
                s13_a_panic_in_a_handler_that_waited_ends_one_actor
                s13_wake_ups_without_need_are_harmless
                s13_an_actor_that_nobody_can_reach_completes_its_handlers
                s13_a_future_that_wakes_itself_lets_others_pass
                s13_guards_hold_across_awaits
                s13_handlers_ask_and_await
                s13_a_shutdown_cancels_handlers_that_wait
            );
            #[test]
            fn s4_s13_a_random_async_population_loses_nothing() {
                $crate::conformance::async_population::a_random_async_population_loses_nothing::<$stage>();
            }
            #[test]
            fn s4_s13_a_fragile_async_population_loses_nothing() {
                $crate::conformance::async_population::a_fragile_async_population_loses_nothing::<$stage>();
            }
            #[test]
            fn s4_s5_a_random_population_loses_nothing() {
                $crate::conformance::population::a_random_population_loses_nothing::<$stage>();
            }
            #[test]
            fn s4_s15_a_fragile_population_loses_nothing() {
                $crate::conformance::population::a_fragile_population_loses_nothing::<$stage>();
            }
        }
    };
    (@tests $stage:ty: $file:ident $($test:ident)*) => {
        $(#[test] fn $test() { $crate::conformance::stage::$file::$test::<$stage>(); })*
    };
}
