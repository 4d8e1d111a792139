//! S26 and failures: whatever panics, and wherever, each message is handled, fails or is a dead
//! letter, and the actor goes on.

use crate::support::{self, Do, Log, Note, ask, lab, result, supervised_lab, width};
use odeon_core::{Directive, Reply, Supervision, Theater};
use odeon_speculative::{SpeculativeRef, fail};
use odeon_testkit::silent_panic;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

const WIDTHS: [usize; 3] = [1, 2, 4];

fn theater() -> Theater {
    Theater::builder().workers(2).build().unwrap()
}

/// All that was sent is accounted for when the theater has ended.
#[track_caller]
fn check_sum(theater: Theater, lab: &SpeculativeRef<Do>, sent: u64) {
    let report = theater.shutdown(Duration::from_secs(60));
    let stats = lab.speculation();
    assert_eq!(
        (sent, report.stuck),
        (stats.commits + stats.failures + report.dead_letters.total(), 0),
        "{stats:?} {:?}",
        report.dead_letters
    );
}

/// Sends `each` among messages that add one to variable 0, from this thread and from others;
/// expects `handled` of each three, and that this was the only effect.
fn amid_others(each: impl Fn(u64) -> Do + Sync, handled: i64) {
    for width in WIDTHS {
        let theater = theater();
        let (lab, _) = lab(&theater, width);
        thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    for n in 0..100 {
                        lab.send(Do::increment(0)).unwrap();
                        lab.send(each(n)).unwrap();
                        lab.send(Do::increment(0)).unwrap();
                    }
                    result(&lab, Do::increment(7)).unwrap();
                });
            }
        });
        assert_eq!(result(&lab, Do::look(0)), Ok(3 * 100 * handled), "width {width}");
        check_sum(theater, &lab, 904);
    }
}

/// Panics when it is dropped.
struct Bomb;
impl Drop for Bomb {
    fn drop(&mut self) {
        if !thread::panicking() {
            silent_panic("a destructor");
        }
    }
}

#[test]
fn s26_a_handler_that_panics_before_or_after_a_write_leaves_nothing() {
    amid_others(|_| Do::update(|_, _, _| silent_panic("before")), 2);
    let after = |_| {
        Do::update(|lab, tx, _| {
            lab.add(tx, 0, 1)?;
            silent_panic("after")
        })
    };
    amid_others(after, 2);
    let gives_up = |_| {
        Do::update(|lab, tx, _| {
            lab.add(tx, 0, 1)?;
            fail("given up")
        })
    };
    amid_others(gives_up, 2);
}

#[test]
fn s26_a_message_whose_destructor_panics_is_handled_and_fails() {
    let bomb = |_| {
        let bomb = Mutex::new(Bomb);
        Do::update(move |lab, tx, _| {
            let _bomb = &bomb;
            lab.add(tx, 0, 1)
        })
    };
    amid_others(bomb, 3);
}

#[test]
fn s26_an_effect_whose_destructor_panics_is_dropped_with_the_others() {
    for width in WIDTHS {
        let theater = theater();
        let (lab, _) = lab(&theater, width);
        let (other, log) = (theater.spawn(Log::new()), lab.actor_ref());
        for _ in 0..100 {
            let other = other.clone();
            lab.send(Do::update(move |lab, tx, _| {
                other.send(Note::Of(Arc::new(Bomb))).unwrap();
                other.send(Note::Of(Arc::new(Bomb))).unwrap();
                lab.add(tx, 0, 1)?;
                fail("given up")
            }))
            .unwrap();
        }
        assert_eq!(result(&log, Do::increment(0)), Ok(1));
        assert_eq!(other.ask(Note::Count).wait(), Ok(0));
        check_sum(theater, &lab, 101);
    }
}

#[test]
fn s26_hooks_of_the_transaction_may_panic() {
    let on_commit = |_| {
        Do::update(|lab, tx, _| {
            tx.on_commit(|| silent_panic("on commit"));
            lab.add(tx, 0, 1)
        })
    };
    amid_others(on_commit, 3);
    let on_rollback = |n| {
        Do::update(move |lab, tx, _| {
            tx.on_rollback(|| silent_panic("on rollback"));
            lab.add(tx, 0, 1)?;
            if n % 2 == 0 { fail("given up") } else { silent_panic("as well") }
        })
    };
    amid_others(on_rollback, 2);
}

#[test]
fn s26_an_error_whose_text_panics_is_a_failure() {
    #[derive(Debug)]
    struct Unspeakable;
    impl std::fmt::Display for Unspeakable {
        fn fmt(&self, _: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            silent_panic("the text")
        }
    }
    impl std::error::Error for Unspeakable {}
    amid_others(
        |_| {
            Do::update(|lab, tx, _| {
                lab.add(tx, 0, 1)?;
                fail(Unspeakable)
            })
        },
        2,
    );
}

