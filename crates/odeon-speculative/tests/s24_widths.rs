//! S24: the width may change at any time, and nothing is left lying.

use crate::support::{Common, Do, Lab, ask, lab, result, width};
use odeon_core::Theater;
use odeon_speculative::{Access, Ordering, SpawnSpeculative};
use odeon_stm::TVar;
use odeon_testkit::Deterministic;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, LazyLock};
use std::thread;
use std::time::Duration;

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

/// Nothing else comes that would wake anybody.
#[test]
fn s24_a_width_that_is_raised_while_others_run_is_used_at_once() {
    const LONG: Duration = Duration::from_millis(1);
    let theater = Theater::builder().workers(4).build().unwrap();
    // Two senders may share a place for lanes, and a message that shares one with another does not begin.
    let processing = width(2).ordering(Ordering::Unordered);
    let lab = theater.spawn_speculative(Lab::new(&Arc::new(Common::default())), processing);
    // From now on the actor's own turn leaves messages to others.
    for _ in 0..20 {
        let long = Do::update(|_, _, _| {
            thread::sleep(LONG);
            Ok(0)
        });
        result(&lab, long).unwrap();
    }
    let (inside, give_up) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(false)));
    let meet = || {
        let (inside, give_up) = (inside.clone(), give_up.clone());
        let meeting = Do::with(Access::Snapshot, move |_, _, _| {
            inside.fetch_add(1, SeqCst);
            while inside.load(SeqCst) < 3 && !give_up.load(SeqCst) {
                thread::yield_now();
            }
            Ok(1)
        });
        // Of a sender of its own.
        thread::scope(|scope| scope.spawn(|| ask(&lab, meeting)).join().unwrap())
    };
    let mut answers = Vec::new();
    for number in 1..=2 {
        answers.push(meet());
        while inside.load(SeqCst) < number {
            thread::yield_now();
        }
    }
    answers.push(meet());
    thread::sleep(20 * LONG);
    lab.set_processing(width(4));
    let last = answers.pop().unwrap().wait_timeout(Duration::from_secs(20));
    give_up.store(true, SeqCst);
    assert_eq!(last, Ok(1));
}
