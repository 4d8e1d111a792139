//! S14 and S7 of actors with several inboxes: an end is told whatever state the actor is in, and
//! what is brought or sent at once is not left.

use crate::support::account::{divided, lab_by, supervised_lab_by};
use crate::support::{Do, Lab, ask, result};
use odeon_core::extend::as_numbered_sender;
use odeon_core::{Supervision, Theater};
use odeon_speculative::{Processing, SpawnSpeculative};
use odeon_testkit::silent_panic;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Barrier};
use std::thread;
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(60);

fn fails() -> Do {
    Do::update(|_, _, _| silent_panic("as it was told"))
}

/// Without a state for as long as the pause takes, and then for good.
#[test]
fn s14_s15_one_that_is_stopped_in_the_pause_of_a_restart_tells_of_its_end() {
    for processing in divided() {
        let theater = Theater::builder().workers(2).build().unwrap();
        let pause = Duration::from_millis(20);
        let supervision = Supervision::new().pauses(pause, pause);
        let (lab, common) = supervised_lab_by(&theater, &processing, supervision);
        (0..6).for_each(|sender| as_numbered_sender(sender, || lab.send(fails()).unwrap()));
        while common.drops.load(SeqCst) == 0 {
            thread::yield_now();
        }
        let asked: Vec<_> =
            (0..6).map(|of| as_numbered_sender(of, || ask(&lab, Do::look(0)))).collect();
        let mut ended = lab.ended();
        lab.stop();
        assert!(ended.wait_timeout(PATIENCE).is_ok(), "{processing:?}");
        asked.into_iter().for_each(|asked| _ = asked.wait());
        assert!(theater.shutdown(PATIENCE).drained);
    }
}

#[test]
fn s14_s15_one_that_cannot_be_made_anew_tells_of_its_end() {
    for processing in divided() {
        let theater = Theater::builder().workers(2).build().unwrap();
        let supervision =
            Supervision::new().restarts(1, Duration::MAX).pauses(Duration::ZERO, Duration::ZERO);
        let (common, lives) = (Arc::default(), AtomicU64::new(0));
        let make = move || match lives.fetch_add(1, SeqCst) {
            0 => Lab::new(&common),
            _ => silent_panic("it cannot be made"),
        };
        let lab = theater.spawn_speculative_supervised(supervision, processing.clone(), make);
        let mut ended = lab.ended();
        let asked: Vec<_> = (0..6)
            .map(|of| {
                as_numbered_sender(of, || {
                    _ = lab.send(fails());
                    ask(&lab, Do::look(0))
                })
            })
            .collect();
        assert!(ended.wait_timeout(PATIENCE).is_ok(), "{processing:?}");
        asked.into_iter().for_each(|asked| _ = asked.wait());
        assert!(theater.shutdown(PATIENCE).drained);
    }
}

/// A shard that goes idle after each message does not leave what it has brought to the board.
#[test]
fn s7_turns_of_one_message_leave_nothing() {
    for processing in divided().into_iter().chain([Processing::adaptive().width(2)]) {
        for messages in [1, 15, 16, 17, 32, 100] {
            let theater = Theater::builder().workers(2).turn_messages(1).build().unwrap();
            let (lab, _) = lab_by(&theater, &processing);
            let asked: Vec<_> = as_numbered_sender(1, || {
                (0..messages).map(|_| ask(&lab, Do::increment(0))).collect()
            });
            for (n, asked) in (1..).zip(asked) {
                assert_eq!(asked.wait_timeout(PATIENCE), Ok(n), "of {messages}, {processing:?}");
            }
        }
    }
}

/// Both make the shard, while all places are taken.
#[test]
fn s7_two_threads_may_send_the_first_message_of_a_lane_at_once() {
    const ROUNDS: u64 = 100;
    for processing in [Processing::concurrent().width(2), Processing::concurrent().width(3)] {
        let theater = Theater::builder().workers(4).build().unwrap();
        let (lab, _) = lab_by(&theater, &processing);
        // They are known to be short.
        as_numbered_sender(0, || {
            (0..2_000).for_each(|_| lab.send(Do::increment(0)).unwrap());
            result(&lab, Do::look(0)).unwrap();
        });
        for round in 1..=ROUNDS {
            let gate = Arc::<AtomicBool>::default();
            let holds = |of: u64| {
                let gate = gate.clone();
                let wait = move |_: &Lab| {
                    while !gate.load(SeqCst) {
                        thread::yield_now();
                    }
                };
                let held = Do::update(move |lab, _, _| {
                    wait(lab);
                    Ok(0)
                });
                as_numbered_sender(1_000 + of, || ask(&lab, held))
            };
            let held = [holds(1), holds(2), holds(3)];
            let barrier = Barrier::new(2);
            let asked = thread::scope(|scope| {
                let senders = [0, 1].map(|_| {
                    scope.spawn(|| {
                        barrier.wait();
                        as_numbered_sender(10_000 + round, || ask(&lab, Do::increment(1)))
                    })
                });
                senders.map(|sender| sender.join().unwrap())
            });
            gate.store(true, SeqCst);
            for asked in held.into_iter().chain(asked) {
                assert!(asked.wait_timeout(PATIENCE).is_ok(), "round {round}, {processing:?}");
            }
        }
        assert_eq!(result(&lab, Do::look(1)), Ok(2 * ROUNDS as i64));
    }
}
