//! S23: the seed decides how attempts of speculative actors overlap, which are rolled back, and
//! what comes between what an attempt has read and its commit; and the same seed does so again.

use odeon_core::extend::reply_to;
use odeon_core::{Access, Actor, ActorRef, Context, Message, Reply, Theater};
use odeon_speculative::{
    Ordering, Processing, SpawnSpeculative, SpeculativeActor, SpeculativeContext, SpeculativeRef,
    TxResult,
};
use odeon_stm::{TVar, Tx};
use odeon_testkit::{Choice, Deterministic, Trace, for_seeds};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

const CLIENTS: u64 = 8;
const EACH: u64 = 4;

/// One number, which all want.
struct Hot {
    number: TVar<u64>,
    /// Handlers that were begun: more than messages, if attempts are rolled back.
    begun: Arc<AtomicU64>,
}

enum Use {
    /// Adds one, and answers what that came to.
    Up(Reply<u64>),
    Look(Reply<u64>, Access),
}

impl Message for Use {
    fn access(&self) -> Access {
        match self {
            Self::Up(_) => Access::Update,
            Self::Look(_, access) => *access,
        }
    }
}

impl SpeculativeActor for Hot {
    type Msg = Use;
    fn handle<'t>(
        &'t self,
        message: &'t Use,
        tx: &mut Tx<'t>,
        ctx: &mut SpeculativeContext<'_, Self>,
    ) -> TxResult {
        self.begun.fetch_add(1, Relaxed);
        match message {
            Use::Up(reply) => {
                let next = self.number.get(tx)? + 1;
                self.number.set(tx, next)?;
                ctx.reply(reply, next);
            }
            Use::Look(reply, _) => ctx.reply(reply, self.number.get(tx)?),
        }
        Ok(())
    }
}

/// Asks once more whenever it is answered.
struct Client {
    hot: ActorRef<Use>,
    number: u64,
    left: u64,
    heard: Arc<Mutex<Vec<(u64, u64)>>>,
}

enum Heard {
    Begin,
    Now(u64),
}
impl Message for Heard {}

impl Actor for Client {
    type Msg = Heard;
    fn handle(&mut self, heard: Heard, ctx: &mut Context<'_, Self>) {
        if let Heard::Now(value) = heard {
            self.heard.lock().unwrap().push((self.number, value));
        }
        if self.left > 0 {
            self.left -= 1;
            let looks = [Access::Update, Access::Snapshot, Access::Relaxed];
            let access = looks.get((self.number + self.left) as usize % 8).copied();
            let reply = reply_to(ctx.actor_ref(), |answer| Heard::Now(answer.unwrap()));
            let _ = self.hot.send(match access {
                Some(access) => Use::Look(reply, access),
                None => Use::Up(reply),
            });
        }
    }
}

#[derive(Debug, PartialEq)]
struct Seen {
    heard: Vec<(u64, u64)>,
    begun: u64,
    rollbacks: u64,
    commits: u64,
    trace: Trace,
}

fn run(seed: u64, processing: Processing) -> Seen {
    let run = Deterministic::new(seed);
    let (begun, heard) = (Arc::default(), Arc::default());
    let hot = Hot { number: TVar::new(0), begun: Arc::clone(&begun) };
    let hot = run.theater().spawn_speculative(hot, processing);
    clients(run.theater(), &hot, &heard);
    run.run_until_idle();
    let stats = hot.speculation();
    let rollbacks = stats.rollbacks.iter().map(|(_, count)| count).sum();
    let trace = run.trace();
    assert!(run.shutdown().leftovers.is_empty());
    let heard = std::mem::take(&mut *heard.lock().unwrap());
    Seen { heard, begun: begun.load(Relaxed), rollbacks, commits: stats.commits, trace }
}

fn clients(theater: &Theater, hot: &SpeculativeRef<Use>, heard: &Arc<Mutex<Vec<(u64, u64)>>>) {
    for number in 0..CLIENTS {
        let client = Client { hot: hot.actor_ref(), number, left: EACH, heard: heard.clone() };
        theater.spawn(client).send(Heard::Begin).unwrap();
    }
}

fn modes() -> Vec<(&'static str, Processing)> {
    let wide = |processing: Processing| processing.width(4);
    vec![
        ("sequential", Processing::sequential()),
        ("concurrent", wide(Processing::concurrent())),
        ("non-blocking", Processing::sequential().non_blocking()),
        ("combined", wide(Processing::concurrent().non_blocking())),
        ("adaptive", wide(Processing::adaptive())),
        ("in order of arrival", wide(Processing::concurrent()).ordering(Ordering::Mailbox)),
        (
            "in any order",
            wide(Processing::concurrent().non_blocking()).ordering(Ordering::Unordered),
        ),
    ]
}

