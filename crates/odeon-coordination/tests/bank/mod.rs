//! Theaters in one thread with accounts that are speculative actors, and what each of them has come
//! to know.
#![allow(unreachable_pub, reason = "a module of several tests")]
#![allow(dead_code, reason = "not every test needs all")]

use odeon_coordination::Coordination;
use odeon_core::{ActorRef, Ask, AskError, Message, Random, Reply, Theater};
use odeon_speculative::*;
use odeon_stm::{TVar, Tx};
use odeon_testkit::Deterministic;
use odeon_theater::{Conditions, InMemoryNetwork, LinkConfig, Network, TheaterId};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{self, Poll, Waker};
use std::time::Duration;

#[derive(Serialize, Deserialize)]
pub enum Use {
    /// By this transfer.
    Add { amount: i64, transfer: u64 },
    /// The same, and another account is told of the transfer.
    AddAndTell { amount: i64, transfer: u64, witness: ActorRef<Use> },
    /// What it has.
    Balance(Reply<i64>),
    /// The same, by a message that only reads.
    Look(Reply<i64>),
    /// The transfers that it knows of.
    Transfers(Reply<Vec<u64>>),
    /// Waits until it has so much, and takes it.
    TakeWhenThere { amount: i64 },
    /// Passes so much on to another account, as part of the same transaction.
    PassOn { amount: i64, to: ActorRef<Use> },
    /// As `Add`, and adds to these accounts in the same transaction.
    Spread { amount: i64, transfer: u64, others: Vec<(ActorRef<Use>, i64)> },
    /// As `Add`, and has the last of these accounts do the same, in the same transaction.
    Chain { amount: i64, transfer: u64, rest: Vec<(ActorRef<Use>, i64)> },
    /// What these accounts have together, which the last of them answers; each joins the next.
    Sum { so_far: i64, rest: Vec<ActorRef<Use>>, reply: Reply<i64> },
    /// Has another account take so much when it is there, in the same transaction.
    HaveTaken { amount: i64, of: ActorRef<Use> },
    /// Has the account to itself, and does nothing.
    Alone,
    /// Something that does not touch the balance.
    Visit(Reply<u64>),
}

impl Message for Use {
    fn access(&self) -> Access {
        match self {
            Self::Look(_) => Access::Snapshot,
            Self::Alone => Access::Exclusive,
            _ => Access::Update,
        }
    }
}

pub struct Account {
    balance: TVar<i64>,
    transfers: TVar<Vec<u64>>,
    visits: TVar<u64>,
}

impl Account {
    pub fn new(balance: i64) -> Self {
        Self { balance: TVar::new(balance), transfers: TVar::default(), visits: TVar::new(0) }
    }
}

impl Account {
    fn add<'t>(&'t self, amount: i64, transfer: u64, tx: &mut Tx<'t>) -> TxResult {
        let balance = self.balance.get(tx)? + amount;
        if balance < 0 {
            return fail("not covered");
        }
        self.balance.set(tx, balance)?;
        let mut transfers = self.transfers.read(tx)?.clone();
        transfers.push(transfer);
        self.transfers.set(tx, transfers)?;
        Ok(())
    }
}

impl SpeculativeActor for Account {
    type Msg = Use;

    fn handle<'t>(
        &'t self,
        msg: &'t Use,
        tx: &mut Tx<'t>,
        ctx: &mut SpeculativeContext<'_, Self>,
    ) -> TxResult {
        match msg {
            Use::Add { amount, transfer } | Use::AddAndTell { amount, transfer, .. } => {
                self.add(*amount, *transfer, tx)?;
                if let Use::AddAndTell { witness, .. } = msg {
                    let _ = witness.send(Use::Add { amount: 0, transfer: *transfer });
                }
            }
            Use::Balance(reply) | Use::Look(reply) => ctx.reply(reply, self.balance.get(tx)?),
            Use::Transfers(reply) => ctx.reply(reply, self.transfers.read(tx)?.clone()),
            Use::TakeWhenThere { amount } => {
                let balance = self.balance.get(tx)?;
                if balance < *amount {
                    tx.retry()?;
                }
                self.balance.set(tx, balance - amount)?;
            }
            Use::PassOn { amount, to } => {
                self.balance.update(tx, |balance| balance - amount)?;
                ctx.join(to, Use::Add { amount: *amount, transfer: 0 });
            }
            Use::Spread { amount, transfer, others } => {
                self.add(*amount, *transfer, tx)?;
                for (other, amount) in others {
                    ctx.join(other, Use::Add { amount: *amount, transfer: *transfer });
                }
            }
            Use::Chain { amount, transfer, rest } => {
                self.add(*amount, *transfer, tx)?;
                let mut rest = rest.clone();
                if let Some((next, amount)) = rest.pop() {
                    ctx.join(&next, Use::Chain { amount, transfer: *transfer, rest });
                }
            }
            Use::Sum { so_far, rest, reply } => {
                let so_far = so_far + self.balance.get(tx)?;
                let mut rest = rest.clone();
                match rest.pop() {
                    Some(next) => {
                        let reply = ctx.pass_on(reply);
                        ctx.join(&next, Use::Sum { so_far, rest, reply });
                    }
                    None => ctx.reply(reply, so_far),
                }
            }
            Use::HaveTaken { amount, of } => {
                self.balance.update(tx, |balance| balance + amount)?;
                ctx.join(of, Use::TakeWhenThere { amount: *amount });
            }
            Use::Alone => {}
            Use::Visit(reply) => {
                let visits = self.visits.get(tx)? + 1;
                self.visits.set(tx, visits)?;
                ctx.reply(reply, visits);
            }
        }
        Ok(())
    }
}

