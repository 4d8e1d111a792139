//! S28: what handlers join to a transaction.

mod support;

use odeon_core::ActorRef;
use odeon_speculative::{Processing, SpawnSpeculative};
use odeon_testkit::Deterministic;
use std::sync::Arc;
use std::time::Duration;
use support::{Common, Do, Lab, ask};

/// Joins `count` messages to `to`.
fn join_many(to: ActorRef<Do>, count: usize) -> Do {
    Do::update(move |lab, tx, ctx| {
        (0..count).for_each(|_| ctx.join(&to, Do::increment(1)));
        lab.add(tx, 0, 1)
    })
}

/// They are of one lane, and come to the board together.
#[test]
fn s28_a_handler_joins_several_messages_to_one_actor() {
    for processing in [
        Processing::sequential(),
        Processing::concurrent().width(3),
        Processing::non_blocking(),
        Processing::combined().width(3),
    ] {
        for count in 1..=12 {
            let run = Deterministic::new(count as u64);
            let lab = || {
                let lab = Lab::new(&Arc::new(Common::default()));
                run.theater().spawn_speculative(lab, processing.clone())
            };
            let (here, there) = (lab(), lab());
            let answer = ask(&here, join_many(there.actor_ref(), count));
            run.run_steps(1_000);
            assert_eq!(answer.wait_timeout(Duration::ZERO), Ok(1), "{count}, {processing:?}");
            let joined = ask(&there, Do::look(1));
            run.run_steps(1_000);
            assert_eq!(joined.wait_timeout(Duration::ZERO), Ok(count as i64));
        }
    }
}
