//! What clients of a durable actor are told, over several crashes of its disk, can be explained by
//! an order of all operations.
//!
//! The actor notes the last operation of each client with its answer. So whoever finds it again
//! knows which of those that nobody had heard of have happened: all others are undone, and are not
//! to happen later.

use super::ledger::{PATIENCE, processings, store, theater};
use odeon_core::{Access, Message, Random, Reply, Theater};
use odeon_durable::{DurableRef, SpawnDurable};
use odeon_log::Storage;
use odeon_macros::Durable;
use odeon_speculative::{Processing, SpeculativeActor, SpeculativeContext, TxResult};
use odeon_stm::{TMap, TVar, Tx};
use odeon_testkit::disk::{DiskFault, SimulatedDisk};
use odeon_testkit::{Call, History, Model, Step, Unexplained, for_seeds};
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::sync::{Mutex, MutexGuard};
use std::thread;

const CLIENTS: usize = 3;
const ACCOUNTS: usize = 3;
const OPENING: u32 = 10;
/// Of each client in each life, at most.
const OPERATIONS: usize = 8;

#[derive(Clone, Copy, Debug)]
enum Operation {
    /// Answers both balances; nothing if there is not enough.
    Transfer { from: usize, to: usize, amount: u32 },
    /// Answers what was there.
    Put { account: usize, amount: u32 },
    /// Answers all balances.
    Read(Access),
}

type Answer = Vec<u32>;

/// What the judge knows of it.
struct Balances;

impl Model for Balances {
    type State = [u32; ACCOUNTS];
    type Call = Operation;
    type Answer = Answer;

    fn step(
        &self,
        state: &Self::State,
        call: &Operation,
        _: usize,
        answer: Option<&Answer>,
    ) -> Step<Self::State> {
        let mut next = *state;
        let expected = match *call {
            Operation::Transfer { from, amount, .. } if state[from] < amount => vec![],
            Operation::Transfer { from, to, amount } => {
                next[from] -= amount;
                next[to] += amount;
                vec![next[from], next[to]]
            }
            Operation::Put { account, amount } => {
                next[account] = amount;
                vec![state[account]]
            }
            Operation::Read(_) => state.to_vec(),
        };
        if answer.is_none_or(|told| *told == expected) { Step::Last(next) } else { Step::Refuted }
    }
}

#[derive(Durable)]
#[durable(crate = odeon_durable)]
struct Accounts {
    #[durable(1)]
    balances: [TVar<u32>; ACCOUNTS],
    /// The number of each client's last operation that has changed something, and its answer.
    #[durable(2)]
    last: TMap<usize, (u64, Answer)>,
}

enum ToAccounts {
    Do { client: usize, number: u64, operation: Operation, done: Reply<Answer> },
    LastOf(usize, Reply<Option<(u64, Answer)>>),
}

impl Message for ToAccounts {
    fn access(&self) -> Access {
        match self {
            Self::Do { operation: Operation::Read(access), .. } => *access,
            Self::Do { .. } => Access::Update,
            Self::LastOf(..) => Access::Snapshot,
        }
    }
}

impl Accounts {
    fn new() -> Self {
        Self { balances: std::array::from_fn(|_| TVar::new(OPENING)), last: TMap::new() }
    }
}

impl SpeculativeActor for Accounts {
    type Msg = ToAccounts;

    fn handle<'t>(
        &'t self,
        message: &'t ToAccounts,
        tx: &mut Tx<'t>,
        ctx: &mut SpeculativeContext<'_, Self>,
    ) -> TxResult {
        let (client, number, operation, done) = match message {
            ToAccounts::Do { client, number, operation, done } => (client, number, operation, done),
            ToAccounts::LastOf(client, reply) => {
                ctx.reply(reply, self.last.get(tx, client)?.cloned());
                return Ok(());
            }
        };
        let answer = match *operation {
            Operation::Transfer { from, to, amount } => {
                let there = self.balances[from].get(tx)?;
                let Some(left) = there.checked_sub(amount) else {
                    return ctx.reject(tx, done, vec![]);
                };
                self.balances[from].set(tx, left)?;
                self.balances[to].update(tx, |there| there + amount)?;
                vec![left, self.balances[to].get(tx)?]
            }
            Operation::Put { account, amount } => {
                let before = self.balances[account].get(tx)?;
                self.balances[account].set(tx, amount)?;
                vec![before]
            }
            Operation::Read(_) => {
                let mut balances = Vec::new();
                for balance in &self.balances {
                    balances.push(balance.get(tx)?);
                }
                ctx.reply(done, balances);
                return Ok(());
            }
        };
        self.last.put(tx, *client, (*number, answer.clone()))?;
        ctx.reply(done, answer);
        Ok(())
    }
}

/// What has happened in all lives.
#[derive(Default)]
struct Story {
    clock: AtomicU64,
    history: Mutex<History<Operation, Answer>>,
    /// Of each client how many operations it has begun, and which of them nobody has answered.
    begun: [u64; CLIENTS],
    unanswered: [Option<Call>; CLIENTS],
}

impl Story {
    fn tick(&self) -> u64 {
        self.clock.fetch_add(1, SeqCst)
    }

