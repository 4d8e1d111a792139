//! S24 to S26 by random programs: speculative and plain actors whose messages say what to do and
//! what to send on. What comes out of it does not depend on the order, so each run must come to
//! what a serial one does.

use crate::support::{Common, Do, Lab, width};
use odeon_core::{Actor, ActorRef, Context, Message, Theater};
use odeon_speculative::{Access, Ordering, SpawnSpeculative, SpeculativeRef, fail};
use odeon_testkit::{for_seeds, silent_panic};
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::Duration;

const LABS: usize = 3;
const PLAINS: usize = 2;
const VARS: u64 = 6;

/// SplitMix64: a message is known by its number, and what it does follows from that.
fn mix(number: u64) -> u64 {
    let z = number.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// What a message does.
#[derive(Clone, Copy)]
struct Deed {
    number: u64,
    /// How often what it sends is sent on.
    left: u32,
}

impl Deed {
    fn fate(self) -> u64 {
        mix(self.number ^ 1) % 16
    }

    fn access(self) -> Access {
        if mix(self.number ^ 2) % 24 == 0 { Access::Exclusive } else { Access::Update }
    }

    /// What it adds to two variables; the sum of all is unchanged.
    fn moves(self) -> (usize, usize, i64) {
        let bits = mix(self.number ^ 3);
        ((bits % VARS) as usize, (bits / VARS % VARS) as usize, (bits % 100) as i64)
    }

    fn commits(self) -> bool {
        self.fate() > 1
    }

    /// What it sends, and to whom.
    fn next(self) -> impl Iterator<Item = (usize, Self)> {
        let count = if self.left == 0 { 0 } else { mix(self.number ^ 4) % 3 };
        (0..count).map(move |n| {
            let number = mix(self.number ^ (5 + n));
            let to = mix(number ^ 9) as usize % (LABS + PLAINS);
            (to, Self { number, left: self.left - 1 })
        })
    }
}

/// What has come of it: the variables of the labs, and what the plain actors were sent.
#[derive(Debug, Default, PartialEq, Eq)]
struct Outcome {
    vars: [[i64; VARS as usize]; LABS],
    plain: [u64; PLAINS],
    commits: u64,
    failures: u64,
}

/// One after the other.
fn serial(first: &[(usize, Deed)]) -> Outcome {
    let mut outcome = Outcome::default();
    let mut waiting = first.to_vec();
    while let Some((to, deed)) = waiting.pop() {
        if to >= LABS {
            outcome.plain[to - LABS] = outcome.plain[to - LABS].wrapping_add(deed.number);
        } else if deed.commits() {
            let (from, into, n) = deed.moves();
            outcome.vars[to][from] -= n;
            outcome.vars[to][into] += n;
            outcome.commits += 1;
        } else {
            outcome.failures += 1;
            continue;
        }
        waiting.extend(deed.next());
    }
    outcome
}

#[derive(Clone)]
struct World(Arc<OnceLock<Everybody>>);

type Everybody = (Vec<ActorRef<Do>>, Vec<ActorRef<Told>>);

impl World {
    fn send(&self, (to, deed): (usize, Deed)) {
        let (labs, plains) = self.0.get().unwrap();
        match labs.get(to) {
            Some(lab) => lab.send(self.message(deed)).unwrap(),
            None => plains[to - LABS].send(Told(deed, self.clone())).unwrap(),
        }
    }

    fn message(&self, deed: Deed) -> Do {
        let world = self.clone();
        Do::with(deed.access(), move |lab, tx, _| {
            deed.next().for_each(|next| world.send(next));
            let (from, into, n) = deed.moves();
            lab.add(tx, from, -n)?;
            if deed.fate() % 4 == 0 {
                thread::yield_now();
            }
            lab.add(tx, into, n)?;
            match deed.fate() {
                0 => fail("given up"),
                1 => silent_panic("as well"),
                _ => Ok(0),
            }
        })
    }
}

struct Told(Deed, World);
impl Message for Told {}

struct Plain(Arc<AtomicU64>);
impl Actor for Plain {
    type Msg = Told;
    fn handle(&mut self, Told(deed, world): Told, _: &mut Context<'_, Self>) {
        self.0.fetch_add(deed.number, SeqCst);
        deed.next().for_each(|next| world.send(next));
    }
}

fn run(seed: u64, first: &[(usize, Deed)]) -> Outcome {
    let theater = Theater::builder().workers(1 + seed as usize % 3).build().unwrap();
    let commons: Vec<Arc<Common>> = (0..LABS).map(|_| Arc::default()).collect();
    let spawn = |n: usize| -> SpeculativeRef<Do> {
        let bits = mix(seed ^ n as u64);
        let order = if bits % 3 == 0 { Ordering::Unordered } else { Ordering::PerSender };
        let processing = width(1 + (bits >> 8) as usize % 5).ordering(order);
        theater.spawn_speculative(Lab::new(&commons[n]), processing)
    };
    let labs: Vec<_> = (0..LABS).map(spawn).collect();
    let told: Vec<Arc<AtomicU64>> = (0..PLAINS).map(|_| Arc::default()).collect();
    let plains = told.iter().map(|told| theater.spawn(Plain(told.clone()))).collect();
    let world = World(Arc::default());
    let _ = world.0.set((labs.iter().map(|lab| lab.actor_ref()).collect(), plains));
    thread::scope(|scope| {
        for part in first.chunks(first.len().div_ceil(3)) {
            scope.spawn(|| part.iter().for_each(|first| world.send(*first)));
        }
        scope.spawn(|| {
            for n in 0..40 {
                labs[n % LABS].set_processing(width(1 + mix(seed ^ n as u64) as usize % 5));
                thread::yield_now();
            }
        });
    });
    let report = theater.shutdown(Duration::from_secs(120));
    assert!(report.drained && report.leftovers.is_empty() && report.stuck == 0);
    let mut outcome = Outcome::default();
    for (lab, common) in labs.iter().zip(&commons) {
        outcome.commits += lab.speculation().commits;
        outcome.failures += lab.speculation().failures;
        assert_eq!((common.stops.load(SeqCst), common.drops.load(SeqCst)), (1, 1));
    }
    for (n, common) in commons.iter().enumerate() {
        let last = common.last.lock().unwrap();
        outcome.vars[n].copy_from_slice(&last[..VARS as usize]);
    }
    for (n, told) in told.iter().enumerate() {
        outcome.plain[n] = told.load(SeqCst);
    }
    outcome
}

#[test]
fn s24_s25_s26_random_programs_come_to_what_a_serial_run_does() {
    for_seeds(20, |seed| {
        let first = |n: u64| {
            let number = mix(seed << 20 ^ n);
            (mix(number ^ 9) as usize % (LABS + PLAINS), Deed { number, left: 6 })
        };
        let first: Vec<_> = (0..300).map(first).collect();
        assert_eq!(run(seed, &first), serial(&first));
    });
}
