//! S4, S14 and S15 of actors with several inboxes: what becomes of what waits in them when their
//! actor ends, whenever and why.

use crate::support::account::{
    Account, counts, divided, lab_by, mix, supervised_lab_by, take_a_while,
};
use crate::support::{Common, Do, Linked, ToLinked, ask, result};
use odeon_core::extend::as_numbered_sender;
use odeon_core::{
    Access, ActorRef, AskError, DeadLetterReason, Directive, Message, Reply, Supervision, Theater,
};
use odeon_speculative::{
    Coordinate, Processing, SpawnSpeculative, SpeculativeActor, SpeculativeContext, TxResult,
};
use odeon_stm::Tx;
use odeon_testkit::silent_panic;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::thread;
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(60);

/// Runs until it is opened, and does something then.
fn held(gate: &Arc<AtomicBool>, ends: bool) -> Do {
    let gate = gate.clone();
    Do::update(move |lab, tx, ctx| {
        while !gate.load(SeqCst) {
            thread::yield_now();
        }
        if ends {
            ctx.stop();
            return lab.add(tx, 0, 1);
        }
        silent_panic("the end")
    })
}

/// Sends behind one that ends the actor, from as many senders.
fn behind_an_end(theater: &Theater, processing: &Processing, stops: bool, account: &Arc<Account>) {
    let supervision = Supervision::new().always(Directive::Stop);
    let (lab, _) = supervised_lab_by(theater, processing, supervision);
    account.expect(lab.id());
    let gate = Arc::new(AtomicBool::new(false));
    as_numbered_sender(0, || lab.send(held(&gate, stops)).unwrap());
    for sender in 0..8 {
        for _ in 0..20 {
            // The first one shares the lane of the message that ends the actor.
            as_numbered_sender(sender, || {
                account.send(&lab, sender as usize, |number, slip| {
                    counts(Access::Update, 1, number, slip)
                });
            });
        }
    }
    let asked = as_numbered_sender(0, || ask(&lab, Do::look(0)));
    let ended = lab.ended();
    gate.store(true, SeqCst);
    ended.wait();
    assert!(asked.wait().is_err());
}

#[test]
fn s14_whoever_is_told_of_an_end_finds_all_dead_letters() {
    for processing in divided() {
        for round in 0..40 {
            let account = Account::of(8);
            let builder = Theater::builder().workers(1 + round % 3);
            let theater = builder.on_dead_letter(account.hook()).build().unwrap();
            behind_an_end(&theater, &processing, round % 2 == 0, &account);
            // Without waiting for anything else.
            let (handled, others) = account.check(|_| false);
            assert_eq!(handled + others, 160, "{processing:?}");
            assert_eq!(theater.dead_letters(), others + 1);
        }
    }
}

#[test]
fn s4_dead_letters_of_all_inboxes_say_why() {
    for processing in divided() {
        for round in 0..40 {
            let account = Account::of(8);
            let builder = Theater::builder().workers(1 + round % 3);
            let theater = builder.on_dead_letter(account.hook()).build().unwrap();
            let stops = round % 2 == 0;
            behind_an_end(&theater, &processing, stops, &account);
            while theater.live_actors() > 0 {
                thread::yield_now();
            }
            let counts = theater.dead_letter_counts();
            let why = if stops { DeadLetterReason::Stopped } else { DeadLetterReason::Failed };
            assert_eq!(counts.of(why), counts.total(), "{counts:?} {processing:?}");
            let (handled, others) = account.check(|_| false);
            assert_eq!((handled + others, others + 1), (160, counts.total()));
        }
    }
}

/// Each message is of another sender, so shards are made while the actor ends.
#[test]
fn s4_s11_shards_that_are_made_amid_an_end_account_for_all() {
    const THREADS: usize = 3;
    const EACH: usize = 50;
    for processing in divided() {
        for round in 0..12_u64 {
            let account = Account::of(THREADS * EACH);
            let builder = Theater::builder().workers(1 + round as usize % 3);
            let theater = builder.on_dead_letter(account.hook()).build().unwrap();
            let (lab, common) = lab_by(&theater, &processing);
            account.expect(lab.id());
            let ended = lab.ended();
            let ends = round % 3;
            thread::scope(|scope| {
                for of in 0..THREADS {
                    let (lab, account) = (lab.actor_ref(), &account);
                    scope.spawn(move || {
                        for n in 0..EACH {
                            let sender = of * EACH + n;
                            as_numbered_sender(sender as u64, || {
                                account.send(&lab, sender, |number, slip| {
                                    counts(Access::Update, 0, number, slip)
                                });
                            });
                        }
                    });
                }
                while ends > 0 && account.handled_of_all() < mix(round) % 75 {
                    thread::yield_now();
                }
                match ends {
                    0 => {}
                    1 => lab.stop(),
                    _ => {
                        _ = lab.send(Do::update(|_, _, ctx| {
                            ctx.stop();
                            Ok(0)
                        }))
                    }
                }
                drop(lab);
            });
            ended.wait();
            assert_eq!((common.stops.load(SeqCst), common.drops.load(SeqCst)), (1, 1));
            while theater.live_actors() > 0 {
                thread::yield_now();
            }
            let (handled, others) = account.check(|_| false);
            assert_eq!(handled + others, (THREADS * EACH) as u64);
            assert!(ends > 0 || others == 0, "{others} of those that were sent to one that lives");
        }
    }
}

