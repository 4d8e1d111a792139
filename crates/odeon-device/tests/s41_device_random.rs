//! S41 with random messages, faults, restarts, stops and bounds, from seeds: what is sent is done
//! once, or given up by name; each sender's order is kept; memory is freed.

use crate::support;
use std::cell::Cell;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use odeon_core::{ActorRef, Bound, Bounded, Directive, Message, Random, Supervision, Theater};
use odeon_device::*;
use odeon_testkit::{Counted, Deterministic, Ledger, Ticket, for_seeds};

const SENDERS: usize = 3;
const HOUR: Duration = Duration::from_secs(3600);

/// The how manieth message of whom.
struct Job {
    sender: usize,
    number: u64,
    is_alone: bool,
    ticket: Ticket,
}

impl Message for Job {}

impl Counted for Job {
    fn into_ticket(self) -> Option<Ticket> {
        Some(self.ticket)
    }
}

/// What outlives the sessions: what was taken, in order, and the memory of each session.
#[derive(Clone, Default)]
struct World {
    taken: Arc<Mutex<Vec<(usize, u64)>>>,
    /// Batches that should not have been. A panic would be one more failure among others.
    wrong: Arc<Mutex<Vec<String>>>,
    memory: Arc<Mutex<Vec<Memory>>>,
}

struct Worker {
    kept: HostBuffer,
    random: Random,
    world: World,
    most: usize,
}

impl DeviceActor for Worker {
    type Msg = Job;
    type Device = FaultyDevice<HostDevice>;

    fn handle(
        &mut self,
        batch: &mut Batch<'_, Job>,
        device: &mut Self::Device,
        ctx: &mut DeviceContext<'_, Self>,
    ) -> Result<(), DeviceError> {
        let size = batch.size();
        let all: Vec<_> = batch.messages().iter().map(|job| (job.sender, job.number)).collect();
        self.world.given(&all, self.most);
        if size > 1 && batch.messages().iter().any(|job| job.is_alone) {
            self.world.wrong(format!("one of {all:?} is to be alone"));
        }
        // Some launches, and some of the messages after each; perhaps not all of them in this call.
        let until = if self.random.below(4) == 0 { self.random.below(size) } else { 0 };
        loop {
            let kept = &mut self.kept;
            device.launch(|device| {
                device.launch(|| kept.as_mut_slice::<u32>()[0] += 1);
                Ok(())
            })?;
            for _ in 0..1 + self.random.below(size) {
                let Some(job) = batch.take() else { break };
                self.world.taken.lock().unwrap().push((job.sender, job.number));
                job.ticket.handled();
            }
            if batch.len() <= until {
                break;
            }
            let _more = device.upload(&[1; 8])?;
            device.download(&self.kept, &mut [0; 4])?;
        }
        if self.random.below(200) == 0 {
            ctx.stop();
        }
        Ok(())
    }

    fn is_alone(job: &Job) -> bool {
        job.is_alone
    }
}

/// What can go wrong, at random steps.
fn faults(random: &mut Random, how_many: usize, panics: bool) -> Faults {
    (0..how_many).fold(Faults::new(), |faults, _| {
        let steps = [Step::Open, Step::Allocate, Step::Download, Step::Launch, Step::Launch];
        let step = steps[random.below(steps.len())];
        let fault = match random.below(4) {
            0 if panics => Fault::Panic("as the script says".into()),
            1 => Fault::Fail(DeviceError::OutOfMemory { asked: 1, available: 0 }),
            _ => Fault::Fail(DeviceError::Lost("as the script says".into())),
        };
        faults.at(step, 1 + random.below(30) as u64, fault)
    })
}

