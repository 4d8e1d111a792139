//! Vaults that pay each other in transactions, and what must be true of them.

use odeon_core::extend::question;
use odeon_core::{Access, ActorRef, Message, Reply, Theater};
use odeon_durable::{DurableRef, RecoverError, SpawnDurable, Store};
use odeon_log::{LogOptions, Storage};
use odeon_macros::Durable;
use odeon_speculative::{
    Coordinate, CoordinationError, Processing, SpeculativeActor, SpeculativeContext, TxResult, fail,
};
use odeon_stm::{TCounter, TMap, TVar, Tx};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

pub(crate) const VAULTS: usize = 3;
const ACCOUNTS: usize = 4;
const BEGIN: i64 = 1_000;
const PATIENCE: Duration = Duration::from_secs(60);

#[derive(Durable)]
#[durable(crate = odeon_durable)]
pub(crate) struct Vault {
    #[durable(1)]
    accounts: Vec<TVar<i64>>,
    /// Of each client the last transaction that this vault was part of.
    #[durable(2)]
    last: TMap<u32, u64>,
    /// What was moved between its own accounts.
    #[durable(3)]
    moved: TCounter,
}

/// What a vault does in a transaction of a client.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    pub(crate) client: u32,
    pub(crate) number: u64,
    pub(crate) amount: i64,
}

pub(crate) enum ToVault {
    Part(Part),
    /// The same, with others that are to join; answers the number.
    Lead(Part, Vec<(ActorRef<ToVault>, Part)>, Reply<u64>),
    Move(Reply<()>),
    Audit(Access, Reply<VaultAudit>),
    Fail(Part),
}

impl Message for ToVault {
    fn access(&self) -> Access {
        match self {
            Self::Audit(access, _) => *access,
            _ => Access::Update,
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct VaultAudit {
    sum: i64,
    last: BTreeMap<u32, u64>,
}

impl VaultAudit {
    /// The last transaction of a client.
    pub(crate) fn last(&self, client: u32) -> Option<u64> {
        self.last.get(&client).copied()
    }
}

impl Vault {
    pub(crate) fn new() -> Self {
        Self {
            accounts: (0..ACCOUNTS).map(|_| TVar::new(BEGIN)).collect(),
            last: TMap::new(),
            moved: TCounter::new(0),
        }
    }

    fn part<'t>(&'t self, tx: &mut Tx<'t>, Part { client, number, amount }: Part) -> TxResult {
        let account = &self.accounts[number as usize % ACCOUNTS];
        account.update(tx, |balance| balance + amount)?;
        let before = self.last.get_copied(tx, &client)?;
        if before.is_some_and(|before| before >= number) {
            return fail(format!("{number} of client {client} behind {before:?}"));
        }
        self.last.put(tx, client, number)?;
        Ok(())
    }
}

impl SpeculativeActor for Vault {
    type Msg = ToVault;

    fn handle<'t>(
        &'t self,
        message: &'t ToVault,
        tx: &mut Tx<'t>,
        ctx: &mut SpeculativeContext<'_, Self>,
    ) -> TxResult {
        match message {
            ToVault::Part(part) => self.part(tx, *part)?,
            ToVault::Lead(part, others, done) => {
                self.part(tx, *part)?;
                for (other, part) in others {
                    ctx.join(other, ToVault::Part(*part));
                }
                ctx.reply(done, part.number);
            }
            ToVault::Move(done) => {
                self.accounts[0].update(tx, |balance| balance - 1)?;
                self.accounts[1].update(tx, |balance| balance + 1)?;
                self.moved.add(tx, 1)?;
                ctx.reply(done, ());
            }
            ToVault::Audit(_, reply) => {
                let mut found = VaultAudit { sum: 0, last: BTreeMap::new() };
                for account in &self.accounts {
                    found.sum += account.get(tx)?;
                }
                self.last.for_each(tx, |client, number| {
                    found.last.insert(*client, *number);
                })?;
                ctx.reply(reply, found);
            }
            ToVault::Fail(part) => {
                self.part(tx, *part)?;
                return fail("as it was told");
            }
        }
        Ok(())
    }
}

/// Which vaults a client's transaction is of, the one that pays first.
pub(crate) fn vaults_of(client: u32, number: u64) -> Vec<usize> {
    let first = (u64::from(client) + number * number) as usize;
    let count = if number % 4 == 0 { VAULTS } else { 2 };
    (first..first + count).map(|vault| vault % VAULTS).collect()
}

/// Its parts, each with its vault.
pub(crate) fn parts_of(client: u32, number: u64) -> Vec<(usize, Part)> {
    let vaults = vaults_of(client, number);
    let pays = 1 - vaults.len() as i64;
    let amounts = [pays].into_iter().chain(std::iter::repeat(1));
    let part = |(vault, amount)| (vault, Part { client, number, amount });
    vaults.into_iter().zip(amounts).map(part).collect()
}

/// A store of this many vaults, and of the transactions of them, which are on the last storage.
pub(crate) fn store<S: Storage + Clone + 'static>(storages: [S; VAULTS + 1]) -> Store {
    let transactions = Arc::new(storages[VAULTS].clone());
    let of_name = move |name: &str| {
        let vault: usize = name.parse().expect("vaults are called by their numbers");
        Ok(Arc::new(storages[vault].clone()) as Arc<dyn Storage>)
    };
    Store::on(of_name)
        .transactions_on(transactions)
        .log_options(LogOptions::default().segment_bytes(3_000))
        .snapshot_after(2_000)
}

