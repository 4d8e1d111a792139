//! S42: speculative actors are called as any other, in the order of their senders; and nobody gives
//! turns in the middle of a transaction.

use odeon_core::{Actor, ActorRef, Context, Message, Reply, Theater};
use odeon_speculative::{
    Processing, SpawnSpeculative, SpeculativeActor, SpeculativeContext, TxResult,
};
use odeon_stm::{TVar, Tx, atomically, snapshot};
use std::thread::{self, ThreadId};

struct Sum {
    entries: TVar<u64>,
    /// By sender: the number of its last entry.
    last: [TVar<u64>; 4],
}

enum Entry {
    Number(usize, u64),
    Sum(Reply<(u64, ThreadId)>),
}
impl Message for Entry {}

impl SpeculativeActor for Sum {
    type Msg = Entry;
    fn handle<'t>(
        &'t self,
        entry: &'t Entry,
        tx: &mut Tx<'t>,
        ctx: &mut SpeculativeContext<'_, Self>,
    ) -> TxResult {
        match entry {
            Entry::Number(sender, number) => {
                assert_eq!(self.last[*sender].get(tx)? + 1, *number, "of sender {sender}");
                self.last[*sender].set(tx, *number)?;
                self.entries.update(tx, |entries| entries + 1)?;
            }
            Entry::Sum(reply) => {
                let entries = self.entries.get(tx)?;
                ctx.reply(reply, (entries, thread::current().id()));
            }
        }
        Ok(())
    }
}

fn sum(theater: &Theater, processing: Processing) -> ActorRef<Entry> {
    let new = || Sum { entries: TVar::new(0), last: [(); 4].map(|()| TVar::new(0)) };
    theater.spawn_speculative(new(), processing).actor_ref()
}

#[test]
fn s42_s25_a_call_comes_behind_what_its_sender_has_sent() {
    for processing in [Processing::default(), Processing::concurrent(), Processing::sequential()] {
        let theater = Theater::builder().workers(2).build().unwrap();
        let sum = sum(&theater, processing);
        thread::scope(|scope| {
            for sender in 0..4 {
                let sum = &sum;
                scope.spawn(move || {
                    for number in 1..=1_000 {
                        sum.send(Entry::Number(sender, number)).unwrap();
                        if number % 3 == 0 {
                            let (entries, _) = sum.call(Entry::Sum).wait().unwrap();
                            assert!(entries >= number, "{entries} of at least {number}");
                        }
                    }
                });
            }
        });
        // What others have sent last may come behind this sender's question.
        let entries = || sum.call(Entry::Sum).wait().unwrap().0;
        while entries() < 4_000 {}
        assert_eq!(entries(), 4_000);
    }
}

/// A handler that runs a transaction, which would be nested in the caller's.
struct Runs(TVar<u64>);

impl Actor for Runs {
    type Msg = Box<Reply<(u64, ThreadId)>>;
    fn handle(&mut self, reply: Self::Msg, _: &mut Context<'_, Self>) {
        atomically(|tx| self.0.update(tx, |count| count + 1));
        reply.send((self.0.peek(), thread::current().id()));
    }
}

#[test]
fn s42_nobody_gives_turns_within_a_transaction() {
    let theater = Theater::builder().workers(1).build().unwrap();
    let (runs, sum) = (theater.spawn(Runs(TVar::new(0))), sum(&theater, Processing::default()));
    let (here, seen) = (thread::current().id(), TVar::new(1_u64));
    while runs.call(Box::new).wait().unwrap().1 != here {}
    while sum.call(Entry::Sum).wait().unwrap().1 != here {}
    for _ in 0..20 {
        let (plain, speculative) = snapshot(|tx| {
            seen.get(tx)?;
            Ok((runs.call(Box::new).wait(), sum.call(Entry::Sum).wait()))
        })
        .unwrap();
        assert!(plain.unwrap().1 != here && speculative.unwrap().1 != here);
    }
    while runs.call(Box::new).wait().unwrap().1 != here {}
}