    fn history(&self) -> MutexGuard<'_, History<Operation, Answer>> {
        self.history.lock().unwrap()
    }

    fn spawn(
        theater: &Theater,
        disk: &SimulatedDisk,
        processing: Processing,
    ) -> Option<DurableRef<ToAccounts>> {
        theater.spawn_durable(&store(disk.clone()), "accounts", Accounts::new(), processing).ok()
    }

    /// Which operations have happened that nobody had heard of. Those of readers have nothing to
    /// be known by.
    fn clear_up(&mut self, accounts: &DurableRef<ToAccounts>) -> Option<()> {
        for client in 0..CLIENTS {
            let last = accounts.ask(|reply| ToAccounts::LastOf(client, reply)).wait().ok()?;
            let Some(call) = self.unanswered[client].take() else { continue };
            match last {
                Some((number, answer)) if number == self.begun[client] => {
                    self.history().answered(call, self.tick(), answer);
                }
                _ => self.history().undone(call),
            }
        }
        Some(())
    }

    /// The actor lives until the disk fails, or all clients have had enough.
    fn live(&mut self, disk: &SimulatedDisk, seed: u64, knows: bool) {
        let mut random = Random::from_seed(seed);
        let theater = theater();
        let processing = processings()[random.below(processings().len())].clone();
        let Some(accounts) = Self::spawn(&theater, disk, processing) else { return };
        if knows && self.clear_up(&accounts).is_none() {
            return;
        }
        let outcomes: Vec<_> = thread::scope(|scope| {
            let client = |client| {
                let (story, accounts) = (&*self, &accounts);
                scope.spawn(move || story.operate(accounts, client, seed))
            };
            let clients: Vec<_> = (0..CLIENTS).map(client).collect();
            clients.into_iter().map(|client| client.join().unwrap()).collect()
        });
        for (client, (begun, unanswered)) in outcomes.into_iter().enumerate() {
            self.begun[client] = begun;
            self.unanswered[client] = unanswered;
        }
        let _ = theater.shutdown(PATIENCE);
    }

    /// One after the other, until one is not answered.
    fn operate(
        &self,
        accounts: &DurableRef<ToAccounts>,
        client: usize,
        seed: u64,
    ) -> (u64, Option<Call>) {
        let mut random = Random::from_seed(seed ^ (client as u64 + 1) << 32);
        let begun = self.begun[client];
        for number in begun + 1..=begun + OPERATIONS as u64 {
            let (account, amount) = (random.below(ACCOUNTS), random.below(15) as u32);
            let operation = match random.below(6) {
                0..3 => {
                    let to = (account + 1 + random.below(ACCOUNTS - 1)) % ACCOUNTS;
                    Operation::Transfer { from: account, to, amount }
                }
                3 => Operation::Put { account, amount },
                _ => Operation::Read(
                    [Access::Snapshot, Access::Update, Access::Exclusive][random.below(3)],
                ),
            };
            let call = self.history().called(self.tick(), operation);
            let ask = accounts.ask(|done| ToAccounts::Do { client, number, operation, done });
            match ask.wait() {
                Ok(answer) => self.history().answered(call, self.tick(), answer),
                Err(_) => return (number, Some(call)),
            }
        }
        (begun + OPERATIONS as u64, None)
    }

    fn unexplained(&self) -> Option<Unexplained> {
        self.history().unexplained(&Balances, [OPENING; ACCOUNTS])
    }
}

fn judge(seed: u64, fault: DiskFault) {
    let (mut story, mut random) = (Story::default(), Random::from_seed(seed));
    let mut disk = SimulatedDisk::new(seed);
    // Half of them judge what was not answered as if it could happen later too.
    let knows = seed % 2 == 0;
    for life in 0..4 {
        disk.fail_at(disk.operations() + random.below(60) as u64, fault);
        story.live(&disk, seed << 8 | life, knows);
        if fault == DiskFault::Crash || random.below(2) == 0 {
            disk = disk.crash();
        }
    }
    disk.heal();
    story.live(&disk, seed << 8 | 9, knows);
    let (answered, _) = story.history().counts();
    assert!(answered >= CLIENTS * OPERATIONS, "{answered} were answered");
    if let Some(unexplained) = story.unexplained() {
        panic!("{unexplained}");
    }
}

#[test]
fn answers_across_crashes_have_an_order() {
    for_seeds(100, |seed| judge(seed, DiskFault::Crash));
}

#[test]
fn answers_across_errors_of_the_disk_have_an_order() {
    for_seeds(100, |seed| judge(seed, DiskFault::Error));
}

/// The judge notices what the tests are about.
#[test]
fn a_disk_that_forgets_what_it_has_synced_is_found_out() {
    let found_out = (0..20).filter(|&seed| {
        let (mut story, disk) = (Story::default(), SimulatedDisk::new(seed));
        story.live(&disk, seed << 8, false);
        let names = disk.list().unwrap().into_iter();
        let before: Vec<_> = names.map(|name| (disk.bytes(&name).unwrap(), name)).collect();
        story.live(&disk, seed << 8 | 1, false);
        let older = SimulatedDisk::new(seed);
        before.into_iter().for_each(|(bytes, name)| older.put(&name, bytes));
        story.live(&older, seed << 8 | 2, false);
        story.unexplained().is_some()
    });
    assert!(found_out.count() > 15);
}
