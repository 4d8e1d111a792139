//! S17 of actors with several inboxes: senders hold back, and nobody waits for ever.

use crate::support::account::{divided, lab_by};
use crate::support::{Common, Do, Lab, result};
use odeon_core::{Access, Actor, ActorRef, Context, Message, Theater};
use odeon_speculative::{Processing, SpawnSpeculative};
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::Duration;

/// Sends back to a speculative actor what it is sent, several times.
struct Echo {
    to: Arc<OnceLock<ActorRef<Do>>>,
    heard: Arc<AtomicU64>,
    times: u64,
}

/// So many messages are to come of each.
struct Back(u32);
impl Message for Back {}

impl Actor for Echo {
    type Msg = Back;
    fn handle(&mut self, Back(left): Back, ctx: &mut Context<'_, Self>) {
        self.heard.fetch_add(1, SeqCst);
        for _ in 0..if left > 0 { self.times } else { 0 } {
            let lab = self.to.get().unwrap();
            lab.send(forth(ctx.actor_ref(), left - 1, FORTH)).unwrap();
        }
    }
}

/// How many each message of the speculative actor sends.
const FORTH: u64 = 3;

fn forth(echo: ActorRef<Back>, left: u32, times: u64) -> Do {
    Do::update(move |lab, tx, _| {
        for _ in 0..if left > 0 { times } else { 0 } {
            echo.send(Back(left - 1)).unwrap();
        }
        lab.add(tx, 0, 1)
    })
}

#[test]
fn s17_a_hot_actor_and_one_that_floods_it_back_go_on() {
    const SENDERS: u64 = 4;
    const MESSAGES: u64 = 500;
    for processing in divided() {
        let theater = Theater::builder().workers(2).build().unwrap();
        let to = Arc::new(OnceLock::new());
        let heard = Arc::new(AtomicU64::new(0));
        let echo = theater.spawn(Echo { to: to.clone(), heard: heard.clone(), times: 2 });
        let (lab, _) = lab_by(&theater, &processing);
        to.set(lab.actor_ref()).unwrap();
        thread::scope(|scope| {
            for _ in 0..SENDERS {
                scope.spawn(|| {
                    for _ in 0..MESSAGES {
                        lab.send(forth(echo.clone(), 3, FORTH)).unwrap();
                    }
                });
            }
        });
        // Of each come 3, of these 2 each, and of these 3 each.
        while result(&lab, Do::look(0)).unwrap() < (SENDERS * MESSAGES * 7) as i64
            || heard.load(SeqCst) < SENDERS * MESSAGES * 21
        {
            thread::yield_now();
        }
        let report = theater.shutdown(Duration::from_secs(60));
        assert_eq!((report.stuck, report.dead_letters.total()), (0, 0), "{processing:?}");
    }
}

/// A circle of speculative actors and a plain one, each of which sends on what it is sent.
#[test]
fn s17_circles_of_shards_go_on() {
    const SENDERS: usize = 4;
    const MESSAGES: i64 = 1_200;
    for processing in divided() {
        let theater = Theater::builder().workers(2).build().unwrap();
        let labs = [(); 3].map(|()| lab_by(&theater, &processing).0);
        let refs: [ActorRef<Do>; 3] = [0, 1, 2].map(|n: usize| labs[n].actor_ref());
        thread::scope(|scope| {
            for sender in 0..SENDERS {
                let refs = &refs;
                scope.spawn(move || {
                    for _ in 0..MESSAGES {
                        refs[sender % 3].send(onward(refs.clone(), sender % 3, 5)).unwrap();
                    }
                });
            }
        });
        for lab in &labs {
            while result(lab, Do::look(0)).unwrap() < SENDERS as i64 * MESSAGES * 2 {
                thread::yield_now();
            }
        }
        let report = theater.shutdown(Duration::from_secs(60));
        assert_eq!((report.stuck, report.dead_letters.total()), (0, 0), "{processing:?}");
    }
}

fn onward(labs: [ActorRef<Do>; 3], at: usize, left: u32) -> Do {
    Do::update(move |lab, tx, _| {
        if left > 0 {
            let next = (at + 1) % 3;
            labs[next].send(onward(labs.clone(), next, left - 1)).unwrap();
        }
        lab.add(tx, 0, 1)
    })
}

/// However slow it is, or whatever its messages are.
#[test]
fn s17_each_sender_is_held_back() {
    const SENDERS: usize = 3;
    const MESSAGES: u64 = 5_000;
    const MOST: u64 = 3_000;
    for processing in divided() {
        for is_alone in [false, true] {
            let theater = Theater::builder().workers(2).build().unwrap();
            let common = Arc::new(Common::default());
            let lab = theater.spawn_speculative(Lab::new(&common), processing.clone());
            let slow = |done: Arc<AtomicU64>, number: u64| {
                let is_alone = is_alone && number % 64 == 0;
                let access = if is_alone { Access::Exclusive } else { Access::Update };
                Do::with(access, move |lab, tx, _| {
                    let done = done.clone();
                    tx.on_commit(move || _ = done.fetch_add(1, SeqCst));
                    (0..300).for_each(|_| std::hint::spin_loop());
                    lab.add(tx, 0, 1)
                })
            };
            thread::scope(|scope| {
                let (lab, processing) = (&lab, &processing);
                for _ in 0..SENDERS {
                    scope.spawn(move || {
                        let done = Arc::new(AtomicU64::new(0));
                        for number in 1..=MESSAGES {
                            lab.send(slow(done.clone(), number)).unwrap();
                            let waiting = number - done.load(SeqCst);
                            assert!(waiting < MOST, "{waiting} of one sender, {processing:?}");
                        }
                    });
                }
            });
        }
    }
}

/// Not to be wide is no reason to hold nobody back.
#[test]
fn s17_a_narrowed_actor_lets_its_senders_go_on() {
    let theater = Theater::builder().workers(2).build().unwrap();
    let (lab, _) = lab_by(&theater, &Processing::concurrent().width(4));
    const MESSAGES: i64 = 6_000;
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| (0..MESSAGES).for_each(|_| lab.send(Do::increment(0)).unwrap()));
        }
        for n in 0..40 {
            lab.set_processing(match n % 2 {
                0 => Processing::sequential(),
                _ => Processing::concurrent().width(4),
            });
            thread::sleep(Duration::from_micros(200));
        }
        lab.set_processing(Processing::sequential());
    });
    while result(&lab, Do::look(0)).unwrap() < 4 * MESSAGES {
        thread::yield_now();
    }
}
