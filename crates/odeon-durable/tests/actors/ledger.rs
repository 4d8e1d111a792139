//! A ledger that tests transfer in, and what must be true of it.

use odeon_core::{Access, AskError, Message, Reply, Theater};
use odeon_durable::{DurableRef, RecoverError, SpawnDurable, Store};
use odeon_log::{LogId, LogOptions, Storage};
use odeon_macros::Durable;
use odeon_speculative::{Processing, SpeculativeActor, SpeculativeContext, TxResult, fail};
use odeon_stm::{TCounter, TMap, TQueue, TVar, Tx};
use odeon_testkit::silent_panic;
use std::sync::Arc;
use std::time::Duration;

pub(crate) const ACCOUNTS: usize = 16;
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);
pub(crate) const BEGIN: u64 = 1_000;

#[derive(Durable)]
#[durable(crate = odeon_durable)]
pub(crate) struct Account {
    #[durable(1)]
    balance: TVar<u64>,
    #[durable(2)]
    last: TVar<String>,
}

/// Of each client the number of its last transfer, and in a list the last ones of all.
#[derive(Durable)]
#[durable(crate = odeon_durable)]
pub(crate) struct Ledger {
    #[durable(1)]
    accounts: Vec<Account>,
    #[durable(2)]
    transfers: TCounter,
    #[durable(3)]
    of_clients: TMap<u32, u64>,
    #[durable(4)]
    latest: TQueue<(u32, u64)>,
    #[durable(skip)]
    not_logged: TVar<u64>,
}

pub(crate) enum ToLedger {
    /// The `number`th one of a client; answers how many it has made.
    Transfer {
        client: u32,
        number: u64,
        from: usize,
        to: usize,
        done: Reply<u64>,
    },
    Audit(Access, Reply<Audited>),
    /// Changes what is not logged.
    Note(Reply<u64>),
    Fail(Reply<()>),
    Panic(Reply<()>),
    Reject(Reply<u64>),
    Stop(Reply<()>),
}

/// What a ledger has.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Audited {
    pub(crate) sum: u64,
    pub(crate) transfers: i64,
    /// By client.
    pub(crate) of_clients: Vec<(u32, u64)>,
    pub(crate) latest: Option<(u32, u64)>,
    pub(crate) balances: Vec<u64>,
    pub(crate) named: usize,
}

impl Message for ToLedger {
    fn access(&self) -> Access {
        match self {
            Self::Audit(access, _) => *access,
            _ => Access::Update,
        }
    }
}

impl Ledger {
    pub(crate) fn new() -> Self {
        let account = || Account { balance: TVar::new(BEGIN), last: TVar::default() };
        Self {
            accounts: (0..ACCOUNTS).map(|_| account()).collect(),
            transfers: TCounter::new(0),
            of_clients: TMap::new(),
            latest: TQueue::new(),
            not_logged: TVar::new(0),
        }
    }
}

impl SpeculativeActor for Ledger {
    type Msg = ToLedger;

    fn handle<'t>(
        &'t self,
        message: &'t ToLedger,
        tx: &mut Tx<'t>,
        ctx: &mut SpeculativeContext<'_, Self>,
    ) -> TxResult {
        match message {
            ToLedger::Transfer { client, number, from, to, done } => {
                let before = self.of_clients.get_copied(tx, client)?.unwrap_or(0);
                if before + 1 != *number {
                    return fail(format!("{before} before {number} of client {client}"));
                }
                self.of_clients.put(tx, *client, *number)?;
                self.accounts[*from].balance.update(tx, |balance| balance - 1)?;
                self.accounts[*to].balance.update(tx, |balance| balance + 1)?;
                self.accounts[*to].last.set(tx, format!("{client}.{number}"))?;
                self.transfers.add(tx, 1)?;
                self.latest.push(tx, (*client, *number))?;
                if self.latest.len(tx)? > 3 {
                    self.latest.pop(tx)?;
                }
                ctx.reply(done, *number);
            }
            ToLedger::Audit(_, reply) => ctx.reply(reply, self.audit(tx)?),
            ToLedger::Note(reply) => {
                self.not_logged.update(tx, |noted| noted + 1)?;
                ctx.reply(reply, self.not_logged.get(tx)?);
            }
            ToLedger::Fail(_unanswered) => {
                self.accounts[0].balance.set(tx, 0)?;
                return fail("as it was told");
            }
            ToLedger::Panic(_unanswered) => {
                self.of_clients.clear(tx)?;
                silent_panic("as it was told");
            }
            ToLedger::Reject(reply) => {
                self.accounts[0].balance.set(tx, 0)?;
                self.of_clients.clear(tx)?;
                return ctx.reject(tx, reply, 7);
            }
            ToLedger::Stop(reply) => {
                ctx.reply(reply, ());
                ctx.stop();
            }
        }
        Ok(())
    }
}

