//! The ways to keep an account.

use odeon::prelude::*;
use odeon::tokio::TheaterBuilderExt;
use odeon_example_run::RunError;
use odeon_example_shared_state::Work;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::runtime::Handle;
use tokio::sync::{mpsc, oneshot};

/// The names of all ways: a plain actor that is called or asked, a speculative one that is called,
/// each by a pool of threads or by workers that are tasks of the runtime; locks of the standard
/// library, of `parking_lot` and of tokio; and a task of tokio behind a channel.
pub const KEEPERS: &[&str] = &[
    "call",
    "ask",
    "speculative",
    "call_on_tokio",
    "ask_on_tokio",
    "speculative_on_tokio",
    "mutex",
    "parking_lot",
    "tokio_mutex",
    "channel",
];

/// A theater for an account that is kept in this way, in a program that has this runtime.
pub(crate) fn theater_of(
    keeper: &str,
    workers: usize,
    runtime: &Handle,
) -> Result<Theater, RunError> {
    let builder = match keeper.ends_with(ON_TOKIO) {
        true => Theater::builder().on_tokio_of(runtime.clone()),
        false => Theater::builder(),
    };
    builder.workers(workers).build().map_err(failed)
}

const ON_TOKIO: &str = "_on_tokio";

/// TUNE: questions that wait in the channel of a task at most: as many as there are askers, mostly.
const CHANNEL: usize = 1024;

/// What is kept. A deposit computes for a while, as a handler of an application does.
struct Balance {
    deposits: u64,
    work: Work,
}

impl Balance {
    fn deposit(&mut self) -> u64 {
        self.work.compute(self.deposits);
        self.deposits += 1;
        self.deposits
    }
}

/// A deposit of one; the answer is the balance.
#[derive(Message)]
pub(crate) struct Deposit(Reply<u64>);

impl Actor for Balance {
    type Msg = Deposit;
    fn handle(&mut self, Deposit(reply): Deposit, _ctx: &mut Context<'_, Self>) {
        reply.send(self.deposit());
    }
}

#[derive(Transactional)]
struct SharedBalance {
    deposits: TVar<u64>,
    #[transactional(outside)]
    work: Work,
}

impl SpeculativeActor for SharedBalance {
    type Msg = Deposit;
    fn handle<'t>(
        &'t self,
        Deposit(reply): &'t Deposit,
        tx: &mut Tx<'t>,
        ctx: &mut SpeculativeContext<'_, Self>,
    ) -> TxResult {
        let balance = self.deposits.get(tx)? + 1;
        self.work.compute(balance);
        self.deposits.set(tx, balance)?;
        ctx.reply(reply, balance);
        Ok(())
    }
}

/// An account, by the way in which it is kept.
#[derive(Clone)]
pub struct Account(Kept);

#[derive(Clone)]
enum Kept {
    Called(ActorRef<Deposit>),
    Asked(ActorRef<Deposit>),
    Mutex(Arc<Mutex<Balance>>),
    ParkingLot(Arc<parking_lot::Mutex<Balance>>),
    TokioMutex(Arc<tokio::sync::Mutex<Balance>>),
    Channel(mpsc::Sender<oneshot::Sender<u64>>),
}

impl Account {
    /// An empty account that is kept in this way: as an actor of the theater, or, behind a channel,
    /// by a task of the runtime. A deposit takes as long as `work`.
    ///
    /// # Errors
    /// If there is no such way.
    pub fn kept(
        keeper: &str,
        work: Work,
        theater: &Theater,
        runtime: &Handle,
    ) -> Result<Self, RunError> {
        let balance = Balance { deposits: 0, work };
        Ok(Self(match keeper.strip_suffix(ON_TOKIO).unwrap_or(keeper) {
            "call" => Kept::Called(theater.spawn(balance)),
            "ask" => Kept::Asked(theater.spawn(balance)),
            "speculative" => {
                let shared = SharedBalance { deposits: TVar::new(0), work };
                let actor = theater.spawn_speculative(shared, Processing::default());
                Kept::Called(actor.actor_ref())
            }
            "mutex" => Kept::Mutex(Arc::new(Mutex::new(balance))),
            "parking_lot" => Kept::ParkingLot(Arc::new(parking_lot::Mutex::new(balance))),
            "tokio_mutex" => Kept::TokioMutex(Arc::new(tokio::sync::Mutex::new(balance))),
            "channel" => {
                let (account, deposits) = mpsc::channel(CHANNEL);
                runtime.spawn(keep(balance, deposits));
                Kept::Channel(account)
            }
            other => {
                let problem = format!("no way to keep an account is called `{other}`");
                return Err(RunError::bad_argument("--keeper", problem));
            }
        }))
    }

    /// Deposits one from a thread, which waits for the balance.
    ///
    /// # Errors
    /// If nobody keeps it any more.
    pub fn deposit(&self) -> Result<u64, RunError> {
        match &self.0 {
            Kept::Called(actor) => actor.call(Deposit).wait().map_err(gone),
            Kept::Asked(actor) => actor.ask(Deposit).wait().map_err(gone),
            Kept::Mutex(balance) => {
                Ok(balance.lock().unwrap_or_else(PoisonError::into_inner).deposit())
            }
            Kept::ParkingLot(balance) => Ok(balance.lock().deposit()),
            Kept::TokioMutex(balance) => Ok(balance.blocking_lock().deposit()),
            Kept::Channel(account) => {
                let (answer_to, answer) = oneshot::channel();
                account.blocking_send(answer_to).map_err(gone)?;
                answer.blocking_recv().map_err(gone)
            }
        }
    }

    /// Deposits one from a task, which awaits the balance.
    ///
    /// # Errors
    /// As [`deposit`](Self::deposit).
    pub async fn deposit_in_task(&self) -> Result<u64, RunError> {
        match &self.0 {
            Kept::Called(actor) => actor.call(Deposit).await.map_err(gone),
            Kept::Asked(actor) => actor.ask(Deposit).await.map_err(gone),
            Kept::Mutex(_) | Kept::ParkingLot(_) => self.deposit(),
            Kept::TokioMutex(balance) => Ok(balance.lock().await.deposit()),
            Kept::Channel(account) => {
                let (answer_to, answer) = oneshot::channel();
                account.send(answer_to).await.map_err(gone)?;
                answer.await.map_err(gone)
            }
        }
    }
}

async fn keep(mut balance: Balance, mut deposits: mpsc::Receiver<oneshot::Sender<u64>>) {
    while let Some(answer_to) = deposits.recv().await {
        // Who has given up waiting needs no answer.
        let _ = answer_to.send(balance.deposit());
    }
}

pub(crate) fn failed(problem: impl std::fmt::Display) -> RunError {
    RunError::WrongResult(problem.to_string())
}

fn gone(problem: impl std::fmt::Display) -> RunError {
    RunError::WrongResult(format!("the account is gone: {problem}"))
}
