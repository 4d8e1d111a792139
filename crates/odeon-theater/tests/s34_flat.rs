//! S34: what a theater keeps grows with the actors, and not with their moves: also if these have
//! names, watches and timers, and are asked all the time.

mod virtual_time;

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicIsize, Ordering::Relaxed};

use odeon_core::{Actor, ActorRef, Ask, Context, Message, Reply, Timer, Watching};
use odeon_theater::{Conditions, MigrateError, Migrated, Mobile, NameError, NameSettings, Names};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::Duration;
use virtual_time::{Simulation, id, ms};

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

/// Has a timer that begins anew with each tick and each arrival, and watches the next one of its
/// kind.
#[derive(Default, Serialize, Deserialize)]
struct Nomad {
    ticks: u64,
    timer: Option<Timer>,
    watches: BTreeMap<u64, Watching<Say>>,
}

#[derive(Serialize, Deserialize)]
enum Say {
    Tick,
    Watch(u64, ActorRef<Say>),
    Ended(u64),
    Ticks(Reply<u64>),
}

impl Message for Say {}

impl Actor for Nomad {
    type Msg = Say;

    fn handle(&mut self, say: Say, ctx: &mut Context<'_, Self>) {
        match say {
            Say::Tick => {
                self.ticks += 1;
                if let Some(before) = self.timer.replace(ctx.send_after(ms(300), Say::Tick)) {
                    before.cancel();
                }
            }
            Say::Watch(number, other) => {
                let watching = ctx.watch_with(&other, Say::Ended(number));
                if let Some(before) = self.watches.insert(number, watching) {
                    before.cancel();
                }
            }
            Say::Ended(number) => drop(self.watches.remove(&number)),
            Say::Ticks(reply) => reply.send(self.ticks),
        }
    }
}

impl Mobile for Nomad {
    const KIND: &'static str = "nomad that is counted";
}

const THEATERS: usize = 5;
const NOMADS: usize = 12;
/// Names follow an actor 100 ms after it has moved.
const BETWEEN_MOVES: usize = 160;

type Found = Ask<Result<ActorRef<Say>, NameError>>;

struct Tribe {
    world: Simulation,
    names: Vec<Names>,
    /// One each, in the theaters where they were born.
    nomads: Vec<ActorRef<Say>>,
    moved: usize,
}

fn name(number: usize) -> String {
    format!("nomad {number}")
}

impl Tribe {
    fn new(seed: u64) -> Self {
        let mut world = Simulation::of(seed, THEATERS, |network| {
            network.register_mobile::<Nomad>();
        });
        let join =
            |place: &virtual_time::Place| Names::join(&place.network, NameSettings::default());
        let names: Vec<Names> = world.places.iter().map(join).collect();
        world.steps(50);
        let nomads: Vec<_> = (0..NOMADS)
            .map(|number| world.places[number % 4].network.spawn_mobile(Nomad::default()))
            .collect();
        for (number, nomad) in nomads.iter().enumerate() {
            let registered = names[number % 4].register(&name(number), nomad);
            world.answer(registered, 20).unwrap();
            nomad.send(Say::Tick).unwrap();
        }
        Self { world, names, nomads, moved: 0 }
    }

    /// All of them move, each asked for by who looks it up in some theater; and are asked and
    /// watched anew meanwhile.
    fn round(&mut self) {
        let mut below = |limit| self.world.random.below(limit);
        let by: Vec<_> = (0..NOMADS).map(|_| below(THEATERS)).collect();
        let to: Vec<_> = (0..NOMADS).map(|_| below(THEATERS - 1)).collect();
        let found: Vec<Found> =
            by.iter().enumerate().map(|(nomad, &by)| self.names[by].lookup(&name(nomad))).collect();
        self.world.steps(100);
        let found: Vec<ActorRef<Say>> = found
            .into_iter()
            .map(|found| found.wait_timeout(Duration::ZERO).unwrap().unwrap())
            .collect();
        let mut moves: Vec<Ask<Result<Migrated, MigrateError>>> = Vec::new();
        let mut asks = Vec::new();
        for (nomad, actor) in found.iter().enumerate() {
            moves.push(self.world.places[by[nomad]].network.migrate(actor, id(to[nomad])));
            asks.push(actor.ask(Say::Ticks));
            // Born in the same theater, so that the reference is of it.
            let other = (nomad + 4) % NOMADS;
            self.nomads[nomad].send(Say::Watch(0, self.nomads[other].clone())).unwrap();
        }
        drop(found);
        self.world.steps(BETWEEN_MOVES);
        for moved in moves {
            self.moved +=
                usize::from(moved.wait_timeout(Duration::ZERO).unwrap().unwrap().bytes > 0);
        }
        asks.into_iter().for_each(|ask| _ = ask.wait_timeout(Duration::ZERO).unwrap());
        // What a test notes of its steps is not what theaters keep.
        self.world.places.iter().for_each(|place| place.run.forget_trace());
    }

    /// Until so many moves more have been made. Answers how many bytes there are then, with nobody
    /// under way.
    fn go_on(&mut self, moves: usize) -> isize {
        let until = self.moved + moves;
        while self.moved < until {
            self.round();
        }
        self.world.steps(1_000);
        self.world.places.iter().for_each(|place| place.run.forget_trace());
        BYTES.load(Relaxed)
    }
}

/// How many moves there are in each half: of each actor some hundreds.
///
/// `ODEON_SOAK_MOVES` has it be another number: `ci/soak.sh` goes on for half a million.
fn moves() -> usize {
    let moves = std::env::var("ODEON_SOAK_MOVES").ok().and_then(|moves| moves.parse().ok());
    moves.unwrap_or(3_000)
}

#[test]
fn s34_what_is_kept_does_not_grow_with_moves() {
    let mut tribe = Tribe::new(34);
    tribe.world.net.set_everywhere(Conditions { delay: (ms(0), ms(2)), ..Conditions::GOOD });
    let first = tribe.go_on(moves());
    let second = tribe.go_on(moves());
    let more = second - first;
    // Less than links keep at times, and a small part of what one note of each move would come to.
    assert!(
        more < 64 << 10,
        "{more} bytes more after {} moves than after {}",
        tribe.moved,
        moves()
    );
    assert_eq!(tribe.world.lost(), 0);
}