/// An actor whose start takes until it is told.
struct Slow {
    gate: Arc<AtomicBool>,
    begun: Arc<AtomicBool>,
    stops: bool,
    handled: Arc<AtomicU64>,
    common: Arc<Common>,
}

struct Ping;
impl Message for Ping {}

impl SpeculativeActor for Slow {
    type Msg = Ping;
    fn started<'t>(&'t self, _: &mut Tx<'t>, ctx: &mut SpeculativeContext<'_, Self>) -> TxResult {
        self.begun.store(true, SeqCst);
        while !self.gate.load(SeqCst) {
            thread::yield_now();
        }
        if self.stops {
            ctx.stop();
        }
        Ok(())
    }
    fn handle<'t>(
        &'t self,
        _: &'t Ping,
        tx: &mut Tx<'t>,
        _: &mut SpeculativeContext<'_, Self>,
    ) -> TxResult {
        let handled = self.handled.clone();
        tx.on_commit(move || _ = handled.fetch_add(1, SeqCst));
        Ok(())
    }
    fn stopped(&self) {
        self.common.stops.fetch_add(1, SeqCst);
    }
}

/// By itself, by others, by its theater.
#[test]
fn s4_an_end_during_the_start_accounts_for_all() {
    const SENT: u64 = 6 * 20;
    for processing in divided() {
        for round in 0..24 {
            let theater = Theater::builder().workers(2 + round % 2).build().unwrap();
            let (gate, begun) = (Arc::<AtomicBool>::default(), Arc::<AtomicBool>::default());
            let (handled, common) = (Arc::<AtomicU64>::default(), Arc::<Common>::default());
            let ends = round % 3;
            let slow = theater.spawn_speculative(
                Slow {
                    gate: gate.clone(),
                    begun: begun.clone(),
                    stops: ends == 0,
                    handled: handled.clone(),
                    common: common.clone(),
                },
                processing.clone(),
            );
            let (lab, _) = lab_by(&theater, &processing);
            let slow: ActorRef<Ping> = slow.actor_ref();
            for sender in 0..6 {
                (0..20).for_each(|_| as_numbered_sender(sender, || slow.send(Ping).unwrap()));
            }
            let outcome = theater.coordinate(|co| {
                co.send(&lab, Do::increment(0));
                co.send(&slow, Ping);
            });
            while !begun.load(SeqCst) {
                thread::yield_now();
            }
            if ends == 1 {
                slow.stop();
            }
            gate.store(true, SeqCst);
            if ends < 2 {
                slow.ended().wait();
                let committed = outcome.wait().is_ok();
                assert!(ends == 1 || !committed, "a message after the end");
                let look = i64::from(committed);
                assert_eq!(result(&lab, Do::look(0)), Ok(look), "all or nothing");
            }
            let report = theater.shutdown(PATIENCE);
            assert!(report.drained && report.stuck == 0);
            let handled = handled.load(SeqCst);
            let dead = report.dead_letters.total();
            assert!(handled + dead >= SENT && handled + dead <= SENT + 1, "{handled} + {dead}");
            assert!(ends > 0 || handled == 0, "{handled} after the end");
            assert!(ends < 2 || dead == 0, "{dead} of an actor that was not stopped");
            assert_eq!(common.stops.load(SeqCst), 1);
        }
    }
}

/// With pauses between restarts, in which senders go on.
#[test]
fn s15_what_comes_during_the_pause_of_a_restart_is_handled_behind_it() {
    const MESSAGES: u64 = 60;
    let fails = |number: u64| number % 20 == 10;
    for processing in divided() {
        let account = Account::of(4);
        let theater = Theater::builder().workers(2).on_dead_letter(account.hook()).build().unwrap();
        let millis = Duration::from_millis(1);
        let supervision =
            Supervision::new().restarts(1_000, Duration::MAX).pauses(millis, 3 * millis);
        let (lab, common) = supervised_lab_by(&theater, &processing, supervision);
        thread::scope(|scope| {
            for sender in 0..4 {
                let (lab, account) = (&lab, &account);
                scope.spawn(move || {
                    for _ in 0..MESSAGES {
                        account.send(lab, sender, |number, slip| match fails(number) {
                            false => counts(Access::Update, 0, number, slip),
                            true => Do::update(move |_, _, _| {
                                let _slip = &slip;
                                take_a_while(number);
                                silent_panic("asked to")
                            }),
                        });
                    }
                });
            }
        });
        // In the middle of pauses.
        assert!(theater.shutdown(PATIENCE).drained);
        let failures = 4 * (1..=MESSAGES).filter(|number| fails(*number)).count() as u64;
        assert_eq!(account.check(fails), (4 * MESSAGES - failures, 0), "{processing:?}");
        assert_eq!(common.lives.load(SeqCst), failures + 1);
    }
}

