//! S24: what happens is what would happen if the messages were handled one at a time.

use odeon_core::{Actor, Context, Message, Reply, Theater};
use odeon_speculative::{
    Access, Ordering, Processing, SpawnSpeculative, SpeculativeActor, SpeculativeContext, TxResult,
};
use odeon_stm::{TVar, Tx};
use std::sync::Barrier;
use std::thread;
use std::time::Duration;

/// Two variables whose sum is to stay what it is; whoever reads both in one step sees it.
struct Pair {
    left: TVar<i64>,
    right: TVar<i64>,
}

enum Move {
    ToRight(i64),
    ToLeft(i64),
    Sum(Reply<i64>),
    Both(Reply<(i64, i64)>),
}
impl Message for Move {}

impl SpeculativeActor for Pair {
    type Msg = Move;

    fn access(msg: &Move) -> Access {
        match msg {
            Move::Sum(_) => Access::Snapshot,
            _ => Access::Update,
        }
    }

    fn handle<'t>(
        &'t self,
        msg: &'t Move,
        tx: &mut Tx<'t>,
        ctx: &mut SpeculativeContext<'_, Self>,
    ) -> TxResult {
        match msg {
            Move::ToRight(n) => {
                let left = self.left.get(tx)?;
                thread::yield_now();
                self.left.set(tx, left - n)?;
                self.right.update(tx, |right| right + n)?;
            }
            Move::ToLeft(n) => {
                let right = self.right.get(tx)?;
                thread::yield_now();
                self.right.set(tx, right - n)?;
                self.left.update(tx, |left| left + n)?;
            }
            Move::Sum(reply) => ctx.reply(reply, self.left.get(tx)? + self.right.get(tx)?),
            Move::Both(reply) => {
                let both = (self.left.get(tx)?, self.right.get(tx)?);
                ctx.reply(reply, both);
            }
        }
        Ok(())
    }
}

fn no_update_is_lost(processing: Processing) {
    const SENDERS: i64 = 4;
    const MOVES: i64 = 2_000;
    let theater = Theater::new().unwrap();
    let pair = Pair { left: TVar::new(0), right: TVar::new(0) };
    let pair = theater.spawn_speculative(pair, processing);
    thread::scope(|scope| {
        for sender in 0..SENDERS {
            let pair = pair.clone();
            scope.spawn(move || {
                for n in 0..MOVES {
                    let step = if sender % 2 == 0 { Move::ToRight(n) } else { Move::ToLeft(2 * n) };
                    pair.send(step).unwrap();
                    if n % 64 == 0 {
                        assert_eq!(pair.ask(Move::Sum).wait().unwrap(), 0, "a torn sum");
                        let (left, right) = pair.ask(Move::Both).wait().unwrap();
                        assert_eq!(left + right, 0, "a torn pair");
                    }
                }
                // Behind everything that this thread has sent.
                pair.ask(Move::Sum).wait().unwrap();
            });
        }
    });
    let to_right = SENDERS / 2 * MOVES * (MOVES - 1) / 2;
    assert_eq!(
        pair.ask(Move::Both).wait().unwrap(),
        (to_right, -to_right),
        "{:?}",
        pair.speculation()
    );
}

#[test]
fn s24_no_update_is_lost_one_at_a_time() {
    no_update_is_lost(Processing::sequential());
}

#[test]
fn s24_no_update_is_lost_two_at_once() {
    no_update_is_lost(Processing::concurrent().width(2));
}

#[test]
fn s24_no_update_is_lost_many_at_once() {
    no_update_is_lost(Processing::concurrent().width(7));
}

#[test]
fn s24_the_way_of_processing_may_change_at_any_time() {
    let theater = Theater::new().unwrap();
    let pair = Pair { left: TVar::new(0), right: TVar::new(0) };
    let pair = theater.spawn_speculative(pair, Processing::concurrent().width(4));
    thread::scope(|scope| {
        for _ in 0..3 {
            let pair = pair.clone();
            scope.spawn(move || {
                for _ in 0..3_000 {
                    pair.send(Move::ToRight(1)).unwrap();
                }
                pair.ask(Move::Sum).wait().unwrap();
            });
        }
        for n in 0..300 {
            let width = 1 + n % 4;
            let processing = if width == 1 {
                Processing::sequential()
            } else {
                Processing::concurrent().width(width)
            };
            pair.set_processing(processing);
            thread::yield_now();
        }
    });
    assert_eq!(pair.ask(Move::Both).wait().unwrap(), (-9_000, 9_000));
}

/// Waits, in its handler, for a message that is sent after it.
struct Meeting {
    arrived: Barrier,
}

impl SpeculativeActor for Meeting {
    type Msg = u32;

    fn handle<'t>(
        &'t self,
        _: &'t u32,
        _: &mut Tx<'t>,
        _: &mut SpeculativeContext<'_, Self>,
    ) -> TxResult {
        // All of them take long: with short ones the actor's own turn would help, and not look at
        // the inbox meanwhile.
        thread::sleep(Duration::from_micros(200));
        self.arrived.wait();
        Ok(())
    }
}

#[test]
fn s24_a_message_begins_while_another_one_takes_long() {
    let theater = Theater::builder().workers(3).build().unwrap();
    let meeting = Meeting { arrived: Barrier::new(2) };
    // Two senders may share a place for lanes, and a message that shares one with another does not
    // begin.
    let processing = Processing::concurrent().width(2).ordering(Ordering::Unordered);
    let meeting = theater.spawn_speculative(meeting, processing);
    for round in 0..20 {
        thread::scope(|scope| {
            for sender in 0..2 {
                let meeting = meeting.clone();
                scope.spawn(move || {
                    thread::sleep(Duration::from_micros(50 * round * sender));
                    meeting.send(0).unwrap();
                });
            }
        });
    }
    assert!(theater.shutdown(Duration::from_secs(60)).drained);
}

/// Messages that come together are brought together: an executor that takes one of them sees that
/// there are more, and its own takes long.
#[test]
fn s24_messages_that_come_together_begin_while_the_first_one_takes_long() {
    let theater = Theater::builder().workers(4).build().unwrap();
    let meeting = Meeting { arrived: Barrier::new(3) };
    let processing = Processing::concurrent().width(3).ordering(Ordering::Unordered);
    let meeting = theater.spawn_speculative(meeting, processing);
    for _ in 0..20 {
        // Until all executors rest, most of the time.
        thread::sleep(Duration::from_millis(2));
        let brought = meeting.clone();
        theater
            .spawn(Once(move || (0..3).for_each(|n| brought.send(n).unwrap())))
            .send(())
            .unwrap();
    }
    assert!(theater.shutdown(Duration::from_secs(60)).drained);
}

/// Does something in one turn.
struct Once<F>(F);

impl<F: FnMut() + Send + 'static> Actor for Once<F> {
    type Msg = ();

    fn handle(&mut self, (): (), _: &mut Context<'_, Self>) {
        (self.0)();
    }
}
