//! S1 one at a time, S2 order per sender and mailbox: beyond the stage suite, in one long run.
#![cfg(not(any(odeon_loom, odeon_shuttle)))]

use std::sync::mpsc::channel;

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
        theater.spawn_on(&stage, new()),
        theater.spawn_dedicated("own", new()).unwrap(),
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
