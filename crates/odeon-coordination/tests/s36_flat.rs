//! S34 and S36: what theaters keep grows with the actors, and neither with their moves nor with the
//! transactions that they take part in.

use std::alloc::{GlobalAlloc, Layout, System};
use std::convert::Infallible;
use std::mem;
use std::sync::Arc;
use std::sync::atomic::{AtomicIsize, Ordering::Relaxed};
use std::time::Duration;

use odeon_coordination::{Coordination, MobileSpeculative};
use odeon_core::{ActorRef, Ask, Message, Random, Reply, Theater, Watch};
use odeon_speculative::*;
use odeon_stm::{TVar, Tx};
use odeon_testkit::Deterministic;
use odeon_theater::{
    InMemoryNetwork, LinkConfig, NameError, NameSettings, Names, Network, TheaterId,
};
use serde::{Deserialize, Serialize};

/// Knows how many bytes are allocated.
struct Counting;

static BYTES: AtomicIsize = AtomicIsize::new(0);

// SAFETY: all is left to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // ORDERING: Relaxed: a number for the test's own thread.
        BYTES.fetch_add(layout.size() as isize, Relaxed);
        // SAFETY: passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        // ORDERING: Relaxed: as above.
        BYTES.fetch_sub(layout.size() as isize, Relaxed);
        // SAFETY: passed on.
        unsafe { System.dealloc(place, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

struct Account {
    balance: TVar<i64>,
}

#[derive(Serialize, Deserialize)]
enum Use {
    Add(i64),
    Balance(Reply<i64>),
}

impl Message for Use {}

impl SpeculativeActor for Account {
    type Msg = Use;

    fn handle<'t>(
        &'t self,
        msg: &'t Use,
        tx: &mut Tx<'t>,
        ctx: &mut SpeculativeContext<'_, Self>,
    ) -> TxResult {
        match msg {
            Use::Add(amount) => self.balance.update(tx, |balance| balance + amount)?,
            Use::Balance(reply) => ctx.reply(reply, self.balance.get(tx)?),
        }
        Ok(())
    }
}

impl MobileSpeculative for Account {
    const KIND: &'static str = "account that is counted";
    type State = i64;

    fn state<'t>(&'t self, tx: &mut Tx<'t>) -> TxResult<i64> {
        Ok(self.balance.get(tx)?)
    }

    fn of(balance: i64) -> Self {
        Self { balance: TVar::new(balance) }
    }
}

const THEATERS: usize = 4;
const ACCOUNTS: usize = 12;
const FIRST: i64 = 1_000;

struct Place {
    run: Deterministic,
    network: Network,
    coordination: Coordination,
    names: Names,
}

type Found = Ask<Result<ActorRef<Use>, NameError>>;

struct Bank {
    net: InMemoryNetwork,
    places: Vec<Place>,
    /// One each, in the theaters where they were born.
    accounts: Vec<ActorRef<Use>>,
    watches: Vec<Watch>,
    random: Random,
    now: Duration,
    moved: usize,
    transfers: usize,
}

fn id(place: usize) -> TheaterId {
    TheaterId::from_bits(place as u128 + 1)
}

fn name(account: usize) -> String {
    format!("account {account}")
}

impl Bank {
    fn new(seed: u64) -> Self {
        let net = InMemoryNetwork::new(seed);
        let place = |number: usize| {
            let run = Deterministic::with(seed + number as u64, Theater::builder());
            let config = LinkConfig::new("counted", 65_000);
            let network = Network::join(run.theater(), id(number), config, |me, listener| {
                Ok::<_, Infallible>(Arc::new(net.join(me, listener)))
            });
            let network = network.unwrap();
            let coordination = Coordination::join(run.theater(), &network);
            coordination.register_mobile::<Account>();
            let names = Names::join(&network, NameSettings::default());
            Place { run, network, coordination, names }
        };
        let places: Vec<Place> = (0..THEATERS).map(place).collect();
        let (random, now) = (Random::from_seed(seed), Duration::ZERO);
        let (accounts, watches) = (Vec::new(), Vec::new());
        let mut bank = Self { net, places, accounts, watches, random, now, moved: 0, transfers: 0 };
        bank.steps(50);
        for account in 0..ACCOUNTS {
            let Place { coordination, names, .. } = &bank.places[account % THEATERS];
            let created = Account::of(FIRST);
            let created = coordination.spawn_mobile(created, Processing::default());
            let registered = names.register(&name(account), &created);
            bank.accounts.push(created);
            bank.steps(50);
            registered.wait_timeout(Duration::ZERO).unwrap().unwrap();
        }
        bank
    }

