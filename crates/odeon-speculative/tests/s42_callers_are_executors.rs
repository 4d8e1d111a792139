//! S42: each caller of a wide actor handles its own message, beside those of others.

use odeon_core::{Access, ActorRef, AskError, Directive, Message, Reply, Supervision, Theater};
use odeon_speculative::{
    Ordering, Processing, SpawnSpeculative, SpeculativeActor, SpeculativeContext, SpeculativeRef,
    TxResult,
};
use odeon_stm::{TVar, Tx};
use odeon_testkit::silent_panic;
use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Barrier};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(30);
const BRIEF: Duration = Duration::from_millis(50);
const CALLERS: usize = 4;

/// Accounts, of which callers change one each, or all together.
struct Bank {
    accounts: [TVar<u64>; CALLERS],
    sum: TVar<u64>,
    within: Arc<AtomicUsize>,
}

enum Order {
    /// Adds one to an account; the answer is what is on it, and who has handled it.
    Add(usize, Reply<(u64, ThreadId)>),
    /// The same, and nobody is told.
    AddQuietly(usize),
    /// The same, and to the sum.
    AddToSum(usize, Reply<u64>),
    /// Waits within the handler, for a moment, until so many are there.
    Meet(usize, Reply<(bool, ThreadId)>),
    /// Waits for an account to have so much.
    Await(usize, u64, Reply<u64>),
    /// As it says, whatever runs beside it.
    Sum(Access, Reply<u64>),
    Fail(#[expect(dead_code, reason = "the failure answers")] Reply<u64>),
    Stop(Reply<u64>),
}

impl Message for Order {
    fn access(&self) -> Access {
        match self {
            Self::Sum(access, _) => *access,
            _ => Access::Update,
        }
    }
}

impl SpeculativeActor for Bank {
    type Msg = Order;
    fn handle<'t>(
        &'t self,
        order: &'t Order,
        tx: &mut Tx<'t>,
        ctx: &mut SpeculativeContext<'_, Self>,
    ) -> TxResult {
        let mut add = |account: &'t TVar<u64>| -> Result<u64, _> {
            let next = account.get(tx)? + 1;
            account.set(tx, next).map(|()| next)
        };
        match order {
            Order::Add(account, reply) => {
                let there = add(&self.accounts[*account])?;
                ctx.reply(reply, (there, thread::current().id()));
            }
            Order::AddQuietly(account) => _ = add(&self.accounts[*account])?,
            Order::AddToSum(account, reply) => {
                add(&self.accounts[*account])?;
                let there = add(&self.sum)?;
                ctx.reply(reply, there);
            }
            Order::Meet(all, reply) => {
                let until = Instant::now() + BRIEF;
                self.within.fetch_add(1, SeqCst);
                while self.within.load(SeqCst) < *all && Instant::now() < until {
                    thread::yield_now();
                }
                let met = self.within.load(SeqCst) >= *all;
                ctx.reply(reply, (met, thread::current().id()));
            }
            Order::Await(account, least, reply) => {
                let there = self.accounts[*account].get(tx)?;
                if there < *least {
                    return Ok(tx.retry()?);
                }
                ctx.reply(reply, there);
            }
            Order::Sum(_, reply) => {
                let mut sum = 0;
                for account in &self.accounts {
                    sum += account.get(tx)?;
                }
                ctx.reply(reply, sum);
            }
            Order::Fail(_) => silent_panic("as it was told"),
            Order::Stop(reply) => {
                ctx.reply(reply, 0);
                ctx.stop();
            }
        }
        Ok(())
    }
}

fn new_bank() -> Bank {
    let new = || TVar::new(0);
    Bank { accounts: [(); CALLERS].map(|()| new()), sum: new(), within: Arc::default() }
}

fn bank(theater: &Theater, processing: Processing) -> SpeculativeRef<Order> {
    theater.spawn_speculative(new_bank(), processing)
}

fn wide() -> Processing {
    Processing::concurrent().width(2 * CALLERS)
}

/// Until this thread handles its own messages: a worker lets callers in.
fn until_let_in(bank: &ActorRef<Order>) {
    let until = Instant::now() + PATIENCE;
    while bank.call(|reply| Order::Add(0, reply)).wait().unwrap().1 != thread::current().id() {
        assert!(Instant::now() < until, "never let in");
        thread::sleep(Duration::from_micros(100));
    }
}

/// What each of some threads makes of the actor.
fn by_callers<R: Send>(work: impl Fn(usize) -> R + Sync) -> Vec<R> {
    let (work, begin) = (&work, &Barrier::new(CALLERS));
    thread::scope(|scope| {
        let callers: Vec<_> = (0..CALLERS)
            .map(|caller| {
                scope.spawn(move || {
                    begin.wait();
                    work(caller)
                })
            })
            .collect();
        callers.into_iter().map(|caller| caller.join().unwrap()).collect()
    })
}

/// Who comes while the actor's own turn looks around has its message handled there, where it may
/// wait for others that come behind it; in some round all handle their own.
#[test]
fn s42_s24_as_many_handlers_run_at_once_as_there_are_callers() {
    let theater = Theater::builder().workers(1).build().unwrap();
    let bank = bank(&theater, wide());
    let until = Instant::now() + PATIENCE;
    for round in 1.. {
        until_let_in(&bank);
        let together = by_callers(|_| {
            let meets = |reply| Order::Meet(round * CALLERS, reply);
            let (met, thread) = bank.call(meets).wait().unwrap();
            met && thread == thread::current().id()
        });
        if together == [true; CALLERS] {
            return;
        }
        assert!(Instant::now() < until, "never all at once, on their own threads");
    }
}