/// A message whose access is told only when a gate is open.
struct Gated {
    gate: Option<Arc<AtomicBool>>,
    reached: Arc<AtomicBool>,
    reply: Reply<()>,
}

impl Message for Gated {
    fn access(&self) -> Access {
        self.reached.store(true, SeqCst);
        while self.gate.as_ref().is_some_and(|gate| !gate.load(SeqCst)) {
            thread::yield_now();
        }
        Access::Update
    }
}

struct Answers;

impl SpeculativeActor for Answers {
    type Msg = Gated;
    fn handle<'t>(
        &'t self,
        message: &'t Gated,
        _: &mut Tx<'t>,
        ctx: &mut SpeculativeContext<'_, Self>,
    ) -> TxResult {
        ctx.reply(&message.reply, ());
        Ok(())
    }
}

/// Has so many actors end by `end`, and waits until they have: not until that is told, which their
/// shards come before.
fn have_ended(count: usize, theater: &Theater, end: impl FnOnce()) {
    let before = theater.live_actors();
    end();
    while theater.live_actors() > before - count {
        thread::yield_now();
    }
}

/// As many messages as a shard brings in one piece.
const TOGETHER: usize = 16;

/// A shard is about to bring messages to the board when its actor ends.
#[test]
fn s4_s10_what_a_shard_brings_too_late_is_a_dead_letter() {
    for processing in divided() {
        let theater = Theater::builder().workers(3).build().unwrap();
        let actor = theater.spawn_speculative(Answers, processing.clone()).actor_ref();
        let gates: [Arc<AtomicBool>; 2] = Default::default();
        let reached: [Arc<AtomicBool>; TOGETHER] = Default::default();
        let ask = |n: usize| {
            let gate = match n {
                0 => Some(gates[0].clone()),
                _ => (n == TOGETHER - 1).then(|| gates[1].clone()),
            };
            let reached = reached[n].clone();
            as_numbered_sender(1, || actor.ask(|reply| Gated { gate, reached, reply }))
        };
        // All come in one turn of the shard, which does not know yet how long they take.
        let asked = std::array::from_fn::<_, TOGETHER, _>(ask);
        gates[0].store(true, SeqCst);
        while !reached[TOGETHER - 1].load(SeqCst) {
            thread::yield_now();
        }
        have_ended(1, &theater, || actor.stop());
        gates[1].store(true, SeqCst);
        // Not for ever, if they are lost.
        let until = Instant::now() + PATIENCE / 6;
        for asked in asked {
            let left = until.saturating_duration_since(Instant::now());
            assert_eq!(asked.wait_timeout(left), Err(AskError::NoReply), "{processing:?}");
        }
        assert_eq!(theater.dead_letters(), TOGETHER as u64);
    }
}

/// A message is to join another one to its transaction when its actor ends.
#[test]
fn s4_s10_what_would_join_others_too_late_is_a_dead_letter() {
    for processing in divided() {
        let theater = Theater::builder().workers(3).build().unwrap();
        let supervision = Supervision::new().always(Directive::Stop);
        let (lab, _) = supervised_lab_by(&theater, &processing, supervision);
        let (other, _) = lab_by(&theater, &processing);
        // They are known to be short.
        as_numbered_sender(1, || {
            (0..2_000).for_each(|_| lab.send(Do::increment(0)).unwrap());
            result(&lab, Do::look(0)).unwrap();
        });
        let linked = theater.spawn(Linked(lab.actor_ref()));
        linked.ask(ToLinked::Hear).wait().unwrap();
        let (gate, reached) = (Arc::<AtomicBool>::default(), Arc::<AtomicBool>::default());
        let (passes, tells, joined) = (gate.clone(), reached.clone(), other.actor_ref());
        let joins = Do::update(move |lab, tx, ctx| {
            tells.store(true, SeqCst);
            while !passes.load(SeqCst) {
                thread::yield_now();
            }
            ctx.join(&joined, Do::increment(0));
            lab.add(tx, 0, 1)
        });
        let asked = as_numbered_sender(1, || ask(&lab, joins));
        while !reached.load(SeqCst) {
            thread::yield_now();
        }
        have_ended(2, &theater, || linked.send(ToLinked::Fail).unwrap());
        gate.store(true, SeqCst);
        // Not for ever, if it is lost.
        assert_eq!(asked.wait_timeout(PATIENCE / 6), Err(AskError::NoReply), "{processing:?}");
        assert_eq!(result(&other, Do::look(0)), Ok(0), "all or nothing");
    }
}
