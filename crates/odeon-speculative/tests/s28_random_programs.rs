//! S28 with S24 to S26 by random programs: messages that join others to coordinated transactions,
//! fail and panic, and transactions that begin with several messages, while the processing changes.
//! Each handler takes a ticket of its actor, so the order of what was committed is known: a serial
//! run in that order must come to the same, message by message.

use crate::support::{Common, Do, Lab, Log, Note, ask};
use odeon_core::{ActorRef, Theater};
use odeon_speculative::{
    Access, Coordinate, CoordinationError, Processing, SpawnSpeculative, SpeculativeRef, fail,
};
use odeon_testkit::{for_seeds, silent_panic};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::Duration;

const LABS: usize = 3;
const SENDERS: u64 = 3;
/// The variables: money, which is moved between actors; what messages read and change; the next
/// ticket.
const MONEY: usize = 0;
const READ: u64 = 5;
const TICKET: usize = 7;

/// SplitMix64: a message is known by its number, and what it does follows from that.
fn mix(number: u64) -> u64 {
    let z = number.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// What a message does.
#[derive(Debug, Clone, Copy)]
struct Deed {
    number: u64,
    to: usize,
    /// How often those that it joins may join others.
    left: u32,
}

impl Deed {
    fn new(number: u64, left: u32) -> Self {
        Self { number, to: (mix(number) % LABS as u64) as usize, left }
    }

    fn var(self) -> usize {
        1 + (mix(self.number ^ 2) % READ) as usize
    }

    /// What this variable becomes, with what came with the message.
    fn next_value(self, seen: i64, carried: i64) -> i64 {
        (seen * 3 + carried + (mix(self.number ^ 3) % 7) as i64) % 1_000_003
    }

    /// What goes to each of those that it joins.
    fn money(self) -> i64 {
        (mix(self.number ^ 4) % 50) as i64
    }

    fn joins(self) -> impl Iterator<Item = Self> {
        let count = if self.left == 0 { 0 } else { mix(self.number ^ 5) % 3 };
        (0..count).map(move |n| Self::new(mix(self.number ^ (6 + n)), self.left - 1))
    }

    fn fate(self) -> u64 {
        mix(self.number ^ 1) % 40
    }

    fn all(self) -> Vec<Self> {
        let mut all = vec![self];
        self.joins().for_each(|join| all.extend(join.all()));
        all
    }
}

/// What a sender does next.
#[derive(Clone)]
struct Start {
    /// More than one: a coordinated transaction.
    deeds: Vec<Deed>,
    is_coordinated: bool,
}

impl Start {
    fn new(number: u64) -> Self {
        let count = 1 + mix(number ^ 11) % 3;
        let is_coordinated = mix(number ^ 10) % 3 > 0;
        let count = if is_coordinated { count } else { 1 };
        let deed = |n| Deed::new(mix(number ^ (20 + n)), (mix(number ^ 12) % 4) as u32);
        Self { deeds: (0..count).map(deed).collect(), is_coordinated }
    }

    fn all(&self) -> Vec<Deed> {
        self.deeds.iter().flat_map(|deed| deed.all()).collect()
    }

    fn fails(&self) -> bool {
        self.all().iter().any(|deed| deed.fate() < 2)
    }
}

/// The effect of a handler: actor, ticket, message, what it has read, and what came with it.
type Effect = (usize, i64, u64, i64, i64);

#[derive(Clone)]
struct World {
    labs: Arc<OnceLock<Vec<ActorRef<Do>>>>,
    log: ActorRef<Note<Effect>>,
}

impl World {
    fn message(&self, deed: Deed, carried: i64, money: i64) -> Do {
        let world = self.clone();
        Do::update(move |lab, tx, ctx| {
            let ticket = lab.add(tx, TICKET, 1)?;
            let seen = lab.vars[deed.var()].get(tx)?;
            if deed.fate() % 4 == 0 {
                thread::yield_now();
            }
            lab.vars[deed.var()].set(tx, deed.next_value(seen, carried))?;
            world.log.send(Note::Of((deed.to, ticket, deed.number, seen, carried))).unwrap();
            lab.add(tx, MONEY, money)?;
            for join in deed.joins() {
                lab.add(tx, MONEY, -deed.money())?;
                let to = &world.labs.get().unwrap()[join.to];
                ctx.join(to, world.message(join, seen % 10, deed.money()));
            }
            match deed.fate() {
                0 => fail("given up"),
                1 => silent_panic("as well"),
                _ => Ok(0),
            }
        })
    }

    /// The money of all, as of one moment.
    fn sum(&self, access: Access, to: usize, so_far: i64) -> Do {
        let world = self.clone();
        Do::handing_on(access, move |lab, tx, ctx, reply| {
            let sum = so_far + lab.vars[MONEY].get(tx)?;
            let reply = reply.expect("it is asked for");
            if to + 1 < LABS {
                let reply = ctx.pass_on(reply);
                let next = &world.labs.get().unwrap()[to + 1];
                ctx.join(next, world.sum(access, to + 1, sum).answering(reply));
            } else {
                ctx.reply(reply, sum);
            }
            Ok(sum)
        })
    }
}

fn processing(bits: u64) -> Processing {
    let width = 1 + (bits >> 8) as usize % 4;
    match bits % 5 {
        0 => Processing::sequential(),
        1 => Processing::concurrent().width(width),
        2 => Processing::sequential().non_blocking(),
        3 => Processing::concurrent().non_blocking().width(width),
        _ => Processing::adaptive(),
    }
}

/// What has been seen of one run.
struct Seen {
    effects: Vec<Effect>,
    vars: Vec<Vec<i64>>,
    failures: u64,
}

fn run(seed: u64, starts: &[Vec<Start>]) -> Seen {
    let theater = Theater::builder().workers(1 + seed as usize % 3).build().unwrap();
    let commons: Vec<Arc<Common>> = (0..LABS).map(|_| Arc::default()).collect();
    let spawn = |n: usize| -> SpeculativeRef<Do> {
        theater.spawn_speculative(Lab::new(&commons[n]), processing(mix(seed ^ n as u64)))
    };
    let labs: Vec<_> = (0..LABS).map(spawn).collect();
    let log = Log::new();
    let world = World { labs: Arc::default(), log: theater.spawn(log.clone()) };
    let _ = world.labs.set(labs.iter().map(|lab| lab.actor_ref()).collect());
    thread::scope(|scope| {
        for starts in starts {
            scope.spawn(|| send(&theater, &world, &labs, starts));
        }
        scope.spawn(|| {
            for n in 0..20_u64 {
                labs[n as usize % LABS].set_processing(processing(mix(seed ^ (n << 32))));
                let access = if n % 2 == 0 { Access::Snapshot } else { Access::Update };
                let sum = ask(&labs[0], world.sum(access, 0, 0));
                assert_eq!(sum.wait(), Ok(0), "a torn sum, {access:?}");
            }
        });
    });
    let report = theater.shutdown(Duration::from_secs(60));
    assert!(report.drained && report.leftovers.is_empty() && report.stuck == 0, "all is handled");
    let vars = commons.iter().map(|common| common.last.lock().unwrap().clone()).collect();
    let failures = labs.iter().map(|lab| lab.speculation().failures).sum();
    Seen { effects: log.all(), vars, failures }
}

fn send(theater: &Theater, world: &World, labs: &[SpeculativeRef<Do>], starts: &[Start]) {
    let mut outcomes = Vec::new();
    for start in starts {
        let message = |deed: &Deed| world.message(*deed, 0, 0);
        if start.is_coordinated {
            let plan = |co: &mut odeon_speculative::Plan| {
                start.deeds.iter().for_each(|deed| co.send(&labs[deed.to], message(deed)));
            };
            outcomes.push((start, theater.coordinate(plan)));
        } else {
            labs[start.deeds[0].to].send(message(&start.deeds[0])).unwrap();
        }
    }
    for (start, outcome) in outcomes {
        match outcome.wait() {
            Ok(()) => assert!(!start.fails()),
            Err(CoordinationError::Failed { participant, .. }) => {
                let mut failing = start.all().into_iter().filter(|deed| deed.fate() < 2);
                assert!(failing.any(|deed| labs[deed.to].id() == participant));
            }
            Err(other) => panic!("{other}"),
        }
    }
}

/// Which of `nodes` must come before which others, as a serial order.
fn in_order(mut before: BTreeMap<u64, BTreeSet<u64>>, nodes: usize) -> Vec<u64> {
    let mut order: Vec<u64> = Vec::new();
    while let Some(next) = before.iter().find(|(_, those)| those.is_empty()).map(|(one, _)| *one) {
        before.remove(&next);
        before.values_mut().for_each(|those| _ = those.remove(&next));
        order.push(next);
    }
    assert_eq!(order.len(), nodes, "what was committed is in no serial order: {before:?}");
    order
}

fn check(seen: &Seen, starts: &[Vec<Start>]) {
    let mut expected: BTreeMap<u64, (Deed, u64)> = BTreeMap::new();
    let all: Vec<&Start> = starts.iter().flatten().collect();
    for (of, start) in all.iter().enumerate().filter(|(_, start)| !start.fails()) {
        expected.extend(start.all().into_iter().map(|deed| (deed.number, (deed, of as u64))));
    }
    assert_eq!(seen.failures, all.iter().filter(|start| start.fails()).count() as u64);
    assert_eq!(seen.effects.len(), expected.len(), "each message once");
    // Effects leave an actor in the order of its commits, which is that of the tickets.
    let mut tickets = [0; LABS];
    let mut model = vec![vec![0_i64; 8]; LABS];
    let mut before: BTreeMap<u64, BTreeSet<u64>> = BTreeMap::new();
    let mut last: [Option<u64>; LABS] = [None; LABS];
    for (actor, ticket, number, ..) in &seen.effects {
        tickets[*actor] += 1;
        assert_eq!(*ticket, tickets[*actor], "effects of actor {actor} in the order of commits");
        let (_, transaction) = expected.remove(number).expect("committed, and once");
        let those = before.entry(transaction).or_default();
        let previous = last[*actor].replace(transaction);
        those.extend(previous.filter(|previous| *previous != transaction));
    }
    let count = before.len();
    let order = in_order(before, count);
    let place: BTreeMap<u64, usize> = order.iter().enumerate().map(|(n, of)| (*of, n)).collect();
    let whose: BTreeMap<u64, u64> = (0_u64..)
        .zip(&all)
        .flat_map(|(of, start)| start.all().into_iter().map(move |deed| (deed.number, of)))
        .collect();
    // Serially, transaction by transaction; within one as its tickets say, for each actor has its
    // own variables.
    let mut serial = seen.effects.clone();
    serial.sort_by_key(|(actor, ticket, number, ..)| (place[&whose[number]], *actor, *ticket));
    let deeds: BTreeMap<u64, Deed> =
        all.iter().flat_map(|start| start.all()).map(|deed| (deed.number, deed)).collect();
    let reads: BTreeMap<u64, i64> =
        serial.iter().map(|(_, _, number, read, _)| (*number, *read)).collect();
    let parents: BTreeMap<u64, Deed> = deeds
        .values()
        .flat_map(|deed| deed.joins().map(move |join| (join.number, *deed)))
        .collect();
    for (actor, _, number, read, carried) in serial {
        let (deed, parent) = (deeds[&number], parents.get(&number));
        let vars = &mut model[actor];
        assert_eq!(read, vars[deed.var()], "what message {number} has read");
        assert_eq!(carried, parent.map_or(0, |parent| reads[&parent.number] % 10));
        vars[deed.var()] = deed.next_value(read, carried);
        vars[TICKET] += 1;
        vars[MONEY] += parent.map_or(0, |parent| parent.money());
        vars[MONEY] -= deed.money() * deed.joins().count() as i64;
    }
    assert_eq!(seen.vars, model);
    assert_eq!(model.iter().map(|vars| vars[MONEY]).sum::<i64>(), 0);
    in_the_order_of_their_senders(seen, starts);
}

/// S25: first messages of one sender to one actor are committed as they were sent.
fn in_the_order_of_their_senders(seen: &Seen, starts: &[Vec<Start>]) {
    let ticket: BTreeMap<u64, i64> =
        seen.effects.iter().map(|(_, ticket, number, ..)| (*number, *ticket)).collect();
    for starts in starts {
        let mut last = [0; LABS];
        for deed in starts.iter().filter(|start| !start.fails()).flat_map(|start| &start.deeds) {
            assert!(last[deed.to] < ticket[&deed.number], "in the order of their sender");
            last[deed.to] = ticket[&deed.number];
        }
    }
}

#[test]
fn s28_random_programs_come_to_what_a_serial_run_in_the_order_of_commits_does() {
    for_seeds(25, |seed| {
        let of = |sender: u64| {
            (0..60).map(|n| Start::new(mix(mix(seed << 8 ^ sender) ^ (n << 20)))).collect()
        };
        let starts: Vec<Vec<Start>> = (0..SENDERS).map(of).collect();
        check(&run(seed, &starts), &starts);
    });
}
