//! The ways to keep accounts.

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

/// A theater for accounts that are kept in this way, in a program that has this runtime.
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
struct Balances {
    of_accounts: Vec<u64>,
    work: Work,
}

impl Balances {
    fn deposit(&mut self, account: usize) -> u64 {
        let balance = &mut self.of_accounts[account];
        self.work.compute(*balance);
        *balance += 1;
        *balance
    }
}

/// A deposit of one to an account; the answer is its balance.
#[derive(Message)]
pub(crate) struct Deposit(usize, Reply<u64>);

impl Actor for Balances {
    type Msg = Deposit;
    fn handle(&mut self, Deposit(account, reply): Deposit, _ctx: &mut Context<'_, Self>) {
        reply.send(self.deposit(account));
    }
}

#[derive(Transactional)]
struct SharedBalances {
    of_accounts: Vec<TVar<u64>>,
    #[transactional(outside)]
    work: Work,
}

impl SpeculativeActor for SharedBalances {
    type Msg = Deposit;
    fn handle<'t>(
        &'t self,
        Deposit(account, reply): &'t Deposit,
        tx: &mut Tx<'t>,
        ctx: &mut SpeculativeContext<'_, Self>,
    ) -> TxResult {
        let account = &self.of_accounts[*account];
        let balance = account.get(tx)? + 1;
        self.work.compute(balance);
        account.set(tx, balance)?;
        ctx.reply(reply, balance);
        Ok(())
    }
}

/// Some accounts, by the way in which they are kept.
#[derive(Clone)]
pub struct Accounts(Kept);

#[derive(Clone)]
enum Kept {
    Called(ActorRef<Deposit>),
    Asked(ActorRef<Deposit>),
    Mutex(Arc<Mutex<Balances>>),
    ParkingLot(Arc<parking_lot::Mutex<Balances>>),
    TokioMutex(Arc<tokio::sync::Mutex<Balances>>),
    Channel(mpsc::Sender<(usize, oneshot::Sender<u64>)>),
}

impl Accounts {
    /// So many empty accounts that are kept in this way: as an actor of the theater, or, behind a
    /// channel, by a task of the runtime. A deposit takes as long as `work`.
    ///
    /// # Errors
    /// If there is no such way.
    pub fn kept(
        keeper: &str,
        accounts: usize,
        work: Work,
        theater: &Theater,
        runtime: &Handle,
    ) -> Result<Self, RunError> {
        let balances = Balances { of_accounts: vec![0; accounts], work };
        Ok(Self(match keeper.strip_suffix(ON_TOKIO).unwrap_or(keeper) {
            "call" => Kept::Called(theater.spawn(balances)),
            "ask" => Kept::Asked(theater.spawn(balances)),
            "speculative" => {
                let of_accounts = (0..accounts).map(|_| TVar::new(0)).collect();
                let shared = SharedBalances { of_accounts, work };
                let actor = theater.spawn_speculative(shared, Processing::default());
                Kept::Called(actor.actor_ref())
            }
            "mutex" => Kept::Mutex(Arc::new(Mutex::new(balances))),
            "parking_lot" => Kept::ParkingLot(Arc::new(parking_lot::Mutex::new(balances))),
            "tokio_mutex" => Kept::TokioMutex(Arc::new(tokio::sync::Mutex::new(balances))),
            "channel" => {
                let (keeper, deposits) = mpsc::channel(CHANNEL);
                runtime.spawn(keep(balances, deposits));
                Kept::Channel(keeper)
            }
            other => {
                let problem = format!("no way to keep accounts is called `{other}`");
                return Err(RunError::bad_argument("--keeper", problem));
            }
        }))
    }

    /// Deposits one from a thread, which waits for the balance.
    ///
    /// # Errors
    /// If nobody keeps the accounts any more.
    pub fn deposit(&self, account: usize) -> Result<u64, RunError> {
        match &self.0 {
            Kept::Called(actor) => actor.call(|reply| Deposit(account, reply)).wait().map_err(gone),
            Kept::Asked(actor) => actor.ask(|reply| Deposit(account, reply)).wait().map_err(gone),
            Kept::Mutex(balances) => {
                Ok(balances.lock().unwrap_or_else(PoisonError::into_inner).deposit(account))
            }
            Kept::ParkingLot(balances) => Ok(balances.lock().deposit(account)),
            Kept::TokioMutex(balances) => Ok(balances.blocking_lock().deposit(account)),
            Kept::Channel(keeper) => {
                let (answer_to, answer) = oneshot::channel();
                keeper.blocking_send((account, answer_to)).map_err(gone)?;
                answer.blocking_recv().map_err(gone)
            }
        }
    }

    /// Deposits one from a task, which awaits the balance.
    ///
    /// # Errors
    /// As [`deposit`](Self::deposit).
    pub async fn deposit_in_task(&self, account: usize) -> Result<u64, RunError> {
        match &self.0 {
            Kept::Called(actor) => actor.call(|reply| Deposit(account, reply)).await.map_err(gone),
            Kept::Asked(actor) => actor.ask(|reply| Deposit(account, reply)).await.map_err(gone),
            Kept::Mutex(_) | Kept::ParkingLot(_) => self.deposit(account),
            Kept::TokioMutex(balances) => Ok(balances.lock().await.deposit(account)),
            Kept::Channel(keeper) => {
                let (answer_to, answer) = oneshot::channel();
                keeper.send((account, answer_to)).await.map_err(gone)?;
                answer.await.map_err(gone)
            }
        }
    }
}

async fn keep(mut balances: Balances, mut deposits: mpsc::Receiver<(usize, oneshot::Sender<u64>)>) {
    while let Some((account, answer_to)) = deposits.recv().await {
        // Who has given up waiting needs no answer.
        let _ = answer_to.send(balances.deposit(account));
    }
}

pub(crate) fn failed(problem: impl std::fmt::Display) -> RunError {
    RunError::WrongResult(problem.to_string())
}

fn gone(problem: impl std::fmt::Display) -> RunError {
    RunError::WrongResult(format!("the accounts are gone: {problem}"))
}
