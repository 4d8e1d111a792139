//! S23 one seed, one run: with timers, asynchronous actors, restarts and injected failures as well.

use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use odeon_core::*;
use odeon_testkit::{
    Bell, Deterministic, Faults, INJECTED, Trace, for_seeds, silent_panic, yields,
};

const fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

/// Everything that anybody did, with the virtual time, in order.
type Log = Arc<Mutex<Vec<(Duration, String)>>>;

#[derive(Clone)]
struct World {
    log: Log,
    clock: Arc<dyn Fn() -> Duration + Send + Sync>,
    sleepers: Arc<Mutex<Vec<Bell>>>,
}

impl World {
    fn note(&self, what: String) {
        self.log.lock().unwrap().push(((self.clock)(), what));
    }
}

#[derive(Debug)]
enum Word {
    Peers(Vec<ActorRef<Word>>),
    Pass { token: u32, hops: u32 },
    Tick,
}
impl Message for Word {}

/// A plain actor: passes tokens on, at once or later.
struct Plain {
    number: usize,
    world: World,
    peers: Vec<ActorRef<Word>>,
}

impl Actor for Plain {
    type Msg = Word;
    fn started(&mut self, ctx: &mut Context<'_, Self>) {
        self.world.note(format!("{} starts", self.number));
        ctx.send_every(ms(7), || Word::Tick);
    }
    fn handle(&mut self, msg: Word, _: &mut Context<'_, Self>) {
        self.world.note(format!("{} {}", self.number, told(&msg)));
        match msg {
            Word::Peers(peers) => self.peers = peers,
            Word::Pass { token, hops } if hops > 0 && !self.peers.is_empty() => {
                let to = &self.peers[(token + hops) as usize % self.peers.len()];
                let pass = Word::Pass { token, hops: hops - 1 };
                // Several tokens come due in the same millisecond.
                if hops % 3 == 0 {
                    to.send_after(ms(5), pass);
                } else {
                    to.send(pass).unwrap();
                }
            }
            Word::Pass { .. } => {}
            Word::Tick => {
                if let Some(bell) = self.world.sleepers.lock().unwrap().pop() {
                    bell.ring();
                }
            }
        }
    }
}

/// An asynchronous one: waits for nothing in particular, or for somebody's tick.
struct Waiting {
    number: usize,
    world: World,
    peers: Vec<ActorRef<Word>>,
}

impl AsyncActor for Waiting {
    type Msg = Word;
    async fn handle(&mut self, msg: Word, _: &mut AsyncContext<'_, Self>) {
        self.world.note(format!("{} {}", self.number, told(&msg)));
        match msg {
            Word::Peers(peers) => self.peers = peers,
            Word::Pass { token, hops } if hops > 0 && !self.peers.is_empty() => {
                if hops % 4 == 0 {
                    let bell = Bell::new();
                    self.world.sleepers.lock().unwrap().push(bell.clone());
                    bell.rings().await;
                } else {
                    yields(token % 3).await;
                }
                self.world.note(format!("{} goes on", self.number));
                let to = &self.peers[(token * hops) as usize % self.peers.len()];
                let _ = to.send(Word::Pass { token, hops: hops - 1 });
            }
            Word::Pass { .. } | Word::Tick => {}
        }
    }
}

/// Without references: their ids are the same in each run, but not what the test is about.
fn told(msg: &Word) -> String {
    match msg {
        Word::Peers(peers) => format!("meets {}", peers.len()),
        other => format!("{other:?}"),
    }
}

struct Recorded {
    trace: Trace,
    log: Vec<(Duration, String)>,
    injected: u64,
    leftovers: usize,
}

