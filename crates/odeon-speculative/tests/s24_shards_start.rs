//! S1, S15, S24 and the start of actors with several inboxes: what comes to their shards meanwhile
//! waits, whatever becomes of it.

use crate::support::account::{divided, lab_by, supervised_lab_by};
use crate::support::{Do, Linked, ToLinked, ask, result};
use odeon_core::extend::as_numbered_sender;
use odeon_core::{Access, ActorRef, AskError, Directive, Message, Reply, Supervision, Theater};
use odeon_speculative::{
    Coordinate, Processing, SpawnSpeculative, SpeculativeActor, SpeculativeContext, TxResult,
};
use odeon_stm::{TVar, Tx};
use odeon_testkit::{Deterministic, for_seeds, silent_panic};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// What the lives of one actor have in common.
struct Lives {
    /// What the start of each life does.
    start: Box<dyn Fn(u64) + Send + Sync>,
    begun: AtomicU64,
    /// Messages that were handled in a state that had not started.
    early: AtomicU64,
    handled: AtomicU64,
    /// What was handled, by sender.
    heard: [Mutex<Vec<u64>>; 5],
}

/// Sender 4 is the actor itself, in its start.
const ITSELF: usize = 4;
const OF_ITSELF: u64 = 20;

impl Lives {
    fn new(start: impl Fn(u64) + Send + Sync + 'static) -> Arc<Self> {
        Arc::new(Self {
            start: Box::new(start),
            begun: AtomicU64::new(0),
            early: AtomicU64::new(0),
            handled: AtomicU64::new(0),
            heard: Default::default(),
        })
    }
}

struct Starting {
    lives: Arc<Lives>,
    life: u64,
    has_started: TVar<bool>,
    count: TVar<u64>,
}

enum Hello {
    Of(usize, u64),
    Life(Reply<u64>),
    Look(Reply<u64>),
    Fail,
}

impl Message for Hello {
    fn access(&self) -> Access {
        match self {
            Self::Look(_) => Access::Snapshot,
            _ => Access::Update,
        }
    }
}

impl SpeculativeActor for Starting {
    type Msg = Hello;

    fn started<'t>(&'t self, tx: &mut Tx<'t>, ctx: &mut SpeculativeContext<'_, Self>) -> TxResult {
        for number in 1..=OF_ITSELF {
            ctx.send_self(Hello::Of(ITSELF, number));
            // Where a seed lets others go on.
            self.has_started.get(tx)?;
        }
        (self.lives.start)(self.life);
        self.has_started.set(tx, true)?;
        Ok(())
    }

    fn handle<'t>(
        &'t self,
        hello: &'t Hello,
        tx: &mut Tx<'t>,
        ctx: &mut SpeculativeContext<'_, Self>,
    ) -> TxResult {
        if !self.has_started.get(tx)? {
            self.lives.early.fetch_add(1, SeqCst);
        }
        let lives = self.lives.clone();
        tx.on_commit(move || _ = lives.handled.fetch_add(1, SeqCst));
        match hello {
            Hello::Of(sender, number) => {
                let (lives, sender, number) = (self.lives.clone(), *sender, *number);
                tx.on_commit(move || lives.heard[sender].lock().unwrap().push(number));
                self.count.update(tx, |count| count + 1)?;
            }
            Hello::Life(reply) => {
                self.count.get(tx)?;
                ctx.reply(reply, self.life);
            }
            Hello::Look(reply) => ctx.reply(reply, self.life),
            Hello::Fail => silent_panic("asked to"),
        }
        Ok(())
    }
}

fn spawn(
    theater: &Theater,
    lives: &Arc<Lives>,
    processing: &Processing,
    supervision: Supervision,
) -> ActorRef<Hello> {
    let lives = lives.clone();
    let make = move || Starting {
        lives: lives.clone(),
        life: lives.begun.fetch_add(1, SeqCst),
        has_started: TVar::new(false),
        count: TVar::new(0),
    };
    theater.spawn_speculative_supervised(supervision, processing.clone(), make).actor_ref()
}

fn at_once() -> Supervision {
    Supervision::new()
        .restarts(1_000_000, Duration::from_secs(1))
        .pauses(Duration::ZERO, Duration::ZERO)
}

fn theater() -> Theater {
    Theater::builder().workers(3).build().unwrap()
}

/// Waits for what must come.
fn until(is_so: impl Fn() -> bool) {
    while !is_so() {
        thread::yield_now();
    }
}

