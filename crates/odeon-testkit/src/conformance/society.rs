//! What the random populations have in common: their accounts, their founding, and their end.

use std::cell::Cell;
use std::time::Duration;

use odeon_core::{ActorRef, Random, Theater};

use super::stage::{PATIENCE, StageUnderTest};
use crate::conservation::{Account, Counted, Ledger, Ticket};
use crate::drop_tracker::DropTracker;
use crate::for_seeds;

/// Members at the start.
const FOUNDERS: usize = 6;
/// Visits from outside.
const VISITS: usize = 30;
/// How often a visit may lead to the next.
const HOPS: u32 = 6;
/// Seeds per seed that other tests of the stage are worth.
const SEEDS_FACTOR: u64 = 5;

/// Where messages and values went.
#[derive(Clone, Default)]
pub(super) struct Books {
    pub(super) ledger: Ledger,
    pub(super) values: DropTracker,
}

/// What members can say to each other in every population.
pub(super) trait SocietyMessage: Counted + Sized {
    /// Makes a friend known.
    fn meet(ticket: Ticket, friend: ActorRef<Self>) -> Self;

    /// Something to do, that may lead to so many more things.
    fn visit(ticket: Ticket, hops: u32) -> Self;
}

/// One kind of population.
pub(super) trait Society {
    type Word: SocietyMessage;

    fn books(&self) -> &Books;

    /// A new member: on the stage, or beside it on the theater's pool.
    fn found<S: StageUnderTest>(
        &self,
        stage: &S,
        beside: bool,
        random: &mut Random,
    ) -> ActorRef<Self::Word>;

    /// How long to wait until nothing is left to do.
    const PATIENCE: Duration = PATIENCE;

    /// What happens from outside while they live.
    fn live_beside<S: StageUnderTest>(&self, _stage: &S, _random: &mut Random) {}

    /// When all have ended.
    fn afterwards(&self) {}
}

impl Books {
    pub(super) fn meet<W: SocietyMessage>(&self, to: &ActorRef<W>, friend: ActorRef<W>) {
        self.ledger.send(to, |ticket| W::meet(ticket, friend));
    }

    pub(super) fn visit<W: SocietyMessage>(&self, to: &ActorRef<W>, hops: u32) {
        self.ledger.send(to, |ticket| W::visit(ticket, hops));
    }
}

/// The lives of many populations. In the end every message and every value of each is accounted
/// for. Returns how many messages failed.
pub(super) fn live_and_account<S: StageUnderTest, P: Society>(population: impl Fn() -> P) -> u64 {
    let failed = Cell::new(0);
    for_seeds(S::SEEDS * SEEDS_FACTOR, |seed| {
        failed.set(failed.get() + live::<S, P>(seed, &population()).failed);
    });
    failed.get()
}

fn live<S: StageUnderTest, P: Society>(seed: u64, population: &P) -> Account {
    let books = population.books();
    let hook = books.ledger.dead_letter_hook::<P::Word>();
    let stage = S::new(Theater::builder().workers(2).on_dead_letter(hook), seed);
    let mut random = Random::from_seed(!seed);
    // Not all on the stage under test, so that messages and wake-ups go in and out of it.
    let founders: Vec<_> =
        (0..FOUNDERS).map(|at| population.found(&stage, at % 3 == 2, &mut random)).collect();
    for (at, founder) in founders.iter().enumerate() {
        for friend in &founders[at + 1..] {
            books.meet(founder, friend.clone());
        }
    }
    for _ in 0..VISITS {
        books.visit(&founders[random.below(FOUNDERS)], HOPS);
    }
    // Sometimes nobody keeps the founders but they themselves.
    let founders = if random.below(2) == 0 { founders } else { Vec::new() };
    population.live_beside(&stage, &mut random);
    // One in four is cut off in the middle.
    let report = if seed % 4 == 3 {
        stage.work_a_little(random.below(300));
        stage.shutdown_now()
    } else {
        stage.drain_within(P::PATIENCE)
    };
    assert_eq!(report.stuck, 0);
    books.ledger.take_leftovers::<P::Word>(report);
    drop(founders);
    books.values.check();
    population.afterwards();
    books.ledger.check()
}