    fn steps(&mut self, steps: usize) {
        for _ in 0..steps {
            self.now += Duration::from_millis(1);
            self.net.step(self.now);
            for place in &self.places {
                place.run.clock().set(self.now);
                place.run.run_until_idle();
            }
            self.net.step(self.now);
        }
    }

    /// All of them move, each asked for by who looks it up in some theater; they are asked and
    /// watched anew meanwhile, and there are transfers.
    fn round(&mut self) {
        let mut below = |limit| self.random.below(limit);
        let by: Vec<_> = (0..ACCOUNTS).map(|_| below(THEATERS)).collect();
        let to: Vec<_> = (0..ACCOUNTS).map(|_| below(THEATERS)).collect();
        let transfers: Vec<_> =
            (0..ACCOUNTS).map(|_| (below(THEATERS), below(ACCOUNTS), below(50) as i64)).collect();
        let look_up =
            |(account, &by): (usize, &usize)| self.places[by].names.lookup(&name(account));
        let found: Vec<Found> = by.iter().enumerate().map(look_up).collect();
        self.steps(100);
        let found = found.into_iter().map(|found| found.wait_timeout(Duration::ZERO));
        let found: Vec<ActorRef<Use>> = found.map(|found| found.unwrap().unwrap()).collect();
        let moves: Vec<_> = (0..ACCOUNTS)
            .map(|account| {
                self.places[by[account]].network.migrate(&found[account], id(to[account]))
            })
            .collect();
        let outcomes: Vec<_> = transfers
            .into_iter()
            .map(|(place, account, amount)| {
                // Born in the same theater, so that the plan has references of one theater.
                let [from, to] = [account, (account + THEATERS) % ACCOUNTS];
                let place = if place % 2 == 0 { from % THEATERS } else { by[from] };
                let (from, to) = match place == from % THEATERS {
                    true => (&self.accounts[from], &self.accounts[to]),
                    false => (&found[from], &found[from]),
                };
                self.places[place].run.theater().coordinate(|co| {
                    co.send(from, Use::Add(-amount));
                    co.send(to, Use::Add(amount));
                })
            })
            .collect();
        mem::take(&mut self.watches).into_iter().for_each(|watch| _ = watch.cancel());
        self.watches = found.iter().map(|account| account.on_end(|_| ())).collect();
        let asks: Vec<_> = found.iter().map(|account| account.ask(Use::Balance)).collect();
        drop(found);
        self.steps(200);
        for moved in moves {
            let moved = moved.wait_timeout(Duration::ZERO).unwrap().unwrap();
            self.moved += usize::from(moved.bytes > 0);
        }
        for outcome in outcomes {
            // Those that meet an actor on its way are rolled back.
            let has_happened = matches!(outcome.wait_timeout(Duration::ZERO), Some(Ok(())));
            self.transfers += usize::from(has_happened);
        }
        for ask in asks {
            ask.wait_timeout(Duration::ZERO).unwrap();
        }
        // What a test notes of its steps is not what theaters keep.
        self.places.iter().for_each(|place| place.run.forget_trace());
    }

    /// Until so many moves more have been made. Answers how many bytes there are then, with nobody
    /// under way.
    fn go_on(&mut self, moves: usize) -> isize {
        let until = self.moved + moves;
        while self.moved < until {
            self.round();
        }
        self.steps(1_000);
        self.places.iter().for_each(|place| place.run.forget_trace());
        BYTES.load(Relaxed)
    }
}

/// How many moves there are in each half.
///
/// `ODEON_SOAK_MOVES` has it be another number: `ci/soak.sh` goes on for half a million.
fn moves() -> usize {
    let moves = std::env::var("ODEON_SOAK_MOVES").ok().and_then(|moves| moves.parse().ok());
    moves.unwrap_or(3_000)
}

#[test]
fn s36_what_is_kept_grows_neither_with_moves_nor_with_transactions() {
    let mut bank = Bank::new(36);
    let first = bank.go_on(moves());
    let (moved, transfers) = (bank.moved, bank.transfers);
    let second = bank.go_on(moves());
    assert!(transfers > 100 && bank.transfers > 2 * transfers - transfers / 2, "{transfers}");
    let more = second - first;
    // What was replaced in transactions is freed in its time: some 100 KiB more or less. A note of
    // each move would be 1 MiB.
    assert!(more < 256 << 10, "{more} bytes more after {} moves than after {moved}", bank.moved);
    let asks: Vec<_> = bank.accounts.iter().map(|account| account.ask(Use::Balance)).collect();
    bank.steps(100);
    let total = asks.into_iter().map(|ask| ask.wait_timeout(Duration::ZERO).unwrap()).sum::<i64>();
    assert_eq!(total, FIRST * ACCOUNTS as i64);
}
