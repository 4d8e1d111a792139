//! S28: who names a plain actor as a participant is told which one that is, and what to do.

use crate::support::{Common, Do, Lab, ask, explode};
use odeon_core::{Actor, Context};
use odeon_speculative::{Coordinate, CoordinationError, Processing, SpawnSpeculative};
use odeon_testkit::{Deterministic, DropTracker};
use std::sync::Arc;
use std::time::Duration;

struct Plain;

impl Actor for Plain {
    type Msg = Do;

    fn handle(&mut self, _: Do, _: &mut Context<'_, Self>) {
        panic!("nothing is sent to it");
    }
}

#[test]
fn s28_a_plan_with_a_plain_actor_fails_and_says_which_one_it_is() {
    let run = Deterministic::new(1);
    let (theater, drops) = (run.theater(), DropTracker::new());
    let lab =
        theater.spawn_speculative(Lab::new(&Arc::new(Common::default())), Processing::default());
    let plain = theater.spawn(Plain);
    for stopped in [false, true] {
        if stopped {
            plain.stop();
            run.run_until_idle();
        }
        let outcome = theater.coordinate(|co| {
            for to in [&lab.actor_ref(), &plain, &lab.actor_ref(), &plain] {
                let held = drops.track(());
                co.send(to, Do::update(move |_, _, _| drop_held(&held)));
            }
        });
        run.run_until_idle();
        let error = outcome.wait_timeout(Duration::ZERO).expect("it is decided").unwrap_err();
        let participant = plain.id();
        assert_eq!(error, CoordinationError::NotSpeculative { participant });
        let text = error.to_string();
        assert!(text.contains(&participant.to_string()), "{text}");
        assert!(text.contains("`spawn_speculative`"), "{text}");
        assert_eq!(drops.alive(), 0);
    }
    let answer = ask(&lab, Do::increment(0));
    run.run_until_idle();
    assert_eq!(answer.wait_timeout(Duration::ZERO), Ok(1), "it goes on, and has handled nothing");
}

fn drop_held<T>(_: &T) -> odeon_speculative::TxResult<i64> {
    explode()
}

#[test]
fn s28_a_handler_that_joins_a_plain_actor_is_told_what_to_do() {
    let run = Deterministic::new(2);
    let theater = run.theater();
    let common = Arc::new(Common::default());
    let [lab, other] =
        [0, 1].map(|_| theater.spawn_speculative(Lab::new(&common), Processing::default()));
    let plain = theater.spawn(Plain);
    let to = plain.clone();
    let outcome = theater.coordinate(|co| {
        co.send(&lab, Do::increment(0));
        co.send(
            &other,
            Do::update(move |_, _, ctx| {
                ctx.join(&to, Do::increment(0));
                Ok(0)
            }),
        );
    });
    run.run_until_idle();
    let Some(Err(CoordinationError::Failed { why, .. })) = outcome.wait_timeout(Duration::ZERO)
    else {
        panic!("a plain actor cannot join");
    };
    for part in [&plain.id().to_string(), "`spawn_speculative`", "goes out with its commit"] {
        assert!(why.contains(part), "{why}");
    }
}