impl Ledger {
    fn audit<'t>(&'t self, tx: &mut Tx<'t>) -> TxResult<Audited> {
        let mut balances = Vec::new();
        let mut named = 0;
        for account in &self.accounts {
            balances.push(account.balance.get(tx)?);
            named += usize::from(!account.last.read(tx)?.is_empty());
        }
        let mut of_clients = Vec::new();
        self.of_clients.for_each(tx, |client, number| of_clients.push((*client, *number)))?;
        of_clients.sort_unstable();
        Ok(Audited {
            sum: balances.iter().sum(),
            transfers: self.transfers.get(tx)?,
            of_clients,
            latest: self.latest.first(tx)?.copied(),
            balances,
            named,
        })
    }
}

impl Audited {
    /// Nothing is there in half.
    ///
    /// # Panics
    /// Otherwise.
    pub(crate) fn check(&self) {
        assert_eq!(self.sum, ACCOUNTS as u64 * BEGIN, "{self:?}");
        let of_clients: u64 = self.of_clients.iter().map(|(_, number)| number).sum();
        assert_eq!(self.transfers, of_clients as i64, "{self:?}");
        assert_eq!(self.latest.is_none(), of_clients == 0, "{self:?}");
    }

    pub(crate) fn of_client(&self, client: u32) -> u64 {
        let of_client = self.of_clients.iter().find(|(there, _)| *there == client);
        of_client.map_or(0, |(_, number)| *number)
    }
}

/// A store of one log.
pub(crate) fn store(storage: impl Storage + Clone + 'static) -> Store {
    Store::on(move |_| Ok(Arc::new(storage.clone())))
        .log_options(LogOptions::default().segment_bytes(3_000).new_id(LogId(7)))
        .snapshot_after(2_000)
}

pub(crate) fn spawn(
    theater: &Theater,
    store: &Store,
    processing: Processing,
) -> Result<DurableRef<ToLedger>, RecoverError> {
    theater.spawn_durable(store, "ledger", Ledger::new(), processing)
}

pub(crate) fn theater() -> Theater {
    Theater::builder().workers(2).failures_printed(false).build().unwrap()
}

pub(crate) fn processings() -> [Processing; 4] {
    let wide = Processing::concurrent().width(4);
    [
        Processing::sequential(),
        wide.clone(),
        wide.ordering(odeon_speculative::Ordering::Unordered),
        Processing::adaptive(),
    ]
}

/// The next transfers of a client, one after the other, until one fails. Answers how many it has
/// heard of altogether.
pub(crate) fn transfer(
    ledger: &DurableRef<ToLedger>,
    client: u32,
    first: u64,
    transfers: u64,
) -> (u64, Result<(), AskError>) {
    for number in first..first + transfers {
        let (from, to) = (number as usize % ACCOUNTS, (client as usize + 1) % ACCOUNTS);
        let transfer = |done| ToLedger::Transfer { client, number, from, to, done };
        // Of two clients one enters, and handles its transfers itself.
        let answer = if client % 2 == 0 {
            ledger.ask(transfer).wait()
        } else {
            ledger.call(transfer).wait()
        };
        match answer {
            Ok(answered) => assert_eq!(answered, number),
            Err(error) => return (number - 1, Err(error)),
        }
    }
    (first + transfers - 1, Ok(()))
}

pub(crate) fn audit(ledger: &DurableRef<ToLedger>) -> Audited {
    ledger.ask(|reply| ToLedger::Audit(Access::Snapshot, reply)).wait().unwrap()
}

/// As [`audit`], if the ledger answers.
pub(crate) fn find_again(ledger: &DurableRef<ToLedger>) -> Option<Audited> {
    ledger.ask(|reply| ToLedger::Audit(Access::Snapshot, reply)).wait().ok()
}