/// Opens for each life in turn.
#[derive(Clone, Default)]
struct Gates(Arc<[AtomicBool; 2]>);

impl Gates {
    fn pass(&self, life: u64) {
        until(|| self.0[life as usize].load(SeqCst));
    }

    fn open(&self, life: usize) {
        self.0[life].store(true, SeqCst);
    }
}

#[test]
fn s24_s28_nothing_is_handled_before_the_start_is_over() {
    const EACH: u64 = 40;
    for processing in divided() {
        for round in 0..8 {
            let theater = theater();
            let gates = Gates::default();
            let (opens, (lab, _)) = (gates.clone(), lab_by(&theater, &processing));
            let lives = Lives::new(move |life| opens.pass(life));
            let actor = &spawn(&theater, &lives, &processing, at_once());
            let linked = theater.spawn(Linked(actor.clone()));
            linked.ask(ToLinked::Hear).wait().unwrap();
            for life in 0..2 {
                let before = lives.handled.load(SeqCst);
                thread::scope(|scope| {
                    for sender in 0..3 {
                        scope.spawn(move || {
                            for number in 1..=EACH {
                                actor.send(Hello::Of(sender, number)).unwrap();
                            }
                        });
                    }
                    scope.spawn(|| {
                        for number in 1..=EACH {
                            let outcome = theater.coordinate(|co| {
                                co.send(&lab, Do::increment(0));
                                co.send(actor, Hello::Of(3, number));
                            });
                            // The first one waits for the start.
                            if number > 1 {
                                outcome.wait().unwrap();
                            } else {
                                thread::sleep(Duration::from_micros(50 * round));
                                assert_eq!(lives.handled.load(SeqCst), before, "{processing:?}");
                                gates.open(life);
                                outcome.wait().unwrap();
                            }
                        }
                    });
                });
                until(|| {
                    let of_itself = lives.heard[ITSELF].lock().unwrap().len() as u64;
                    of_itself == OF_ITSELF * (life as u64 + 1)
                });
                assert_eq!(actor.ask(Hello::Life).wait(), Ok(life as u64));
                until(|| (0..4).all(|of| lives.heard[of].lock().unwrap().len() as u64 == EACH));
                assert_eq!(lives.early.load(SeqCst), 0, "{processing:?}");
                lives.heard[..4].iter().for_each(|heard| {
                    assert!(std::mem::take(&mut *heard.lock().unwrap()).into_iter().eq(1..=EACH));
                });
                if life == 0 {
                    if round % 2 == 0 {
                        actor.send(Hello::Fail).unwrap();
                    } else {
                        linked.send(ToLinked::Fail).unwrap();
                    }
                    until(|| lives.begun.load(SeqCst) == 2);
                }
            }
            let heard = lives.heard[ITSELF].lock().unwrap();
            assert!(
                heard
                    .chunks(OF_ITSELF as usize)
                    .all(|of_life| of_life.iter().copied().eq(1..=OF_ITSELF))
            );
            assert_eq!(result(&lab, Do::look(0)), Ok(2 * EACH as i64));
        }
    }
}

/// The same at every moment; and the start of each life but the last one fails.
#[test]
fn s24_s15_no_message_comes_before_a_start_whatever_the_order() {
    const EACH: u64 = 8;
    for_seeds(150, |seed| {
        let run = Deterministic::new(seed);
        let fails = seed / 3 % 3;
        let lives = Lives::new(move |life| {
            if life < fails {
                silent_panic("not yet");
            }
        });
        let processing = &divided()[seed as usize % 3];
        let actor = spawn(run.theater(), &lives, processing, at_once());
        let (lab, _) = lab_by(run.theater(), processing);
        let mut outcomes = Vec::new();
        for number in 1..=EACH {
            for sender in 0..3 {
                let send = || actor.send(Hello::Of(sender, number)).unwrap();
                as_numbered_sender(1 + sender as u64, send);
            }
            run.run_steps((seed as usize + number as usize) % 4);
            if number == EACH / 2 {
                as_numbered_sender(9, || actor.send(Hello::Fail).unwrap());
            }
            outcomes.push(as_numbered_sender(4, || {
                run.theater().coordinate(|co| {
                    co.send(&actor, Hello::Of(3, number));
                    co.send(&lab, Do::increment(0));
                })
            }));
        }
        run.run_until_idle();
        for outcome in outcomes {
            assert_eq!(outcome.wait_timeout(Duration::ZERO), Some(Ok(())));
        }
        assert_eq!(lives.early.load(SeqCst), 0);
        for heard in &lives.heard[..4] {
            assert!(heard.lock().unwrap().iter().copied().eq(1..=EACH));
        }
        assert_eq!(lives.begun.load(SeqCst), fails + 2);
    });
}