#[test]
fn s26_an_effect_that_panics_does_not_keep_others_from_happening() {
    for width in WIDTHS {
        let theater = theater();
        let (lab, _) = lab(&theater, width);
        let other = theater.spawn(Log::<i64>::new());
        for _ in 0..50 {
            let other = other.clone();
            lab.send(Do::update(move |lab, tx, ctx| {
                other.send(Note::Of(1)).unwrap();
                let question = |_: Reply<i64>| -> Note<i64> { silent_panic("in the question") };
                ctx.ask(&other, question, |_| Do::increment(1));
                other.send(Note::Of(2)).unwrap();
                lab.add(tx, 0, 1)
            }))
            .unwrap();
        }
        assert_eq!(result(&lab, Do::increment(0)), Ok(51));
        assert_eq!(other.ask(Note::Count).wait(), Ok(100), "width {width}");
        // The replies that the questions dropped are answers.
        while result(&lab, Do::look(1)).unwrap() < 50 {
            thread::yield_now();
        }
        assert_eq!(lab.speculation().failures, 50);
    }
}

fn without_pauses() -> Supervision {
    Supervision::new()
        .restarts(1_000_000, Duration::from_secs(1))
        .pauses(Duration::ZERO, Duration::ZERO)
}

/// What a sender sends behind a message that fails meets the state that is made anew.
#[test]
fn s26_restarts_lose_no_message_and_keep_the_order() {
    for width in WIDTHS {
        let theater = theater();
        let (lab, common) = supervised_lab(&theater, width, without_pauses());
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..200 {
                        let failed_in = Arc::new(AtomicU64::new(0));
                        let life = failed_in.clone();
                        lab.send(Do::update(move |lab, _, _| {
                            life.store(lab.life, SeqCst);
                            silent_panic("to be made anew")
                        }))
                        .unwrap();
                        lab.send(Do::increment(1)).unwrap();
                        let next = Do::update(|lab, _, _| Ok(lab.life as i64));
                        let next = result(&lab, next).unwrap() as u64;
                        assert!(next > failed_in.load(SeqCst), "width {width}");
                    }
                });
            }
        });
        assert_eq!((lab.speculation().failures, common.lives.load(SeqCst)), (800, 801));
        check_sum(theater, &lab, 2400);
        assert_eq!(common.drops.load(SeqCst), 801);
    }
}

/// Sends a message that fails once all the others wait, and answers how it ends.
fn fails_before(lab: &SpeculativeRef<Do>, others: u64) {
    let gate = Arc::new(AtomicBool::new(false));
    let opened = gate.clone();
    lab.send(Do::update(move |_, _, _| {
        while !opened.load(SeqCst) {
            thread::yield_now();
        }
        silent_panic("the end")
    }))
    .unwrap();
    (0..others).for_each(|_| lab.send(Do::increment(0)).unwrap());
    let asked = ask(lab, Do::look(0));
    gate.store(true, SeqCst);
    lab.ended().wait();
    assert!(asked.wait().is_err());
}

#[test]
fn s26_failures_that_end_the_actor_account_for_all() {
    for each in WIDTHS {
        for directive in [Directive::Stop, Directive::Escalate] {
            let theater = theater();
            let (lab, common) =
                supervised_lab(&theater, each, Supervision::new().always(directive));
            fails_before(&lab, 500);
            assert_eq!(common.stops.load(SeqCst), 0, "`stopped` is not called after a failure");
            assert_eq!(common.drops.load(SeqCst), 1);
            check_sum(theater, &lab, 502);
        }
    }
}

/// The actor ends while it has no state.
#[test]
fn s26_an_actor_that_cannot_be_made_anew_accounts_for_all() {
    use odeon_speculative::SpawnSpeculative;
    for each in WIDTHS {
        let (theater, made) = (theater(), AtomicU64::new(0));
        let common = Arc::new(support::Common::default());
        let make = move || match made.fetch_add(1, SeqCst) {
            0 => support::Lab::new(&common),
            _ => silent_panic("cannot be made"),
        };
        let lab = theater.spawn_speculative_supervised(Supervision::new(), width(each), make);
        fails_before(&lab, 500);
        check_sum(theater, &lab, 502);
    }
}

#[test]
fn s26_a_shutdown_during_a_pause_accounts_for_all() {
    let hour = Duration::from_secs(3600);
    for each in WIDTHS {
        let theater = theater();
        let (lab, _) = supervised_lab(&theater, each, Supervision::new().pauses(hour, hour));
        for _ in 0..2 {
            lab.send(Do::update(|_, _, _| silent_panic("to be made anew"))).unwrap();
        }
        while lab.speculation().failures < 2 {
            thread::yield_now();
        }
        // Some stay in the inbox, others may have been on the board.
        (0..500).for_each(|_| lab.send(Do::increment(0)).unwrap());
        let report = theater.shutdown(Duration::ZERO);
        let stats = lab.speculation();
        assert_eq!(stats.commits + 2 + report.dead_letters.total(), 502, "width {each}");
    }
}