fn supervision(random: &mut Random) -> Supervision {
    let pause = Duration::from_millis(random.below(3) as u64);
    let policy = Supervision::new().pauses(pause, 2 * pause);
    match random.below(5) {
        0 => policy.restarts(random.below(4) as u32, HOUR),
        // A session that is lost and kept fails for ever: only what fails once is resumed.
        1 => policy.restarts(100, HOUR).decide(|failure| match DeviceFailure::of(failure) {
            Some(failure) if !failure.error().is_transient() => Directive::Resume,
            _ => Directive::Restart,
        }),
        _ => policy.restarts(100, HOUR),
    }
}

struct Case {
    plan: DevicePlan<Worker>,
    world: World,
    supervision: Supervision,
    bound: Option<Bound>,
}

fn case(seed: u64) -> (Case, Random) {
    let mut random = Random::from_seed(seed);
    let world = World::default();
    let most = 1 + random.below(8);
    let window = Duration::from_millis(random.below(4) as u64);
    let batching = Batching::new().at_most(most).window(window);
    let how_many = random.below(8);
    let faults = faults(&mut random, how_many, true);
    let supervision = supervision(&mut random);
    let bound = match random.below(4) {
        0 => Some(Bound::wait(1 + random.below(8))),
        1 => Some(Bound::reject(1 + random.below(8))),
        _ => None,
    };
    let make = {
        let world = world.clone();
        move || {
            let mut device = faults.open(|| Ok(HostDevice::new(1_000)))?;
            world.memory.lock().unwrap().push(device.memory().clone());
            let sessions = world.memory.lock().unwrap().len() as u64;
            let random = Random::from_seed(seed.wrapping_mul(1_000) + sessions);
            let kept = device.upload(&[0; 4])?;
            Ok((Worker { kept, random, world: world.clone(), most }, device))
        }
    };
    let plan = DevicePlan::new(batching, make);
    (Case { plan, world, supervision, bound }, random)
}

impl World {
    fn wrong(&self, what: String) {
        self.wrong.lock().unwrap().push(what);
    }

    /// A batch is given to the handler.
    fn given(&self, batch: &[(usize, u64)], most: usize) {
        if batch.is_empty() || batch.len() > most {
            self.wrong(format!("a batch of {}: {most} at most", batch.len()));
        }
        let taken = self.taken.lock().unwrap();
        if let Some(job) = batch.iter().find(|job| taken.contains(job)) {
            self.wrong(format!("{job:?} is done and given again"));
        }
    }

    /// Of each sender each message was taken once at most, in its order, and no session has memory
    /// any more.
    #[track_caller]
    fn check(&self) {
        let wrong = self.wrong.lock().unwrap();
        assert!(wrong.is_empty(), "{wrong:?}");
        let mut last = [0; SENDERS];
        for &(sender, number) in self.taken.lock().unwrap().iter() {
            assert!(number > last[sender], "{number} of {sender} after {}", last[sender]);
            last[sender] = number;
        }
        let used: u64 = self.memory.lock().unwrap().iter().map(Memory::used).sum();
        assert_eq!(used, 0, "memory of sessions that are over");
    }
}

fn send(ledger: &Ledger, to: &ActorRef<Job>, sender: usize, number: u64, is_alone: bool) -> bool {
    ledger.send(to, |ticket| Job { sender, number, is_alone, ticket })
}

