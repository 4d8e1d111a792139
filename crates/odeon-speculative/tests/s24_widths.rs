//! S24: the width may change at any time, and nothing is left lying.

mod support;

use odeon_stm::TVar;
use odeon_testkit::Deterministic;
use std::sync::LazyLock;
use std::time::Duration;
use support::{Do, ask, lab, width};

/// The last message had been brought to the board when one at a time was enough, and the actor's own turn leaves messages to others
/// that may be long.
#[test]
fn s24_a_width_that_is_raised_while_a_message_waits_leaves_it_to_somebody() {
    static OPEN: LazyLock<TVar<i64>> = LazyLock::new(|| TVar::new(0));
    let run = Deterministic::new(1);
    let (lab, _) = lab(run.theater(), 1);
    let waiting = Do::update(|_, tx, _| match OPEN.get(tx)? {
        0 => Ok(tx.retry()?),
        n => Ok(n),
    });
    let answer = ask(&lab, waiting);
    run.run_until_idle();
    lab.set_processing(width(3));
    odeon_stm::atomically(|tx| OPEN.set(tx, 7));
    run.run_until_idle();
    assert_eq!(answer.wait_timeout(Duration::ZERO), Ok(7));
}
