//! S25: with `Ordering::Mailbox` all messages are handled in the order of arrival: results and
//! effects are those of one at a time.

use crate::support::{Common, Do, Lab, Log, Note, result, width};
use odeon_core::{Actor, ActorRef, Context, Directive, Message, Supervision, Theater};
use odeon_speculative::{
    Access, Coordinate, Ordering, Processing, SpawnSpeculative, SpeculativeRef, TxResult, fail,
};
use odeon_stm::Tx;
use odeon_testkit::{for_seeds, silent_panic};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::thread;
use std::time::Duration;

const VARS: u64 = 4;

fn in_order(each: usize) -> Processing {
    width(each).ordering(Ordering::Mailbox)
}

/// SplitMix64: a message is known by its number, and what it does follows from that.
fn mix(number: u64) -> u64 {
    let z = number.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// What a message does: reads one variable, and makes of it and its own number the value of another
/// one.
#[derive(Clone, Copy)]
struct Deed(u64);

impl Deed {
    fn access(self) -> Access {
        match mix(self.0 ^ 2) % 16 {
            0 => Access::Exclusive,
            1 | 2 => Access::Snapshot,
            3 => Access::Relaxed,
            _ => Access::Update,
        }
    }

    fn vars(self) -> (usize, usize) {
        let bits = mix(self.0 ^ 3);
        ((bits % VARS) as usize, (bits / VARS % VARS) as usize)
    }

    fn value(self, read: i64) -> i64 {
        (mix(self.0 ^ read as u64) >> 32) as i64
    }

    /// Whether it fails, which depends on what it has read.
    fn fails(self, read: i64) -> bool {
        mix(self.0 ^ 5 ^ read as u64) % 24 == 0
    }

    /// What it does to the variables, and tells.
    fn serial(self, vars: &mut [i64]) -> Result<i64, ()> {
        let (from, into) = self.vars();
        let read = vars[from];
        if self.fails(read) {
            return Err(());
        }
        if !self.access().only_reads() {
            vars[into] = self.value(read);
        }
        Ok(self.value(read))
    }

    fn message(self, log: &ActorRef<Note<i64>>) -> Do {
        let log = log.clone();
        Do::with(self.access(), move |lab, tx, _| self.handle(lab, tx, &log))
    }

    fn handle<'t>(self, lab: &'t Lab, tx: &mut Tx<'t>, log: &ActorRef<Note<i64>>) -> TxResult<i64> {
        let (from, into) = self.vars();
        let read = lab.vars[from].get(tx)?;
        // Of very different lengths.
        let length = mix(self.0 ^ 4) % 64;
        (0..length * length / 16).for_each(|_| std::hint::spin_loop());
        if length == 0 {
            thread::yield_now();
        }
        let value = self.value(read);
        log.send(Note::Of(value)).unwrap();
        if self.fails(read) {
            return if length % 2 == 0 { fail("given up") } else { silent_panic("as well") };
        }
        if !self.access().only_reads() {
            lab.vars[into].set(tx, value)?;
        }
        Ok(value)
    }
}

/// Sends what it is sent on to the lab: so the order of arrival there is known.
struct Forwarder {
    lab: ActorRef<Do>,
    log: ActorRef<Note<i64>>,
    arrived: Log<Deed>,
}

struct Forward(Deed);
impl Message for Forward {}

impl Actor for Forwarder {
    type Msg = Forward;
    fn handle(&mut self, Forward(deed): Forward, _: &mut Context<'_, Self>) {
        self.arrived.add(deed);
        self.lab.send(deed.message(&self.log)).unwrap();
    }
}

fn log(theater: &Theater) -> (Log<i64>, ActorRef<Note<i64>>) {
    let log = Log::new();
    let actor = theater.spawn(log.clone());
    (log, actor)
}

