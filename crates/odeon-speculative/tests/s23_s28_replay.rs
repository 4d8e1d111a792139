//! S23 with S24 to S28: a run of speculative actors and coordinated transactions follows from its
//! seed. In a file of its own, because the epochs of transactions are of the whole process.

use crate::support::{Common, Do, Lab, Log, Note};
use odeon_core::{ActorRef, Message, Random, Theater};
use odeon_speculative::{Access, Coordinate, CoordinationError, SpawnSpeculative, SpeculativeRef};
use odeon_speculative::{Processing, fail};
use odeon_testkit::{Deterministic, Trace, for_seeds};
use std::sync::{Arc, Mutex};

const LABS: usize = 3;
const MOST_STEPS: usize = 50_000;

/// What is written down of a run while it goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Event {
    /// A handler has begun: of which actor and message.
    Begun(usize, u64),
    /// What the test was told of transactions.
    Outcome(u64, bool),
}

/// All that can be seen of a run.
#[derive(Debug, PartialEq)]
struct Seen {
    events: Vec<Event>,
    /// Effects in the order in which they have left: actor, message, what it has read.
    effects: Vec<(usize, u64, i64)>,
    /// Commits, rollbacks and failures of each actor.
    counts: Vec<[u64; 3]>,
    vars: Vec<Vec<i64>>,
    trace: Trace,
}

#[derive(Clone)]
struct World {
    labs: Arc<Mutex<Vec<ActorRef<Do>>>>,
    events: Arc<Mutex<Vec<Event>>>,
    log: ActorRef<Note<(usize, u64, i64)>>,
}

/// One message: what it does follows from its number.
#[derive(Debug, Clone, Copy)]
struct Deed {
    number: u64,
    to: usize,
    /// How often it goes on to another actor within its transaction.
    left: u32,
}

impl Deed {
    fn random(random: &mut Random, number: u64) -> Self {
        Self { number, to: random.below(LABS), left: random.below(3) as u32 }
    }

    /// The message that joins it, at another actor.
    fn next(self) -> Option<Self> {
        let to = (self.to + 1 + self.number as usize % 2) % LABS;
        (self.left > 0).then(|| Self { number: self.number + 1, to, left: self.left - 1 })
    }
}

impl World {
    fn message(&self, deed: Deed) -> Do {
        let world = self.clone();
        Do::update(move |lab, tx, ctx| {
            world.events.lock().unwrap().push(Event::Begun(deed.to, deed.number));
            let seen = lab.add(tx, deed.number as usize % 3, 1)?;
            if let Some(next) = deed.next() {
                let to = world.labs.lock().unwrap()[next.to].clone();
                ctx.join(&to, world.message(next));
            }
            world.log.send(Note::Of((deed.to, deed.number, seen))).unwrap();
            if deed.number % 37 == 5 { fail("as it has to") } else { Ok(seen) }
        })
    }
}

fn processing(random: &mut Random) -> Processing {
    let width = 1 + random.below(4);
    match random.below(4) {
        0 => Processing::sequential(),
        1 => Processing::concurrent().width(width),
        2 => Processing::sequential().non_blocking(),
        _ => Processing::concurrent().non_blocking().width(width),
    }
}

/// What the test sends is of one sender; these actors are the others.
fn sender(theater: &Theater, world: &World, deeds: Vec<Deed>) -> ActorRef<Step> {
    theater.spawn(Sender { deeds, world: world.clone() })
}

struct Sender {
    deeds: Vec<Deed>,
    world: World,
}

enum Step {
    Send,
    Told(u64, Result<(), CoordinationError>),
}
impl Message for Step {}

