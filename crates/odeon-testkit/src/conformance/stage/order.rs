//! One at a time, first turn, order, children.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use odeon_core::{Actor, ActorRef, Context, Message, Reply};

use super::probe::{Do, Event, Log, Probe};
use super::{StageUnderTest, for_stages};

/// Many senders on other stages, one receiver that notices being entered twice.
pub fn s1_an_actor_handles_one_message_at_a_time<S: StageUnderTest>() {
    for_stages(|stage: S| {
        let inside = Arc::new(AtomicBool::new(false));
        let total = Arc::new(Mutex::new(0u64));
        let job = || {
            let (inside, total) = (inside.clone(), total.clone());
            Do::run(move |_| {
                // ORDERING: Relaxed: the promise under test is what orders the handlers.
                assert!(!inside.swap(true, Ordering::Relaxed), "two messages at a time");
                std::thread::yield_now();
                *total.lock().expect("the lock is never held in a panic") += 1;
                inside.store(false, Ordering::Relaxed);
            })
        };
        let receiver = stage.spawn(Probe::new(&Log::default()));
        let senders: Vec<_> =
            (0..4).map(|_| stage.theater().spawn(Probe::new(&Log::default()))).collect();
        for round in 0..400 {
            let (to, job) = (receiver.clone(), job());
            let order = Do::run(move |_| to.send(job).expect("the receiver lives"));
            senders[round % senders.len()].send(order).expect("senders live");
        }
        stage.run_until(|| *total.lock().expect("as above") == 400);
    });
}

/// Also if the first message is sent at once, and if the only reference is dropped at once.
pub fn s1_started_comes_before_the_first_message<S: StageUnderTest>() {
    use Event::{Dropped, Handled, Started, Stopped};
    for_stages(|stage: S| {
        let (log, unreached) = (Log::default(), Log::default());
        let actor = stage.spawn(Probe::new(&log));
        actor.send(Do::Note(1)).expect("the actor lives");
        drop(stage.spawn(Probe::new(&unreached)));
        stage.run_until(|| log.has(Handled(1)) && unreached.has(Dropped));
        assert_eq!(log.events(), [Started, Handled(1)]);
        assert_eq!(unreached.events(), [Started, Stopped, Dropped]);
    });
}

/// Receives numbers per sender and checks that they rise by one.
struct OrderChecker {
    next: HashMap<u32, u64>,
}

enum Numbered {
    From(u32, u64),
    Totals(Reply<Vec<u64>>),
}
impl Message for Numbered {}

impl Actor for OrderChecker {
    type Msg = Numbered;
    fn handle(&mut self, msg: Numbered, _ctx: &mut Context<'_, Self>) {
        match msg {
            Numbered::From(sender, n) => {
                let next = self.next.entry(sender).or_default();
                assert_eq!(n, *next, "lost, doubled or reordered from sender {sender}");
                *next += 1;
            }
            Numbered::Totals(reply) => {
                let mut totals: Vec<_> = self.next.iter().map(|(id, n)| (*id, *n)).collect();
                totals.sort();
                reply.send(totals.into_iter().map(|(_, n)| n).collect());
            }
        }
    }
}

/// Sends a burst, then itself the order for the rest.
struct Sender {
    id: u32,
    to: ActorRef<Numbered>,
    sent: u64,
}

impl Actor for Sender {
    type Msg = u64;
    fn handle(&mut self, left: u64, ctx: &mut Context<'_, Self>) {
        let burst = left.min(1 + self.sent % 7);
        for _ in 0..burst {
            self.to.send(Numbered::From(self.id, self.sent)).expect("the receiver lives");
            self.sent += 1;
        }
        if left > burst {
            ctx.send_self(left - burst);
        }
    }
}

/// So many questions about an unfinished count mean that it will not be finished.
const ENDLESS: u32 = 20_000;

/// Senders on this stage, on the theater's pool, and the test's thread.
pub fn s2_order_holds_per_sender<S: StageUnderTest>() {
    const MESSAGES: u64 = 500;
    for_stages(|stage: S| {
        let receiver = stage.spawn(OrderChecker { next: HashMap::new() });
        let sender = |id| Sender { id, to: receiver.clone(), sent: 0 };
        for id in 0..3 {
            stage.spawn(sender(2 * id)).send(MESSAGES).expect("senders live");
            stage.theater().spawn(sender(2 * id + 1)).send(MESSAGES).expect("senders live");
        }
        for n in 0..MESSAGES {
            receiver.send(Numbered::From(6, n)).expect("the receiver lives");
        }
        let totals = || {
            let answer = stage.answer(receiver.ask(Numbered::Totals));
            answer.expect("the receiver found no fault with the order")
        };
        let mut questions = 0;
        while totals() != [MESSAGES; 7] {
            questions += 1;
            assert!(questions < ENDLESS, "messages are missing: {:?}", totals());
        }
    });
}

/// What an actor sends itself is handled after what was in its mailbox already.
pub fn s2_messages_to_self_come_behind_what_waits<S: StageUnderTest>() {
    for_stages(|stage: S| {
        let log = Log::default();
        let actor = stage.spawn(Probe::new(&log));
        let myself = actor.clone();
        // All three of 1, 2, 10 are sent by the actor itself, so their order is fixed.
        let order = Do::run(move |ctx| {
            ctx.send_self(Do::run(|ctx| ctx.send_self(Do::Note(10))));
            myself.send(Do::Note(1)).expect("the actor lives");
            ctx.send_self(Do::Note(2));
        });
        actor.send(order).expect("the actor lives");
        stage.run_until(|| log.has(Event::Handled(10)));
        assert_eq!(log.handled(), [1, 2, 10]);
    });
}

/// A child works, outlives its parent while somebody refers to it, and may spawn in turn.
pub fn s1_a_child_spawned_by_a_handler_works<S: StageUnderTest>() {
    for_stages(|stage: S| {
        let log = Log::default();
        let parent = stage.spawn(Probe::new(&Log::default()));
        let (child, grandchild) = (Probe::new(&log), Probe::new(&log));
        let order = Do::run(move |ctx| {
            let child = ctx.spawn(child);
            child.send(Do::Note(1)).expect("the child lives");
            let order = Do::run(move |ctx| {
                ctx.spawn(grandchild).send(Do::Note(2)).expect("the grandchild lives");
            });
            child.send(order).expect("the child lives");
        });
        parent.send(order).expect("the parent lives");
        let dropped = |log: &Log| log.events().iter().filter(|&&e| e == Event::Dropped).count();
        stage.run_until(|| dropped(&log) == 2);
        assert_eq!(log.handled(), [1, 2]);
    });
}