#[test]
fn s23_attempts_overlap_are_rolled_back_and_handlers_begin_twice() {
    for (mode, processing) in modes() {
        let (rollbacks, begun_again) = (AtomicU64::new(0), AtomicU64::new(0));
        for_seeds(100, |seed| {
            let seen = run(seed, processing.clone());
            assert_eq!(seen.commits, CLIENTS * EACH, "{mode}");
            rollbacks.fetch_add(seen.rollbacks, Relaxed);
            begun_again.fetch_add(seen.begun - seen.commits, Relaxed);
        });
        let (rollbacks, begun_again) = (rollbacks.into_inner(), begun_again.into_inner());
        eprintln!("{mode}: {rollbacks} rolled back, {begun_again} begun again");
        let one_at_a_time = matches!(mode, "sequential" | "non-blocking");
        assert!(one_at_a_time || rollbacks > 100, "{mode}: {rollbacks}");
        assert!(one_at_a_time || begun_again > 100, "{mode}: {begun_again}");
    }
}

#[test]
fn s23_one_seed_is_one_interleaving() {
    for (mode, processing) in modes() {
        for_seeds(30, |seed| {
            let (first, again) = (run(seed, processing.clone()), run(seed, processing.clone()));
            assert_eq!(first.trace.first_difference(&again.trace), None, "{mode}");
            assert_eq!(first, again, "{mode}");
            let is_interrupted = |choice: &Choice| *choice == Choice::Interrupted;
            assert!(first.trace.choices().iter().any(is_interrupted), "{mode}");
        });
    }
}

/// Wherever a run is left, turns in the middle come to their ends.
#[test]
fn s23_a_run_may_end_while_attempts_are_interrupted() {
    let in_the_middle = AtomicU64::new(0);
    for_seeds(300, |seed| {
        let run = Deterministic::new(seed);
        let (begun, heard) = (Arc::default(), Arc::default());
        let hot = Hot { number: TVar::new(0), begun: Arc::clone(&begun) };
        let modes = modes();
        let processing = modes[seed as usize % modes.len()].1.clone();
        let hot = run.theater().spawn_speculative(hot, processing);
        clients(run.theater(), &hot, &heard);
        run.run_steps(seed as usize % 150);
        let trace = run.trace();
        let is_interrupted = |choice: &&Choice| **choice == Choice::Interrupted;
        let is_resumed = |choice: &&Choice| matches!(choice, Choice::Resumed { .. });
        let interrupted = trace.choices().iter().filter(is_interrupted).count();
        let resumed = trace.choices().iter().filter(is_resumed).count();
        in_the_middle.fetch_add((interrupted - resumed) as u64, Relaxed);
        if seed % 2 == 0 {
            drop(run);
        } else {
            drop(run.shutdown());
        }
        assert!(hot.is_stopped());
    });
    assert!(in_the_middle.into_inner() > 100, "most runs were left in the middle of a turn");
}

/// Takes one as soon as there is one, or puts one.
struct Worker {
    stock: Arc<TVar<u64>>,
    takes: bool,
    done: Arc<AtomicU64>,
}

struct Work;
impl Message for Work {}

impl Actor for Worker {
    type Msg = Work;
    fn handle(&mut self, Work: Work, _: &mut Context<'_, Self>) {
        odeon_stm::atomically(|tx| match self.stock.get(tx)? {
            0 if self.takes => tx.retry(),
            there if self.takes => self.stock.set(tx, there - 1),
            there => self.stock.set(tx, there + 1),
        });
        self.done.fetch_add(1, Relaxed);
    }
}

fn workers(run: &Deterministic, takers: usize, putters: usize) -> Arc<AtomicU64> {
    let (stock, done) = (Arc::new(TVar::new(0)), Arc::default());
    run.interleave();
    for number in 0..takers + putters {
        let (stock, done) = (stock.clone(), Arc::clone(&done));
        let worker = Worker { stock, takes: number < takers, done };
        let worker = run.theater().spawn(worker);
        (0..2).for_each(|_| worker.send(Work).unwrap());
    }
    run.run_until_idle();
    done
}

#[test]
fn s23_transactions_of_plain_actors_wait_for_each_other() {
    for_seeds(200, |seed| {
        let run = Deterministic::new(seed);
        assert_eq!(workers(&run, 3, 3).load(Relaxed), 12);
    });
}

/// The run is idle when all that is left waits for what does not come; and its end is theirs.
#[test]
fn s23_who_waits_for_ever_is_given_up_with_the_run() {
    for_seeds(50, |seed| {
        let run = Deterministic::new(seed);
        let done = workers(&run, 3, 1);
        assert!(done.load(Relaxed) == 4 && run.is_idle() && run.run_until_idle() == 0);
        drop(run.shutdown());
        assert_eq!(done.load(Relaxed), 4);
    });
}
