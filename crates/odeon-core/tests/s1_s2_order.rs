//! S1 one at a time, S2 order per sender and mailbox: beyond the stage suite, in one long run.

use std::sync::mpsc::{Sender, channel};

use odeon_core::*;
use odeon_testkit::conformance::stage::probe::{Do, Log, Probe};

/// Not atomic: data races and lost updates would show.
struct Counter {
    total: u64,
    last: [u64; 4],
}

enum Count {
    From(usize, u64),
    Total(Reply<u64>),
}
impl Message for Count {}

impl Actor for Counter {
    type Msg = Count;
    fn handle(&mut self, msg: Count, _ctx: &mut Context<'_, Self>) {
        match msg {
            Count::From(sender, n) => {
                assert_eq!(n, self.last[sender] + 1, "sender {sender} was reordered");
                self.last[sender] = n;
                self.total += 1;
            }
            Count::Total(reply) => reply.send(self.total),
        }
    }
}

#[test]
fn s1_s2_four_threads_count_with_one_actor() {
    const MESSAGES: u64 = 50_000;
    let theater = Theater::builder().workers(2).build().unwrap();
    let stage = theater.pinned("stage").unwrap();
    let new = || Counter { total: 0, last: [0; 4] };
    let counters = [
        theater.spawn(new()),
        theater.actor().on(&stage).spawn(new()),
        theater.actor().dedicated("own").spawn(new()).unwrap(),
    ];
    for counter in counters {
        std::thread::scope(|scope| {
            for sender in 0..4 {
                let counter = counter.clone();
                scope.spawn(move || {
                    for n in 1..=MESSAGES {
                        counter.send(Count::From(sender, n)).unwrap();
                    }
                });
            }
        });
        // This thread's question comes after all: the senders' threads have ended before it.
        assert_eq!(counter.ask(Count::Total).wait(), Ok(4 * MESSAGES));
    }
}

/// What one sender told another sender to send may overtake: order is per sender and receiver only.
/// But a message that *causes* another is handled before the effect can come back.
#[test]
fn s2_a_chain_through_another_actor_comes_after_its_cause() {
    let theater = Theater::builder().workers(2).build().unwrap();
    let log = Log::default();
    let (done, waits) = channel();
    let (first, second) = (theater.spawn(Probe::new(&log)), theater.spawn(Probe::new(&log)));
    for n in 0..1_000 {
        let (second, back, done) = (second.clone(), first.clone(), done.clone());
        first.send(Do::Note(2 * n)).unwrap();
        let order = Do::run(move |_| {
            let order = Do::run(move |_| {
                back.send(Do::Note(2 * n + 1)).unwrap();
                back.send(Do::run(move |_| done.send(()).unwrap())).unwrap();
            });
            second.send(order).unwrap();
        });
        first.send(order).unwrap();
        waits.recv().unwrap();
    }
    assert_eq!(log.handled(), (0..2_000).collect::<Vec<_>>());
}

/// Spawned from outside while an actor of the stage looks for them: what it sends at once may
/// overtake the signal to start.
#[test]
fn s1_an_actor_that_is_found_by_name_starts_before_its_first_message() {
    const ACTORS: usize = 3_000;

    #[derive(Clone)]
    struct Found;
    impl Message for Found {
        const MAILBOXES: usize = 2;
        fn mailbox(&self) -> usize {
            1
        }
    }
    struct One {
        started: bool,
        out: Sender<bool>,
    }
    impl Actor for One {
        type Msg = ();
        fn started(&mut self, _: &mut Context<'_, Self>) {
            self.started = true;
        }
        fn handle(&mut self, (): (), ctx: &mut Context<'_, Self>) {
            self.out.send(self.started).unwrap();
            ctx.stop();
        }
    }
    struct Two(One);
    impl Actor for Two {
        type Msg = Found;
        fn started(&mut self, _: &mut Context<'_, Self>) {
            self.0.started = true;
        }
        fn handle(&mut self, _: Found, ctx: &mut Context<'_, Self>) {
            self.0.out.send(self.0.started).unwrap();
            ctx.stop();
        }
    }
    struct Waits(One);
    impl AsyncActor for Waits {
        type Msg = ();
        async fn started(&mut self, _: &mut AsyncContext<'_, Self>) {
            odeon_testkit::yields(1).await;
            self.0.started = true;
        }
        async fn handle(&mut self, (): (), ctx: &mut AsyncContext<'_, Self>) {
            odeon_testkit::yields(1).await;
            self.0.out.send(self.0.started).unwrap();
            ctx.stop();
        }
    }
    struct Seeker;
    impl Actor for Seeker {
        type Msg = ();
        fn handle(&mut self, (): (), ctx: &mut Context<'_, Self>) {
            for name in ["one", "waits"] {
                if let Ok(found) = ctx.lookup::<()>(name) {
                    ctx.unregister(name);
                    found.send(()).unwrap();
                }
            }
            if let Ok(found) = ctx.lookup::<Found>("two") {
                ctx.unregister("two");
                found.send(Found).unwrap();
            }
            ctx.send_self(());
        }
    }

    for stats in [false, true] {
        let theater = Theater::builder().workers(1).stats(stats).build().unwrap();
        let stage = theater.pinned("stage").unwrap();
        let seeker = theater.actor().on(&stage).spawn(Seeker);
        seeker.send(()).unwrap();
        let (out, heard) = channel();
        for _ in 0..ACTORS {
            let one = || One { started: false, out: out.clone() };
            theater.register("one", &theater.actor().on(&stage).spawn(one())).unwrap();
            theater.register("two", &theater.actor().on(&stage).spawn(Two(one()))).unwrap();
            theater.register("waits", &theater.actor().on(&stage).spawn(Waits(one()))).unwrap();
            (0..3).for_each(|_| assert!(heard.recv().unwrap(), "handled before it started"));
        }
        seeker.stop();
    }
}