fn run(seed: u64) -> Recorded {
    let clock = Arc::new(Mutex::new(Duration::ZERO));
    let now = clock.clone();
    let world = World {
        log: Log::default(),
        clock: Arc::new(move || *now.lock().unwrap()),
        sleepers: Arc::default(),
    };
    let run = Deterministic::new(seed);
    let mut faults = Vec::new();
    let mut actors: Vec<_> = (0..4)
        .map(|number| {
            let plan = Faults::one_in(10, seed ^ number as u64);
            faults.push(plan.clone());
            let (world, policy) = (world.clone(), Supervision::new().restarts(100, ms(1_000)));
            let actor = move || Plain { number, world: world.clone(), peers: Vec::new() };
            run.theater().actor().supervised(policy).spawn(move || plan.plain(actor()))
        })
        .collect();
    for number in 4..7 {
        let plan = Faults::one_in(20, seed ^ number as u64).after_handling();
        faults.push(plan.clone());
        let (world, policy) = (world.clone(), Supervision::new().restarts(100, ms(1_000)));
        let actor = move || Waiting { number, world: world.clone(), peers: Vec::new() };
        let lives = move || plan.waiting(actor());
        actors.push(run.theater().actor().supervised(policy).spawn(lives));
    }
    let meet = || {
        for actor in &actors {
            let _ = actor.send(Word::Peers(actors.clone()));
        }
    };
    meet();
    for token in 0..12 {
        let to = &actors[token as usize % actors.len()];
        let _ = to.send(Word::Pass { token, hops: 40 });
    }
    for _ in 0..60 {
        run.advance(ms(1));
        *clock.lock().unwrap() = run.clock().now();
        // Restarted actors know nobody.
        meet();
    }
    let injected = faults.iter().map(Faults::injected).sum();
    let trace = run.trace();
    let leftovers = run.shutdown().leftovers.len();
    let log = world.log.lock().unwrap().clone();
    Recorded { trace, log, injected, leftovers }
}

#[test]
fn s23_a_seed_replays_timers_waiting_handlers_restarts_and_failures() {
    for_seeds(20, |seed| {
        let (one, again) = (run(seed), run(seed));
        assert_eq!(one.trace.first_difference(&again.trace), None);
        let difference = one.log.iter().zip(&again.log).position(|(one, again)| one != again);
        assert_eq!((difference, one.log.len()), (None, again.log.len()));
        assert_eq!((one.injected, one.leftovers), (again.injected, again.leftovers));
        // All that is to be replayed did happen.
        let count = |end| one.log.iter().filter(|(_, what)| what.ends_with(end)).count();
        assert!(one.injected > 3, "{} failures", one.injected);
        assert!(count("starts") > 4 && count("goes on") > 4 && count("Tick") > 10);
    });
}

/// Each of several handlers that are woken together, and each timer against them.
#[test]
fn s23_the_seed_decides_how_futures_and_timers_interleave() {
    let orders: std::collections::HashSet<_> = (0..10)
        .map(|seed| {
            let run = run(seed);
            let at_one_time = run.log.into_iter().filter(|(time, _)| *time == ms(5));
            at_one_time.map(|(_, what)| what).collect::<Vec<_>>()
        })
        .collect();
    assert!(orders.len() > 5, "{} of 10 seeds differ", orders.len());
}