fn run(seed: u64, on_failure: Directive) {
    let theater = Theater::builder().workers(1 + seed as usize % 3).build().unwrap();
    let common = Arc::new(Common::default());
    let made = common.clone();
    let first_width = 1 + mix(seed) as usize % 6;
    let lab = theater.spawn_speculative_supervised(
        Supervision::new()
            .always(on_failure)
            .restarts(1_000_000, Duration::from_secs(1))
            .pauses(Duration::ZERO, Duration::ZERO),
        in_order(first_width),
        move || Lab::new(&made),
    );
    let (told, log) = log(&theater);
    let arrived = Log::new();
    let forwarder =
        theater.spawn(Forwarder { lab: lab.actor_ref(), log, arrived: arrived.clone() });
    thread::scope(|scope| {
        for sender in 0..3 {
            let forwarder = &forwarder;
            scope.spawn(move || {
                for n in 0..150 {
                    forwarder.send(Forward(Deed(mix(seed << 20 ^ sender << 10 ^ n)))).unwrap();
                }
            });
        }
        scope.spawn(|| {
            for n in 0..30 {
                lab.set_processing(match n % 5 {
                    4 => Processing::adaptive(),
                    _ => width(1 + mix(seed ^ n) as usize % 6),
                });
                thread::yield_now();
            }
        });
    });
    let report = theater.shutdown(Duration::from_secs(120));
    assert!(report.drained && report.leftovers.is_empty() && report.stuck == 0);
    let (mut vars, mut tells, mut failures) = (vec![0; 8], Vec::new(), 0);
    for deed in arrived.all() {
        match deed.serial(&mut vars) {
            Ok(value) => tells.push(value),
            Err(()) => {
                failures += 1;
                if on_failure == Directive::Restart {
                    vars.fill(0);
                }
            }
        }
    }
    assert_eq!(lab.speculation().failures, failures);
    assert_eq!(lab.speculation().commits, tells.len() as u64);
    assert_eq!(told.all(), tells);
    assert_eq!(*common.last.lock().unwrap(), vars);
}

#[test]
fn s25_random_programs_come_to_what_the_order_of_arrival_does() {
    for_seeds(20, |seed| run(seed, Directive::Resume));
}

#[test]
fn s25_so_do_programs_whose_failures_make_the_state_anew() {
    for_seeds(20, |seed| run(seed, Directive::Restart));
}

fn lab_in_order(theater: &Theater, each: usize) -> (SpeculativeRef<Do>, Arc<Common>) {
    let common = Arc::new(Common::default());
    (theater.spawn_speculative(Lab::new(&common), in_order(each)), common)
}

/// Keeps its handler running until it is opened; counts those who pass without.
#[derive(Clone, Default)]
struct Gate(Arc<AtomicBool>, Arc<AtomicU64>);

impl Gate {
    fn shut(&self) -> Do {
        let gate = self.clone();
        Do::update(move |lab, tx, _| {
            while !gate.0.load(SeqCst) {
                thread::yield_now();
            }
            lab.add(tx, 0, 1)
        })
    }

    fn passing(&self) -> Do {
        let gate = self.clone();
        Do::update(move |lab, tx, _| {
            gate.1.fetch_add(1, SeqCst);
            lab.add(tx, 1, 1)
        })
    }

    fn open(&self) {
        self.0.store(true, SeqCst);
    }
}

#[test]
fn s25_who_waits_for_a_turn_holds_no_worker() {
    let theater = Theater::builder().workers(2).build().unwrap();
    let (lab, _) = lab_in_order(&theater, 8);
    let plain = theater.spawn(Log::<i64>::new());
    let gate = Gate::default();
    lab.send(gate.shut()).unwrap();
    (0..20).for_each(|_| lab.send(gate.passing()).unwrap());
    // Of two workers one is at the gate: all others have to run on the other one, and to leave it
    // to the plain actor.
    while gate.1.load(SeqCst) < 20 {
        thread::yield_now();
    }
    plain.send(Note::Of(1)).unwrap();
    assert_eq!(plain.ask(Note::Count).wait(), Ok(1));
    assert_eq!(lab.speculation().commits, 0, "a message has overtaken the first one");
    gate.open();
    assert_eq!(result(&lab, Do::look(1)), Ok(20));
}

#[test]
fn s25_in_the_order_of_arrival_all_before_the_end_is_handled_and_nothing_behind_it() {
    const MESSAGES: i64 = 60;
    for each in [1, 2, 4] {
        for last in 0..MESSAGES {
            let theater = Theater::builder().workers(2).build().unwrap();
            let (lab, common) = lab_in_order(&theater, each);
            let (told, log) = log(&theater);
            let mut refused = 0;
            for n in 0..MESSAGES {
                let log = log.clone();
                let message = Do::update(move |lab, tx, ctx| {
                    if n == last {
                        ctx.stop();
                    }
                    log.send(Note::Of(n)).unwrap();
                    lab.add(tx, n as usize % 3, 1)
                });
                // When the actor has ended it comes back.
                refused += u64::from(lab.send(message).is_err());
            }
            let report = theater.shutdown(Duration::from_secs(120));
            let behind = (MESSAGES - last - 1) as u64;
            assert_eq!(report.dead_letters.total() + refused, behind, "width {each}");
            assert_eq!(told.all(), (0..=last).collect::<Vec<_>>(), "width {each}");
            assert_eq!(common.last.lock().unwrap()[..3].iter().sum::<i64>(), last + 1);
            assert_eq!(lab.speculation().commits, last as u64 + 1);
        }
    }
}