/// The same by one seed, in virtual time, on the pool.
#[test]
fn s41_random_batches_lose_nothing_in_virtual_time() {
    let (total, redone) = (Cell::new(0), Cell::new(0));
    for_seeds(400, |seed| {
        let (Case { plan, world, supervision, bound }, mut random) = case(seed);
        let ledger = Ledger::new();
        let builder = Theater::builder().on_dead_letter(ledger.dead_letter_hook::<Job>());
        let run = Deterministic::with(seed, builder);
        let actor = {
            let plan = plan.clone();
            match bound {
                None => run.theater().actor().supervised(supervision).spawn(move || plan.actor()),
                Some(bound) => run
                    .theater()
                    .actor()
                    .supervised(supervision)
                    .spawn(move || Bounded::new(plan.actor()).mailbox(0, bound)),
            }
        };
        let mut numbers = [0; SENDERS];
        for _ in 0..60 {
            for _ in 0..random.below(6) {
                let sender = random.below(SENDERS);
                numbers[sender] += 1;
                send(&ledger, &actor, sender, numbers[sender], random.below(8) == 0);
            }
            if random.below(2) == 0 {
                run.advance(Duration::from_millis(random.below(4) as u64));
            } else {
                run.run_steps(random.below(20));
            }
        }
        match random.below(3) {
            0 => actor.stop(),
            1 => drop(run.advance(Duration::from_secs(10))),
            _ => {}
        }
        let live = !actor.is_stopped();
        drop(actor);
        if live {
            run.advance(Duration::from_secs(10));
        }
        let stats = plan.stats();
        total.set(total.get() + stats.messages);
        redone.set(redone.get() + stats.redone);
        ledger.take_leftovers::<Job>(run.shutdown());
        let account = ledger.check();
        assert_eq!((account.handled, account.failed), (stats.messages, 0));
        world.check();
    });
    // With one seed of the environment there need not be any.
    assert!(total.get() < 1_000 || redone.get() > 0, "faults lead to work that is done again");
}

/// Threads that send, and threads of actors' own.
#[test]
fn s41_random_batches_lose_nothing_on_threads() {
    for_seeds(40, |seed| {
        let (Case { plan, world, supervision, bound }, mut random) = case(seed);
        let ledger = Ledger::new();
        let hook = ledger.dead_letter_hook::<Job>();
        let theater = Theater::builder().workers(1).on_dead_letter(hook).build().unwrap();
        let actor = {
            let plan = plan.clone();
            match bound {
                None => theater
                    .actor()
                    .dedicated("random")
                    .supervised(supervision)
                    .spawn(move || plan.actor()),
                Some(bound) => theater
                    .actor()
                    .dedicated("random")
                    .supervised(supervision)
                    .spawn(move || Bounded::new(plan.actor()).mailbox(0, bound)),
            }
            .unwrap()
        };
        let each = 20 + random.below(200) as u64;
        std::thread::scope(|scope| {
            for sender in 0..SENDERS {
                let (actor, ledger) = (actor.clone(), ledger.clone());
                scope.spawn(move || {
                    let mut random = Random::from_seed(seed * 10 + sender as u64);
                    for number in 1..=each {
                        send(&ledger, &actor, sender, number, random.below(8) == 0);
                        if random.below(40) == 0 {
                            std::thread::sleep(Duration::from_micros(200));
                        }
                    }
                });
            }
        });
        if random.below(3) == 0 {
            actor.stop();
        }
        if random.below(2) == 0 {
            drop(actor);
        }
        let report = theater.shutdown(support::PATIENCE);
        assert!(report.drained, "{report:?}");
        ledger.take_leftovers::<Job>(report);
        let account = ledger.check();
        assert_eq!((account.handled, account.failed), (plan.stats().messages, 0));
        world.check();
    });
}

/// One seed, one run.
#[test]
fn s41_a_run_in_virtual_time_is_replayed_by_its_seed() {
    for_seeds(5, |seed| {
        let run = || {
            let (Case { plan, world, supervision, .. }, mut random) = case(seed);
            let ledger = Ledger::new();
            let run = Deterministic::new(seed);
            let actor = {
                let plan = plan.clone();
                run.theater().actor().supervised(supervision).spawn(move || plan.actor())
            };
            for number in 1..=50 {
                send(&ledger, &actor, 0, number, random.below(8) == 0);
                run.run_steps(random.below(10));
            }
            run.advance(Duration::from_secs(1));
            let (trace, stats) = (run.trace(), plan.stats());
            ledger.take_leftovers::<Job>(run.shutdown());
            let taken = world.taken.lock().unwrap().clone();
            (trace, taken, stats)
        };
        assert!(run() == run(), "the same seed came to something else");
    });
}
