//! S23 with S3: a run of buffers with guards follows from its seed. In a file of its own, because
//! the epochs of transactions are of the whole process.

use crate::support::buffer::{Item, Use, Watched, each_processing};
use odeon_core::{Access, Actor, ActorRef, Context, Message, Random, Theater};
use odeon_speculative::{Coordinate, Processing};
use odeon_stm::Cause;
use odeon_testkit::{Deterministic, Trace, for_seeds};
use std::sync::Mutex;

const MOST_STEPS: usize = 50_000;

/// All that can be seen of a run.
#[derive(Debug, PartialEq)]
struct Seen {
    /// What was taken out of each buffer, in the order of the commits.
    taken: [Vec<Item>; 2],
    /// Commits, rollbacks, failures of each buffer.
    counts: [[u64; 3]; 2],
    leftovers: usize,
    trace: Trace,
}

/// Sends one message at each turn, or one to each buffer as a transaction.
struct Sender {
    buffers: [ActorRef<Use>; 2],
    number: usize,
    random: Random,
    left: u64,
}

struct Step;
impl Message for Step {}

impl Sender {
    fn message(&mut self) -> Use {
        let item = (self.number, self.left);
        match self.random.below(10) {
            0..4 => Use::put(item),
            4..7 => Use::get(None),
            7 => Use::forward(&self.buffers[self.random.below(2)]),
            8 => Use::put(item).with(Access::Exclusive),
            _ => Use::set_room(self.random.below(3) as u64),
        }
    }

    /// What may be part of a transaction.
    fn part(&mut self) -> Use {
        Use { access: Access::Update, ..self.message() }
    }
}

impl Actor for Sender {
    type Msg = Step;
    fn handle(&mut self, Step: Step, ctx: &mut Context<'_, Self>) {
        if self.left == 0 {
            return;
        }
        self.left -= 1;
        if self.random.below(4) == 0 {
            let parts = [self.part(), self.part()];
            let outcome = ctx.coordinate(|co| {
                parts.into_iter().zip(&self.buffers).for_each(|(part, to)| co.send(to, part));
            });
            drop(outcome);
        } else {
            let (to, message) = (self.random.below(2), self.message());
            self.buffers[to].send(message).unwrap();
        }
        ctx.send_self(Step);
    }
}

fn processing(random: &mut Random) -> Processing {
    let mut all = each_processing();
    all.pop().expect("adaptive ones look at the clock");
    all.swap_remove(random.below(all.len()))
}

fn counts(watched: &Watched) -> [u64; 3] {
    let stats = watched.buffer.speculation();
    [stats.commits, stats.rollbacks.iter().map(|(_, count)| count).sum(), stats.failures]
}

fn watched(theater: &Theater, random: &mut Random) -> Watched {
    let room = 1 + random.below(3) as u64;
    Watched::new(theater, room, processing(random))
}

fn run(seed: u64) -> (Seen, u64) {
    let run = Deterministic::new(seed);
    let mut random = Random::from_seed(seed ^ 0xB0_FFE2);
    let buffers = [(); 2].map(|()| watched(run.theater(), &mut random));
    let refs = || buffers.each_ref().map(|watched| watched.buffer.actor_ref());
    for number in 0..4 {
        let random = Random::from_seed(seed.wrapping_mul(31) + number as u64);
        let sender = Sender { buffers: refs(), number, random, left: 25 };
        run.theater().spawn(sender).send(Step).unwrap();
    }
    for _ in 0..4 {
        run.run_steps(20 + random.below(80));
        buffers[random.below(2)].buffer.set_processing(processing(&mut random));
    }
    let steps = run.run_steps(MOST_STEPS);
    assert!(steps < MOST_STEPS, "busy, and gets nowhere");
    let refusals = buffers.iter().map(Watched::refusals).sum();
    let counts = buffers.each_ref().map(counts);
    let taken = buffers.each_ref().map(Watched::taken_so_far);
    let trace = run.trace();
    drop(buffers);
    let leftovers = run.shutdown().leftovers.len();
    (Seen { taken, counts, leftovers, trace }, refusals)
}

#[test]
fn s3_s23_one_seed_is_one_run_of_guards() {
    let (refused, runs) = (Mutex::new(0), Mutex::new(Vec::new()));
    for_seeds(150, |seed| {
        let ((first, refusals), (again, _)) = (run(seed), run(seed));
        assert_eq!(first.taken, again.taken, "in the order of commits");
        assert_eq!(first.trace.first_difference(&again.trace), None, "turns");
        assert_eq!(first, again);
        assert_eq!(
            first.counts.map(|count| count[2]),
            [0, 0],
            "a handler has not found what its guard has"
        );
        *refused.lock().unwrap() += refusals;
        runs.lock().unwrap().push(first.taken);
    });
    let runs = runs.into_inner().unwrap();
    if runs.len() > 1 {
        assert!(runs.windows(2).any(|two| two[0] != two[1]), "seeds differ");
        assert!(refused.into_inner().unwrap() > 0, "{:?} was never the reason", Cause::Retry);
    }
}