#[test]
fn s25_in_the_order_of_arrival_a_message_that_asks_to_wait_fails_at_its_turn() {
    for each in [1, 4] {
        let theater = Theater::builder().workers(2).build().unwrap();
        let (lab, _) = lab_in_order(&theater, each);
        for n in 0..200 {
            // What it waits for comes before it, and behind it again.
            lab.send(Do::increment(0)).unwrap();
            lab.send(Do::update(move |lab, tx, _| {
                if lab.vars[0].get(tx)? != n + 1 {
                    tx.retry()?;
                }
                lab.add(tx, 1, 1)
            }))
            .unwrap();
            lab.send(Do::update(move |lab, tx, _| {
                if lab.vars[0].get(tx)? != n + 2 {
                    tx.retry()?;
                }
                lab.add(tx, 2, 1)
            }))
            .unwrap();
        }
        let looks = [0, 1, 2].map(|var| result(&lab, Do::look(var)).unwrap());
        assert_eq!((looks, lab.speculation().failures), ([200, 200, 0], 200), "width {each}");
    }
}

/// What a handler has told: whose message, which one, and what its actor has come to by it.
type Told = (u64, i64, i64);

fn next_value(from: u64, n: i64, before: i64) -> i64 {
    Deed(from << 40 ^ n as u64).value(before)
}

/// The `n`th message of a sender. Those of the same actor have all to do with each other.
fn counting(from: u64, n: i64, log: &ActorRef<Note<Told>>) -> Do {
    let log = log.clone();
    Do::update(move |lab, tx, _| {
        let value = next_value(from, n, lab.vars[0].get(tx)?);
        lab.vars[0].set(tx, value)?;
        log.send(Note::Of((from, n, value))).unwrap();
        Ok(value)
    })
}

/// The same, and joins one to another actor.
fn joining(
    from: u64,
    n: i64,
    log: &ActorRef<Note<Told>>,
    other: &ActorRef<Do>,
    its_log: &ActorRef<Note<Told>>,
) -> Do {
    let (log, other, its_log) = (log.clone(), other.clone(), its_log.clone());
    Do::update(move |lab, tx, ctx| {
        let value = next_value(from, n, lab.vars[0].get(tx)?);
        lab.vars[0].set(tx, value)?;
        log.send(Note::Of((from, n, value))).unwrap();
        ctx.join(&other, counting(from + 10, n, &its_log));
        Ok(value)
    })
}

/// Plain messages of two threads, joining ones among them, and coordinated ones of two other
/// threads, at two actors.
#[test]
fn s25_coordinated_transactions_come_in_between() {
    const MESSAGES: i64 = 120;
    for seed in 0..20_u64 {
        let each = 1 + mix(seed) as usize % 5;
        let theater = Theater::builder().workers(1 + seed as usize % 3).build().unwrap();
        let labs = [0, 1].map(|_| lab_in_order(&theater, each).0);
        let logs = [0, 1].map(|_| Log::<Told>::new());
        let told = [0, 1].map(|n: usize| theater.spawn(logs[n].clone()));
        let (theater_, labs_, told_) = (&theater, &labs, &told);
        thread::scope(|scope| {
            for home in 0..2_usize {
                let (from, other) = (home as u64, 1 - home);
                scope.spawn(move || {
                    for n in 0..MESSAGES {
                        let (here, there) = (&told_[home], &told_[other]);
                        let message = match n % 8 {
                            5 => joining(from, n, here, &labs_[other], there),
                            _ => counting(from, n, here),
                        };
                        labs_[home].send(message).unwrap();
                    }
                });
                scope.spawn(move || {
                    let both = |n| {
                        theater_.coordinate(|co| {
                            for to in [home, other] {
                                co.send(&labs_[to], counting(from + 2, n, &told_[to]));
                            }
                        })
                    };
                    let outcomes: Vec<_> = (0..MESSAGES / 4).map(both).collect();
                    outcomes.into_iter().for_each(|outcome| outcome.wait().unwrap());
                });
            }
        });
        let report = theater.shutdown(Duration::from_secs(120));
        assert!(report.drained && report.leftovers.is_empty() && report.stuck == 0);
        for home in 0..2_u64 {
            let told = logs[home as usize].all();
            told.iter().fold(0, |before, &(from, n, value)| {
                assert_eq!(
                    value,
                    next_value(from, n, before),
                    "effects in another order than commits"
                );
                value
            });
            let of = |who| told.iter().filter(move |of| of.0 == who).map(|of| of.1);
            assert!(of(home).eq(0..MESSAGES), "a sender's messages in another order");
            assert!((2..4).all(|who| of(who).eq(0..MESSAGES / 4)));
            assert!(of(11 - home).eq((0..MESSAGES).filter(|n| n % 8 == 5)));
        }
    }
}
