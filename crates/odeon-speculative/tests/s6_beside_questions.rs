//! S6 of an actor with shards: one sender's changes have their share of the workers beside others'
//! questions. Time is what the handlers say that they take.

use odeon_core::{Actor, ActorRef, AskError, Context, Message, Reply, Theater};
use odeon_speculative::{
    Access, Processing, SpawnSpeculative, SpeculativeActor, SpeculativeContext, TxResult,
};
use odeon_stm::{TVar, Tx};
use odeon_testkit::VirtualClock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Duration;

/// What a handler takes.
const TAKES: Duration = Duration::from_micros(2);
const CHANGES: u64 = 20_000;
const ASKERS: u64 = 4;
/// Questions that an asker asks for each answer.
const AT_ONCE: usize = 16;

/// What the senders have in common.
#[derive(Default)]
struct Run {
    clock: Arc<VirtualClock>,
    questions: AtomicU64,
    is_over: AtomicBool,
}

struct Ledger(TVar<u64>, Arc<Run>);

enum ToLedger {
    Enter,
    Entered(Reply<u64>),
    Look(Option<Reply<()>>),
}

impl Message for ToLedger {}

impl SpeculativeActor for Ledger {
    type Msg = ToLedger;

    fn access(message: &ToLedger) -> Access {
        if let ToLedger::Look(_) = message { Access::Snapshot } else { Access::Update }
    }

    fn handle<'t>(
        &'t self,
        message: &'t ToLedger,
        tx: &mut Tx<'t>,
        ctx: &mut SpeculativeContext<'_, Self>,
    ) -> TxResult {
        self.1.clock.advance(TAKES);
        let entered = self.0.get(tx)?;
        match message {
            ToLedger::Enter => self.0.set(tx, entered + 1)?,
            ToLedger::Entered(reply) => ctx.reply(reply, entered),
            ToLedger::Look(reply) => {
                // ORDERING: Relaxed, here and below: counted by one worker.
                self.1.questions.fetch_add(1, Ordering::Relaxed);
                reply.iter().for_each(|reply| ctx.reply(reply, ()));
            }
        }
        Ok(())
    }
}

/// Enters so much, in bursts.
struct Writer {
    ledger: ActorRef<ToLedger>,
    left: u64,
    run: Arc<Run>,
    /// Questions when it has begun.
    before: Option<u64>,
    /// How many it has entered, and how many questions there were meanwhile.
    tell: mpsc::Sender<(u64, u64)>,
}

enum ToWriter {
    Go,
    Entered(u64),
}

impl Message for ToWriter {}

impl Actor for Writer {
    type Msg = ToWriter;

    fn handle(&mut self, message: ToWriter, ctx: &mut Context<'_, Self>) {
        let asked = self.run.questions.load(Ordering::Relaxed);
        if let ToWriter::Entered(entered) = message {
            return self.tell.send((entered, asked - self.before.unwrap_or(0))).unwrap();
        }
        self.before.get_or_insert(asked);
        let burst = self.left.min(64);
        (0..burst).for_each(|_| self.ledger.send(ToLedger::Enter).unwrap());
        self.left -= burst;
        if self.left > 0 {
            return ctx.send_self(ToWriter::Go);
        }
        let reply =
            ctx.reply_to(|entered: Result<u64, AskError>| ToWriter::Entered(entered.unwrap()));
        self.ledger.send(ToLedger::Entered(reply)).unwrap();
    }
}

/// Always has questions under way.
struct Asker(ActorRef<ToLedger>, Arc<Run>);

enum ToAsker {
    Go,
    Answered,
}

impl Message for ToAsker {}

impl Actor for Asker {
    type Msg = ToAsker;

    fn handle(&mut self, message: ToAsker, ctx: &mut Context<'_, Self>) {
        if self.1.is_over.load(Ordering::Relaxed) {
            return;
        }
        let times = if let ToAsker::Go = message { 2 } else { 1 };
        for _ in 0..times {
            (1..AT_ONCE).for_each(|_| self.0.send(ToLedger::Look(None)).unwrap());
            let reply = ctx.reply_to(|_: Result<(), AskError>| ToAsker::Answered);
            self.0.send(ToLedger::Look(Some(reply))).unwrap();
        }
    }
}

#[test]
fn s6_changes_of_one_sender_are_not_held_up_by_those_who_always_ask() {
    let run = Arc::new(Run::default());
    let theater = Theater::builder().workers(1).clock(run.clock.clone()).build().unwrap();
    let processing = Processing::concurrent().width(2);
    let ledger = theater.spawn_speculative(Ledger(TVar::new(0), run.clone()), processing);
    let ledger = ledger.actor_ref();
    for _ in 0..ASKERS {
        theater.spawn(Asker(ledger.clone(), run.clone())).send(ToAsker::Go).unwrap();
    }
    let (tell, told) = mpsc::channel();
    let writer = Writer { ledger, left: CHANGES, run: run.clone(), before: None, tell };
    theater.spawn(writer).send(ToWriter::Go).unwrap();
    let (entered, questions) = told.recv_timeout(Duration::from_secs(60)).unwrap();
    assert_eq!(entered, CHANGES);
    run.is_over.store(true, Ordering::Relaxed);
    println!("{questions} questions beside {CHANGES} changes");
    assert!(theater.shutdown(Duration::from_secs(60)).drained);
    // A share each, and as much again for whose turn is shorter than that of others.
    let within = 2 * ASKERS * CHANGES;
    assert!(questions <= within, "{questions} questions beside {CHANGES} changes");
}
