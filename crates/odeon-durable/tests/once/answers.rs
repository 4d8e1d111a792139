//! Requests with an id are handled once, and answered the same each time.

use crate::actors::{PATIENCE, processings, store, theater};
use odeon_core::{AskError, Message, Reply, Theater};
use odeon_durable::state::{Durable, Restorer};
use odeon_durable::{Answers, DurableRef, Forgotten, RequestId, SpawnDurable};
use odeon_macros::Durable;
use odeon_speculative::{
    HandlerError, Processing, SpeculativeActor, SpeculativeContext, TxResult, fail,
};
use odeon_stm::{TCounter, Tx, atomically, snapshot, try_atomically};
use odeon_testkit::disk::SimulatedDisk;
use std::thread;

/// Adds up numbers.
#[derive(Durable)]
#[durable(crate = odeon_durable)]
struct Sum {
    #[durable(1)]
    sum: TCounter,
    #[durable(2)]
    answers: Answers<i64>,
    #[durable(skip)]
    is_strict: bool,
}

enum ToSum {
    Add(RequestId, i64, Reply<Result<i64, Forgotten>>),
    /// Adds, and fails.
    Fail(RequestId, Reply<()>),
    /// Adds, and says no.
    Reject(RequestId, Reply<i64>),
    Forget(u128, Reply<()>),
    Look(Reply<i64>),
}

impl Message for ToSum {}

impl Sum {
    fn new(window: u64) -> Self {
        Self { sum: TCounter::new(0), answers: Answers::new(window), is_strict: false }
    }

    fn add<'t>(
        &'t self,
        tx: &mut Tx<'t>,
        id: RequestId,
        amount: i64,
    ) -> TxResult<Result<i64, Forgotten>> {
        self.answers.once(tx, id, |tx| {
            self.sum.add(tx, amount)?;
            if self.is_strict {
                return fail("too strict");
            }
            Ok(self.sum.get(tx)?)
        })
    }
}

impl SpeculativeActor for Sum {
    type Msg = ToSum;

    fn handle<'t>(
        &'t self,
        message: &'t ToSum,
        tx: &mut Tx<'t>,
        ctx: &mut SpeculativeContext<'_, Self>,
    ) -> TxResult {
        match message {
            ToSum::Add(id, amount, reply) => ctx.reply(reply, self.add(tx, *id, *amount)?),
            ToSum::Fail(id, _unanswered) => {
                self.add(tx, *id, 1_000)?.expect("it is new");
                return fail("as it was told");
            }
            ToSum::Reject(id, reply) => {
                self.add(tx, *id, 1_000)?.expect("it is new");
                return ctx.reject(tx, reply, -1);
            }
            ToSum::Forget(client, reply) => {
                self.answers.forget(tx, *client)?;
                ctx.reply(reply, ());
            }
            ToSum::Look(reply) => ctx.reply(reply, self.sum.get(tx)?),
        }
        Ok(())
    }
}

fn sum(theater: &Theater, disk: &SimulatedDisk, processing: &Processing) -> DurableRef<ToSum> {
    let spawned =
        theater.spawn_durable(&store(disk.clone()), "sum", Sum::new(4), processing.clone());
    spawned.expect("nobody else has the log")
}

fn id(client: u128, number: u64) -> RequestId {
    RequestId { client, number }
}

fn add(
    sum: &DurableRef<ToSum>,
    client: u128,
    number: u64,
) -> Result<Result<i64, Forgotten>, AskError> {
    sum.ask(move |reply| ToSum::Add(id(client, number), 1, reply)).wait()
}

#[test]
fn s47_a_request_is_handled_once_and_answered_the_same_in_all_lives() {
    for processing in processings() {
        let disk = SimulatedDisk::new(1);
        let mut answers = Vec::new();
        for life in 0..3 {
            let theater = theater();
            let sum = sum(&theater, &disk, &processing);
            for number in 1..=6 {
                let answer = add(&sum, 1, 10 * life + number).unwrap().unwrap();
                assert_eq!(answer, 6 * life as i64 + number as i64);
                answers.push((10 * life + number, answer));
            }
            for (number, answer) in answers.iter().rev().take(4) {
                assert_eq!(add(&sum, 1, *number), Ok(Ok(*answer)));
            }
            assert_eq!(add(&sum, 1, 10 * life + 2), Ok(Err(Forgotten)));
            let _ = theater.shutdown(PATIENCE);
        }
    }
}

