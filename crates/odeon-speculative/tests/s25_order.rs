//! S25: messages of one sender are handled in the order in which they were sent, whoever sends and
//! however they are processed.

use crate::support::{self, Common, Do, Lab, lab, result, width};
use odeon_core::{Actor, ActorRef, Context, Message, Theater};
use odeon_speculative::{Access, Processing, SpawnSpeculative, SpeculativeRef};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::thread;
use std::time::Duration;

const MESSAGES: i64 = 1_000;

/// The `n`th message of a sender: it has committed nothing else than the number before, also in an
/// attempt that reads more.
fn nth(sender: usize, n: i64) -> Do {
    let access = match n % 11 {
        10 => Access::Exclusive,
        _ => Access::Update,
    };
    Do::with(access, move |lab, tx, _| {
        let before = lab.vars[sender].get(tx)?;
        // All senders meet here now and then.
        if n % 5 == 0 {
            lab.add(tx, 7, 1)?;
        }
        assert_eq!(before, n, "sender {sender}");
        Ok(lab.vars[sender].set(tx, n + 1).map(|()| n)?)
    })
}

struct Numbers(u64);
impl Message for Numbers {}

/// Sends the messages of one sender, some at each turn.
struct Sender {
    lab: ActorRef<Do>,
    sender: usize,
    next: i64,
}

impl Actor for Sender {
    type Msg = Numbers;
    fn handle(&mut self, Numbers(count): Numbers, ctx: &mut Context<'_, Self>) {
        for _ in 0..count.min((MESSAGES - self.next) as u64) {
            self.lab.send(nth(self.sender, self.next)).unwrap();
            self.next += 1;
        }
        if self.next < MESSAGES {
            ctx.send_self(Numbers(1 + count % 9));
        }
    }
}

/// Passes on what it is sent.
struct Forwarder(ActorRef<Do>);

impl Actor for Forwarder {
    type Msg = Do;
    fn handle(&mut self, message: Do, _: &mut Context<'_, Self>) {
        self.0.send(message).unwrap();
    }
}

fn all_senders(processing: Processing, changes: bool) {
    let theater = Theater::builder().workers(2).build().unwrap();
    let stage = theater.pinned("stage").unwrap();
    let common = Arc::new(Common::default());
    let lab: SpeculativeRef<Do> = theater.spawn_speculative(Lab::new(&common), processing);
    let sender = |sender| Sender { lab: lab.actor_ref(), sender, next: 0 };
    let senders = [
        theater.spawn(sender(0)),
        theater.actor().on(&stage).spawn(sender(1)),
        theater.actor().dedicated("own").spawn(sender(2)).unwrap(),
    ];
    senders.iter().for_each(|sender| sender.send(Numbers(1)).unwrap());
    let forwarder = theater.spawn(Forwarder(lab.actor_ref()));
    // A speculative actor that passes on, at a width of its own.
    let (between, _) = support::lab(&theater, 3);
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| (0..MESSAGES).for_each(|n| lab.send(nth(3, n)).unwrap()));
        scope.spawn(|| (0..MESSAGES).for_each(|n| forwarder.send(nth(4, n)).unwrap()));
        scope.spawn(|| {
            for n in 0..MESSAGES {
                let to = lab.actor_ref();
                between
                    .send(Do::update(move |_, _, _| {
                        to.send(nth(5, n)).unwrap();
                        Ok(0)
                    }))
                    .unwrap();
            }
        });
        scope.spawn(|| {
            for n in 0..usize::MAX {
                if !changes || is_over.load(SeqCst) {
                    break;
                }
                lab.set_processing(if n % 5 == 4 {
                    Processing::adaptive()
                } else {
                    width(1 + n % 4)
                });
                thread::yield_now();
            }
        });
        for sender in 0..6 {
            while result(&lab, Do::look(sender)).unwrap() < MESSAGES {
                assert_eq!(lab.speculation().failures, 0, "a message overtook another one");
                thread::yield_now();
            }
        }
        is_over.store(true, SeqCst);
    });
    assert_eq!(lab.speculation().failures, 0);
}

#[test]
fn s25_order_holds_in_every_width() {
    for each in [1, 2, 4, 7] {
        all_senders(width(each), false);
    }
    all_senders(Processing::adaptive(), false);
}

#[test]
fn s25_order_holds_while_the_width_changes() {
    for each in [1, 4] {
        all_senders(width(each), true);
    }
}

#[test]
fn s25_messages_of_timers_come_in_the_order_in_which_they_are_due() {
    for each in [1, 2, 4] {
        let theater = Theater::builder().workers(2).build().unwrap();
        let (lab, _) = lab(&theater, each);
        for n in 0..200 {
            // Twenty are due at a time, in the order in which they were armed.
            let delay = Duration::from_millis(n as u64 / 20 * 2);
            // Armed one after the other, they are due no earlier than this one.
            let _timer = lab.send_after(delay, nth(0, n));
        }
        while result(&lab, Do::look(0)).unwrap() < 200 {
            assert_eq!(lab.speculation().failures, 0, "a message overtook another one");
            thread::yield_now();
        }
    }
}

#[test]
fn s25_messages_to_itself_keep_their_order() {
    for each in [1, 2, 4] {
        let theater = Theater::builder().workers(2).build().unwrap();
        let (lab, _) = lab(&theater, each);
        lab.send(Do::update(|_, _, ctx| {
            (0..500).for_each(|n| ctx.send_self(nth(0, n)));
            Ok(0)
        }))
        .unwrap();
        while result(&lab, Do::look(0)).unwrap() < 500 {
            assert_eq!(lab.speculation().failures, 0, "a message overtook another one");
            thread::yield_now();
        }
    }
}