pub struct Place {
    pub run: Deterministic,
    pub network: Network,
    pub coordination: Coordination,
    /// A reference to each account.
    pub accounts: Vec<ActorRef<Use>>,
    pub is_dead: bool,
}

/// A look at something that is to come.
pub fn look<F: Future + Unpin>(future: &mut F) -> Option<F::Output> {
    match Pin::new(future).poll(&mut task::Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => Some(output),
        Poll::Pending => None,
    }
}

pub struct Bank {
    pub net: InMemoryNetwork,
    pub places: Vec<Place>,
    pub random: Random,
    pub step: Duration,
    pub seed: u64,
    /// How transfers get to their accounts.
    pub way: Way,
    now: Duration,
    per_place: usize,
    last: u64,
}

/// How a transfer gets to its accounts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// The plan names all.
    Plan,
    /// The plan names the first one, whose handler joins the others.
    Spread,
    /// The handler of each joins the next one.
    Chain,
}

pub const WAYS: [Way; 3] = [Way::Plan, Way::Spread, Way::Chain];

/// What each account has at first.
pub const FIRST: i64 = 100;

pub fn id(place: usize) -> TheaterId {
    TheaterId::from_bits(place as u128 + 1)
}

impl Bank {
    /// So many theaters, each with so many accounts; account `a` lives in theater `a % theaters`.
    pub fn new(seed: u64, theaters: usize, per_place: usize) -> Self {
        Self::with(seed, theaters, per_place, Processing::default)
    }

    pub fn with(
        seed: u64,
        theaters: usize,
        per_place: usize,
        processing: impl Fn() -> Processing,
    ) -> Self {
        let net = InMemoryNetwork::new(seed);
        let mut own: Vec<Vec<ActorRef<Use>>> = Vec::new();
        let place = |number: usize| {
            own.push(Vec::new());
            let run = Deterministic::with(seed * 100 + number as u64, Theater::builder());
            let config = LinkConfig::new("bank", 65_000);
            let network = Network::join(run.theater(), id(number), config, |me, listener| {
                Ok::<_, Infallible>(Arc::new(net.join(me, listener)))
            });
            let network = network.unwrap();
            let coordination = Coordination::join(run.theater(), &network);
            for account in 0..per_place {
                let spawned = run.theater().spawn_speculative(Account::new(FIRST), processing());
                network.publish(&format!("account {account}"), &spawned.actor_ref());
                own[number].push(spawned.actor_ref());
            }
            Place { run, network, coordination, accounts: Vec::new(), is_dead: false }
        };
        let places = (0..theaters).map(place).collect();
        let random = Random::from_seed(seed);
        let step = Duration::from_millis(1);
        let mut bank = Self {
            net,
            places,
            random,
            step,
            seed,
            way: Way::Plan,
            now: Duration::ZERO,
            per_place,
            last: 0,
        };
        bank.steps(20);
        for (place, own) in own.iter().enumerate() {
            for account in 0..theaters * per_place {
                let (home, number) = (account % theaters, account / theaters);
                let name = format!("account {number}");
                let found = if home == place {
                    own[number].clone()
                } else {
                    let mut found = bank.places[place].network.at(id(home)).lookup::<Use>(&name);
                    bank.until(|_| look(&mut found)).unwrap().unwrap()
                };
                bank.places[place].accounts.push(found);
            }
        }
        bank
    }

    pub fn accounts(&self) -> usize {
        self.places.len() * self.per_place
    }