#[test]
fn s47_a_request_that_comes_twice_at_once_is_handled_once() {
    for processing in processings() {
        let (disk, theater) = (SimulatedDisk::new(1), theater());
        let sum = sum(&theater, &disk, &processing);
        let clients = 4;
        thread::scope(|scope| {
            for client in 0..2 * clients {
                let (sum, client) = (&sum, client % clients);
                scope.spawn(move || {
                    for number in 1..=50 {
                        // The other one may be far ahead.
                        let _ = add(sum, client, number).unwrap();
                    }
                });
            }
        });
        let handled = 50 * i64::try_from(clients).unwrap();
        assert_eq!(sum.ask(ToSum::Look).wait(), Ok(handled), "{processing:?}");
    }
}

#[test]
fn s47_a_request_that_has_failed_or_was_rejected_is_handled_when_it_comes_again() {
    for processing in processings() {
        let (disk, theater) = (SimulatedDisk::new(1), theater());
        let sum = sum(&theater, &disk, &processing);
        let failed = sum.ask(|reply| ToSum::Fail(id(1, 1), reply)).wait();
        assert!(matches!(failed, Err(AskError::Failed(_))));
        assert_eq!(sum.ask(|reply| ToSum::Reject(id(1, 1), reply)).wait(), Ok(-1));
        assert_eq!([add(&sum, 1, 1), add(&sum, 1, 1)], [Ok(Ok(1)), Ok(Ok(1))]);
    }
}

#[test]
fn s47_a_client_that_was_forgotten_is_new() {
    let (disk, theater) = (SimulatedDisk::new(1), theater());
    let sum = sum(&theater, &disk, &processings()[1]);
    for (client, number, expected) in [(1, 9, 1), (2, 9, 2), (1, 9, 1)] {
        assert_eq!(add(&sum, client, number), Ok(Ok(expected)));
    }
    sum.ask(|reply| ToSum::Forget(1, reply)).wait().unwrap();
    assert_eq!([add(&sum, 1, 9), add(&sum, 2, 9)], [Ok(Ok(3)), Ok(Ok(2))]);
}

/// Else it would look for answers where they are not.
#[test]
fn s47_the_window_is_that_of_the_log() {
    let before = Sum::new(4);
    let answer =
        |sum: &Sum, number| try_atomically::<_, HandlerError>(|tx| sum.add(tx, id(1, number), 1));
    for number in 1..=7 {
        assert_eq!(answer(&before, number).unwrap(), Ok(number as i64));
    }
    let mut told = Vec::new();
    snapshot(|view| {
        before.node().tell(view, &mut |name, change| told.push((name.to_vec(), change.to_vec())))
    })
    .unwrap();
    for window in [1, 3, 4, 100] {
        let after = Sum::new(window);
        let mut restorer = Restorer::new(&after);
        for (name, change) in &told {
            restorer.apply(name, change).expect("it is of the same fields");
        }
        restorer.finish();
        for number in 4..=7 {
            assert_eq!(answer(&after, number).unwrap(), Ok(number as i64));
        }
        assert_eq!(answer(&after, 3).unwrap(), Err(Forgotten));
        assert_eq!(answer(&after, 8).unwrap(), Ok(8));
    }
}

#[test]
fn s47_a_closure_that_fails_leaves_nothing() {
    let sum = Sum { is_strict: true, ..Sum::new(4) };
    let failed = try_atomically::<_, HandlerError>(|tx| sum.add(tx, id(1, 1), 1));
    assert_eq!(failed.unwrap_err().to_string(), "too strict");
    atomically(|tx| sum.answers.forget(tx, 1));
    assert_eq!(sum.sum.peek(), 0);
}