/// Fails at the messages that were named, over all lives, before or after they are handled.
#[test]
fn s23_failures_come_where_they_are_planned() {
    struct Noter(Arc<Mutex<Vec<u32>>>);
    impl Actor for Noter {
        type Msg = u32;
        fn handle(&mut self, n: u32, _: &mut Context<'_, Self>) {
            self.0.lock().unwrap().push(n);
        }
    }
    impl AsyncActor for Noter {
        type Msg = u32;
        async fn handle(&mut self, n: u32, _: &mut AsyncContext<'_, Self>) {
            yields(1).await;
            self.0.lock().unwrap().push(n);
        }
    }
    for (faults, expected) in [
        (Faults::at([2, 5]), vec![1, 3, 4, 6]),
        (Faults::at([2, 5]).after_handling(), vec![1, 2, 3, 4, 5, 6]),
        (Faults::none(), vec![1, 2, 3, 4, 5, 6]),
    ] {
        let run = Deterministic::new(3);
        let log = Arc::new(Mutex::new(Vec::new()));
        let (plan, noted) = (faults.clone(), log.clone());
        let texts = Arc::new(Mutex::new(Vec::new()));
        let heard = texts.clone();
        let policy = Supervision::new().decide(move |failure| {
            heard.lock().unwrap().push(failure.text().unwrap().to_owned());
            Directive::Restart
        });
        let policy = policy.pauses(Duration::ZERO, Duration::ZERO);
        let noter = run
            .theater()
            .actor()
            .supervised(policy)
            .spawn(move || plan.plain(Noter(noted.clone())));
        (1..=6).for_each(|n| noter.send(n).unwrap());
        run.run_until_idle();
        assert_eq!(*log.lock().unwrap(), expected);
        assert_eq!(faults.messages(), 6);
        assert_eq!(*texts.lock().unwrap(), vec![INJECTED; faults.injected() as usize]);
    }
    for (faults, expected) in
        [(Faults::at([3]), vec![1, 2]), (Faults::at([3]).after_handling(), vec![1, 2, 3])]
    {
        let run = Deterministic::new(3);
        let log = Arc::new(Mutex::new(Vec::new()));
        let noter = run.theater().spawn(faults.waiting(Noter(log.clone())));
        (1..=6).for_each(|n| noter.send(n).unwrap());
        run.run_until_idle();
        assert_eq!(*log.lock().unwrap(), expected);
        assert!(noter.is_stopped());
        assert_eq!(run.theater().dead_letters(), 3);
    }
}

#[test]
fn s23_random_failures_follow_from_their_seed() {
    struct Deaf;
    impl Actor for Deaf {
        type Msg = ();
        fn handle(&mut self, (): (), _: &mut Context<'_, Self>) {}
    }
    let failures = |seed| {
        let run = Deterministic::new(0);
        let faults = Faults::one_in(4, seed);
        let plan = faults.clone();
        let policy = Supervision::new().always(Directive::Resume);
        let actor = run.theater().actor().supervised(policy).spawn(move || plan.plain(Deaf));
        let mut failed_at = Vec::new();
        for n in 0..100 {
            let before = faults.injected();
            actor.send(()).unwrap();
            run.run_until_idle();
            failed_at.extend((faults.injected() > before).then_some(n));
        }
        failed_at
    };
    assert_eq!(failures(1), failures(1));
    assert_ne!(failures(1), failures(2));
    assert!((10..45).contains(&failures(1).len()), "{:?}", failures(1));
}

/// This test runs itself once more, to fail on purpose and to be repeated as it says.
#[test]
fn s23_a_failing_seed_prints_the_command_that_runs_it_alone() {
    const INSIDE: &str = "ODEON_TEST_FAILS_ON_PURPOSE";
    const NAME: &str = "s23_a_failing_seed_prints_the_command_that_runs_it_alone";
    if std::env::var_os(INSIDE).is_some() {
        return for_seeds(5, |seed| {
            println!("seed {seed} runs");
            if seed == 3 {
                silent_panic("on purpose");
            }
        });
    }
    let run = |seed: Option<&str>| {
        let mut again = Command::new(std::env::current_exe().unwrap());
        again.args(["--exact", NAME, "--nocapture", "--test-threads=2"]).env(INSIDE, "1");
        again.env_remove("ODEON_SEEDS");
        match seed {
            Some(seed) => again.env("ODEON_SEED", seed),
            None => again.env_remove("ODEON_SEED"),
        };
        let output = again.output().unwrap();
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.success(), printed.matches(" runs\n").count(), said)
    };
    let (succeeded, seeds, said) = run(None);
    let command =
        format!("ODEON_SEED=3 cargo test -p odeon-testkit --test s23_replay -- --exact {NAME}");
    assert!(!succeeded && seeds == 4 && said.contains(&command), "{said}");
    let (succeeded, seeds, _) = run(Some("3"));
    assert!(!succeeded && seeds == 1);
    let (succeeded, seeds, _) = run(Some("4"));
    assert!(succeeded && seeds == 1);
}