    pub fn home(&self, account: usize) -> usize {
        account % self.places.len()
    }

    pub fn account(&self, from: usize, account: usize) -> &ActorRef<Use> {
        &self.places[from].accounts[account]
    }

    pub fn below(&mut self, limit: usize) -> usize {
        self.random.below(limit)
    }

    /// A theater that is not dead.
    pub fn somebody(&mut self) -> usize {
        loop {
            let place = self.below(self.places.len());
            if !self.places[place].is_dead {
                return place;
            }
        }
    }

    pub fn tick(&mut self) {
        self.now += self.step;
        self.net.step(self.now);
        for place in self.places.iter().filter(|place| !place.is_dead) {
            place.run.advance(self.step);
        }
        self.net.step(self.now);
    }

    pub fn steps(&mut self, steps: usize) {
        (0..steps).for_each(|_| self.tick());
    }

    /// Goes on until there is something to be seen.
    #[track_caller]
    pub fn until<T>(&mut self, mut seen: impl FnMut(&Self) -> Option<T>) -> T {
        for _ in 0..20_000 {
            if let Some(seen) = seen(self) {
                return seen;
            }
            self.tick();
        }
        panic!("seed {}: it does not come", self.seed);
    }

    #[track_caller]
    pub fn outcome(&mut self, mut outcome: Outcome) -> Result<(), CoordinationError> {
        self.until(|_| look(&mut outcome))
    }

    #[track_caller]
    pub fn answer<T: Send + 'static>(&mut self, mut ask: Ask<T>) -> Result<T, AskError> {
        self.until(|_| look(&mut ask))
    }

    pub fn kill(&mut self, place: usize) {
        self.net.crash(id(place));
        self.places[place].is_dead = true;
    }

    pub fn everywhere(&mut self, conditions: Conditions) {
        self.net.set_everywhere(conditions);
    }

    /// Begins a transfer; its number.
    pub fn transfer(&mut self, from: usize, parts: &[(usize, i64)]) -> (u64, Outcome) {
        self.last += 1;
        let transfer = self.last;
        let place = &self.places[from];
        let account = |&(account, amount): &(usize, i64)| (&place.accounts[account], amount);
        let ((first, amount), others) = (account(&parts[0]), &parts[1..]);
        let named = |it: &(usize, i64)| (account(it).0.clone(), it.1);
        let outcome = place.run.theater().coordinate(|co| match self.way {
            Way::Plan => {
                for (account, amount) in parts.iter().map(account) {
                    co.send(account, Use::Add { amount, transfer });
                }
            }
            Way::Spread => {
                let others = others.iter().map(named).collect();
                co.send(first, Use::Spread { amount, transfer, others });
            }
            Way::Chain => {
                let rest = others.iter().rev().map(named).collect();
                co.send(first, Use::Chain { amount, transfer, rest });
            }
        });
        (transfer, outcome)
    }

    /// A transaction that reads these accounts.
    pub fn read(&mut self, from: usize, accounts: &[usize]) -> (Outcome, Vec<Ask<i64>>) {
        let place = &self.places[from];
        let (mut asks, mut messages) = (Vec::new(), Vec::new());
        for account in accounts {
            let (reply, ask) = odeon_core::extend::question();
            asks.push(ask);
            messages.push((*account, Use::Look(reply)));
        }
        let outcome = place.run.theater().coordinate(|co| {
            for (account, message) in messages {
                co.send(&place.accounts[account], message);
            }
        });
        (outcome, asks)
    }

    /// What each account of a living theater knows: balances and transfers.
    pub fn settled(&mut self) -> BTreeMap<usize, (i64, Vec<u64>)> {
        let accounts = 0..self.accounts();
        let living: Vec<usize> =
            accounts.filter(|account| !self.places[self.home(*account)].is_dead).collect();
        let mut settled = BTreeMap::new();
        for account in living {
            let home = self.home(account);
            let balance = self.account(home, account).ask(Use::Balance);
            let transfers = self.account(home, account).ask(Use::Transfers);
            let balance = self.answer(balance).unwrap();
            settled.insert(account, (balance, self.answer(transfers).unwrap()));
        }
        settled
    }

    /// Nobody remembers anything that is under way.
    #[track_caller]
    pub fn check_that_all_is_over(&mut self) {
        self.steps(9_000);
        for (number, place) in self.places.iter().enumerate().filter(|(_, it)| !it.is_dead) {
            let left = (place.coordination.under_way(), place.coordination.records());
            assert_eq!(left, (0, 0), "seed {}: theater {number}", self.seed);
        }
    }
}