/// What the actor says is in no mode, and with no other order, anything but one message after the
/// other.
#[test]
fn s42_s24_calls_are_handled_as_if_one_after_the_other() {
    const EACH: u64 = 2_000;
    let unordered = || wide().ordering(Ordering::Unordered);
    for processing in [wide(), unordered(), Processing::adaptive(), Processing::sequential()] {
        let theater = Theater::builder().workers(2).build().unwrap();
        let bank = bank(&theater, processing);
        let sums = by_callers(|caller| {
            (0..EACH)
                .map(|_| bank.call(|reply| Order::AddToSum(caller, reply)).wait().unwrap())
                .collect::<Vec<_>>()
        });
        assert!(sums.iter().all(|sums| sums.is_sorted()));
        let all: HashSet<_> = sums.into_iter().flatten().collect();
        assert_eq!(all.len() as u64, EACH * CALLERS as u64, "each sum once");
        assert_eq!(all.iter().max(), Some(&(EACH * CALLERS as u64)));
    }
}

/// Callers, senders, readers and changes of the mode, at once.
#[test]
fn s42_s24_callers_among_all_others() {
    const EACH: u64 = 1_500;
    let theater = Theater::builder().workers(2).build().unwrap();
    let bank = bank(&theater, wide());
    let accesses = [Access::Snapshot, Access::Update, Access::Exclusive, Access::Snapshot];
    by_callers(|caller| {
        for n in 1..=EACH {
            if n % 3 == caller as u64 % 3 && n < EACH {
                // Behind what this thread has sent: no answer is awaited.
                bank.send(Order::AddQuietly(caller)).unwrap();
            } else {
                let (there, _) = bank.call(|reply| Order::Add(caller, reply)).wait().unwrap();
                assert_eq!(there, n, "in the order of their sender");
            }
            if n % 16 == 0 {
                let sum = |reply| Order::Sum(accesses[caller], reply);
                assert!(bank.call(sum).wait().unwrap() >= n, "of this caller alone");
            }
            if caller == 0 && n % 50 == 0 {
                let widths = [1, 2, 8, 3];
                let width = widths[n as usize / 50 % 4];
                bank.set_processing(Processing::concurrent().width(width));
            }
        }
    });
    let sum = bank.call(|reply| Order::Sum(Access::Exclusive, reply)).wait().unwrap();
    assert_eq!(sum, EACH * CALLERS as u64);
}

/// It waits outside of the caller, which waits for the answer.
#[test]
fn s42_s25_a_callers_message_may_wait_for_a_change() {
    let theater = Theater::builder().workers(1).build().unwrap();
    let bank = bank(&theater, wide());
    until_let_in(&bank);
    for round in 1..=100 {
        thread::scope(|scope| {
            let waits = |reply| Order::Await(1, round, reply);
            let waiting = scope.spawn({
                let bank = &bank;
                move || bank.call(waits).wait()
            });
            bank.call(|reply| Order::Add(1, reply)).wait().unwrap();
            assert!(waiting.join().unwrap().unwrap() >= round);
        });
    }
}

#[test]
fn s42_s26_a_failure_is_that_of_its_message_and_the_actor_is_made_anew() {
    let theater = Theater::builder().workers(2).failures_printed(false).build().unwrap();
    let made = Arc::new(AtomicUsize::new(0));
    let makes = made.clone();
    let restarts = Supervision::new()
        .always(Directive::Restart)
        .restarts(1_000, PATIENCE)
        .pauses(Duration::ZERO, Duration::ZERO);
    let bank = theater.spawn_speculative_supervised(restarts, wide(), move || {
        makes.fetch_add(1, SeqCst);
        new_bank()
    });
    until_let_in(&bank);
    let failures: usize = by_callers(|caller| {
        let add = || bank.call(|reply| Order::Add(caller, reply)).wait().unwrap().0;
        let mut failures = 0;
        for n in 0..200 {
            if n % 20 != 5 * caller {
                add();
                continue;
            }
            match bank.call(Order::Fail).wait() {
                Err(AskError::Failed(text)) => assert_eq!(text.to_string(), "as it was told"),
                other => panic!("{other:?}"),
            }
            failures += 1;
            assert_eq!(add(), 1, "who has been told of the failure finds the new state");
        }
        failures
    })
    .into_iter()
    .sum();
    assert_eq!((failures, bank.speculation().failures), (40, 40));
    until_let_in(&bank);
    assert_eq!(made.load(SeqCst), 41, "made anew after each failure");
}

#[test]
fn s42_s26_an_actor_that_a_caller_has_stopped_answers_nobody() {
    for _ in 0..20 {
        let theater = Theater::builder().workers(1).build().unwrap();
        let bank = bank(&theater, wide());
        until_let_in(&bank);
        let answered = by_callers(|caller| {
            if caller == 0 {
                thread::yield_now();
                return bank.call(Order::Stop).wait().map(|_| 0);
            }
            (0_u64..)
                .map_while(|_| bank.call(|reply| Order::Add(caller, reply)).wait().err())
                .next()
                .map_or(Ok(1), Err)
        });
        assert_eq!(answered[0], Ok(0));
        while !bank.is_stopped() {
            thread::yield_now();
        }
    }
}

#[test]
fn s42_s4_a_shutdown_waits_for_callers_that_are_within() {
    for _ in 0..50 {
        let theater = Theater::builder().workers(1).build().unwrap();
        let bank = bank(&theater, wide());
        until_let_in(&bank);
        let begin = Barrier::new(3);
        thread::scope(|scope| {
            for caller in [1, 2] {
                let (bank, begin) = (&bank, &begin);
                scope.spawn(move || {
                    begin.wait();
                    while bank.call(|reply| Order::Add(caller, reply)).wait().is_ok() {}
                });
            }
            begin.wait();
            assert_eq!(theater.shutdown(Duration::ZERO).stuck, 0);
        });
    }
}