pub(crate) struct Vaults(pub(crate) [DurableRef<ToVault>; VAULTS]);

impl Vaults {
    pub(crate) fn spawn(
        theater: &Theater,
        store: &Store,
        processing: impl Fn(usize) -> Processing,
    ) -> Result<Self, RecoverError> {
        let spawn = |vault: usize| {
            theater.spawn_durable(store, &vault.to_string(), Vault::new(), processing(vault))
        };
        Ok(Self([spawn(0)?, spawn(1)?, spawn(2)?]))
    }

    /// A client's transaction, in one of two ways; `false`: nobody knows what has become of it.
    pub(crate) fn pay(&self, theater: &Theater, client: u32, number: u64) -> bool {
        let mut parts = parts_of(client, number).into_iter();
        if number % 2 == 0 {
            let plan = theater.coordinate(|plan| {
                for (vault, part) in parts {
                    plan.send(&self.0[vault], ToVault::Part(part));
                }
            });
            plan.wait().is_ok()
        } else {
            let (first, part) = parts.next().expect("there are two at least");
            let others = parts.map(|(vault, part)| (self.0[vault].actor_ref(), part)).collect();
            let asked = self.0[first].ask(|done| ToVault::Lead(part, others, done));
            asked.wait() == Ok(number)
        }
    }

    /// All at one moment.
    ///
    /// # Panics
    /// If money has come or gone, or a transaction is there in half.
    pub(crate) fn audit(
        &self,
        theater: &Theater,
        access: Access,
    ) -> Result<BTreeMap<u32, u64>, CoordinationError> {
        let (replies, asks): (Vec<_>, Vec<_>) =
            self.0.iter().map(|_| question::<VaultAudit>()).unzip();
        let plan = theater.coordinate(|plan| {
            for (vault, reply) in self.0.iter().zip(replies) {
                plan.send(vault, ToVault::Audit(access, reply));
            }
        });
        plan.wait()?;
        let audits = asks.into_iter().map(|ask| ask.wait_timeout(PATIENCE));
        let audits: Result<Vec<_>, _> = audits.collect();
        // One whose log fails meanwhile says nothing.
        audits.map(|audits| check(&audits)).map_err(|_| CoordinationError::Lost)
    }
}

/// Answers the last transaction of each client.
fn check(audits: &[VaultAudit]) -> BTreeMap<u32, u64> {
    let sum: i64 = audits.iter().map(|audit| audit.sum).sum();
    assert_eq!(sum, (VAULTS * ACCOUNTS) as i64 * BEGIN, "{audits:?}");
    let mut last = BTreeMap::<u32, u64>::new();
    for (client, number) in audits.iter().flat_map(|audit| &audit.last) {
        let of_client = last.entry(*client).or_default();
        *of_client = number.max(of_client).to_owned();
    }
    for (client, number) in &last {
        for (vault, audit) in audits.iter().enumerate() {
            let expected = (1..=*number).rev().find(|n| vaults_of(*client, *n).contains(&vault));
            assert_eq!(audit.last.get(client).copied(), expected, "of {client}: {audits:?}");
        }
    }
    last
}

/// What clients have heard, over several lives of the vaults.
#[derive(Debug, Default)]
pub(crate) struct Heard {
    /// Of their own transactions.
    pub(crate) of_own: BTreeMap<u32, u64>,
    /// In audits.
    pub(crate) audited: BTreeMap<u32, u64>,
}

impl Heard {
    /// What is found has all of that, and of each of so many clients one transaction at most that
    /// it had not heard of.
    ///
    /// # Panics
    /// Otherwise.
    pub(crate) fn check(&mut self, clients: u32, found: &BTreeMap<u32, u64>) {
        for client in 0..clients {
            let of_client = |of: &BTreeMap<u32, u64>| of.get(&client).copied().unwrap_or(0);
            let (there, heard) = (of_client(found), of_client(&self.of_own));
            assert!((heard..=heard + 1).contains(&there), "of {client}: {found:?}, {self:?}");
            assert!(there >= of_client(&self.audited), "of {client}: {found:?}, {self:?}");
            self.of_own.insert(client, there);
        }
    }
}