impl odeon_core::Actor for Sender {
    type Msg = Step;
    fn handle(&mut self, step: Step, ctx: &mut odeon_core::Context<'_, Self>) {
        let World { labs, events, .. } = &self.world;
        let deed = match step {
            Step::Send => self.deeds.pop(),
            Step::Told(number, outcome) => {
                events.lock().unwrap().push(Event::Outcome(number, outcome.is_ok()));
                None
            }
        };
        let Some(deed) = deed else { return };
        let to = |deed: Deed| labs.lock().unwrap()[deed.to].clone();
        if deed.number % 3 == 0 {
            to(deed).send(self.world.message(deed)).unwrap();
        } else {
            let told = move |outcome: Result<_, _>| {
                Step::Told(deed.number, outcome.unwrap_or(Err(CoordinationError::Lost)))
            };
            let reply = odeon_core::extend::reply_to(ctx.actor_ref(), told);
            let second = Deed { number: deed.number + 10, to: (deed.to + 1) % LABS, left: 1 };
            ctx.coordinate_and_reply(reply, |co| {
                co.send(&to(deed), self.world.message(deed));
                co.send(&to(second), self.world.message(second));
            });
        }
        ctx.actor_ref().send(Step::Send).unwrap();
    }
}

fn run(seed: u64) -> Seen {
    let run = Deterministic::new(seed);
    let mut random = Random::from_seed(seed ^ 0xC0_FFEE);
    let log = Log::new();
    let world = World {
        labs: Arc::default(),
        events: Arc::default(),
        log: run.theater().spawn(log.clone()),
    };
    let commons: Vec<Arc<Common>> = (0..LABS).map(|_| Arc::default()).collect();
    let labs: Vec<SpeculativeRef<Do>> = commons
        .iter()
        .map(|common| run.theater().spawn_speculative(Lab::new(common), processing(&mut random)))
        .collect();
    *world.labs.lock().unwrap() = labs.iter().map(|lab| lab.actor_ref()).collect();
    for of in 0..4 {
        let deeds = (0..12).map(|n| Deed::random(&mut random, 100 * (of * 12 + n) + of)).collect();
        sender(run.theater(), &world, deeds).send(Step::Send).unwrap();
    }
    for _ in 0..6 {
        run.run_steps(20 + random.below(80));
        labs[random.below(LABS)].set_processing(processing(&mut random));
        let look = Do::with(Access::Snapshot, |lab, tx, _| Ok(lab.vars[0].get(tx)?));
        labs[random.below(LABS)].send(look).unwrap();
    }
    // Who waits does not run: there are a hundred messages or so.
    assert!(run.run_steps(MOST_STEPS) < MOST_STEPS, "busy, and gets nowhere");
    let count = |lab: &SpeculativeRef<Do>| {
        let stats = lab.speculation();
        [stats.commits, stats.rollbacks.iter().map(|(_, count)| count).sum(), stats.failures]
    };
    let counts = labs.iter().map(count).collect();
    let trace = run.trace();
    world.labs.lock().unwrap().clear();
    assert!(run.shutdown().leftovers.is_empty(), "all was handled");
    let events = std::mem::take(&mut *world.events.lock().unwrap());
    let vars = commons.iter().map(|common| common.last.lock().unwrap().clone()).collect();
    Seen { events, effects: log.all(), counts, vars, trace }
}

#[test]
fn s28_one_seed_is_one_order_of_commits_rollbacks_and_effects() {
    let (rollbacks, effects) = (Mutex::new(0), Mutex::new(Vec::new()));
    for_seeds(200, |seed| {
        let (first, again) = (run(seed), run(seed));
        assert_eq!(first.effects, again.effects, "effects, in the order of commits");
        assert_eq!(first.events, again.events, "handlers and outcomes");
        assert_eq!(first.trace.first_difference(&again.trace), None, "turns");
        assert_eq!(first, again);
        *rollbacks.lock().unwrap() += first.counts.iter().map(|count| count[1]).sum::<u64>();
        effects.lock().unwrap().push(first.effects);
    });
    let effects = effects.into_inner().unwrap();
    if effects.len() > 1 {
        assert!(effects.windows(2).any(|two| two[0] != two[1]), "seeds differ");
        assert!(rollbacks.into_inner().unwrap() > 0, "some transactions were in each other's way");
    }
}