/// Asks that were sent before the start is over, and behind it.
fn answers(actor: &ActorRef<Hello>, open: impl FnOnce()) -> Vec<Result<u64, AskError>> {
    let mut asked = Vec::new();
    for sender in 0..8 {
        asked.push(as_numbered_sender(sender, || actor.ask(Hello::Life)));
        asked.push(as_numbered_sender(sender, || actor.ask(Hello::Look)));
    }
    open();
    for sender in 0..8 {
        asked.push(as_numbered_sender(sender + 4, || actor.ask(Hello::Look)));
        asked.push(as_numbered_sender(sender + 4, || actor.ask(Hello::Life)));
    }
    asked.into_iter().map(|asked| asked.wait()).collect()
}

#[test]
fn s15_nobody_waits_for_ever_for_one_whose_start_fails() {
    for processing in divided() {
        for round in 0..45 {
            let theater = theater();
            let gates = Gates::default();
            let opens = gates.clone();
            let (supervision, fails) = match round % 3 {
                0 => (at_once().always(Directive::Resume), 1),
                1 => (at_once(), 3),
                _ => (Supervision::new().restarts(2, Duration::MAX), u64::MAX),
            };
            let supervision = supervision.pauses(Duration::ZERO, Duration::ZERO);
            let lives = Lives::new(move |life| {
                opens.pass(0);
                if life < fails {
                    silent_panic("not yet");
                }
            });
            let actor = spawn(&theater, &lives, &processing, supervision);
            let answers = answers(&actor, || gates.open(0));
            let is_as_expected = |answer: &Result<u64, AskError>| match round % 3 {
                0 => *answer == Ok(0),
                1 => *answer == Ok(3),
                _ => answer.is_err(),
            };
            assert!(answers.iter().all(is_as_expected), "{processing:?}: {answers:?}");
            let begun = [1, 4, 3][round % 3];
            assert_eq!(lives.begun.load(SeqCst), begun);
            let of_itself = lives.heard[ITSELF].lock().unwrap().len();
            assert!(round % 3 == 1 || of_itself == 0, "what a failed start has sent is undone");
        }
    }
}

/// It is made anew by others while a long message runs: what is sent once the new state has
/// answered is not for the old one.
#[test]
fn s24_s15_what_is_sent_after_an_answer_of_the_new_state_is_handled_by_that() {
    // The long message has one of the places, so there is to be another one.
    for processing in [2, 4].map(|width| Processing::concurrent().width(width)) {
        for _ in 0..10 {
            let theater = theater();
            let (gates, runs) = (Gates::default(), Arc::new(AtomicBool::new(false)));
            let (lab, common) = supervised_lab_by(&theater, &processing, at_once());
            // It is known to be short.
            as_numbered_sender(1, || {
                (0..2_000).for_each(|_| lab.send(Do::increment(0)).unwrap());
                result(&lab, Do::look(0)).unwrap();
            });
            let linked = theater.spawn(Linked(lab.actor_ref()));
            linked.ask(ToLinked::Hear).wait().unwrap();
            let (passes, tells) = (gates.clone(), runs.clone());
            let long = Do::update(move |_, _, _| {
                tells.store(true, SeqCst);
                passes.pass(0);
                Ok(0)
            });
            let life = || Do::update(|lab, _, _| Ok(lab.life as i64));
            as_numbered_sender(1, || {
                (0..5).for_each(|_| lab.send(Do::increment(0)).unwrap());
                lab.send(long).unwrap();
            });
            until(|| runs.load(SeqCst));
            linked.send(ToLinked::Fail).unwrap();
            until(|| common.lives.load(SeqCst) == 2);
            as_numbered_sender(2, || assert_eq!(result(&lab, life()), Ok(1)));
            let behind = as_numbered_sender(1, || [(); 5].map(|()| ask(&lab, life())));
            gates.open(0);
            let lives = behind.map(|asked| asked.wait());
            assert_eq!(lives, [(); 5].map(|()| Ok(1)), "{processing:?}");
        }
    }
}
