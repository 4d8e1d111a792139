//! S4, S5, S11, S15 and S26 of actors with several inboxes: failures, restarts and ends under a
//! flood.

use crate::support::account::{
    Account, Slip, counts, divided, does, lab_by, mix, supervised_lab_by, take_a_while,
};
use crate::support::{Do, Linked, ToLinked, result};
use odeon_core::extend::as_numbered_sender;
use odeon_core::{Access, ActorRef, Message, Supervision, Theater};
use odeon_speculative::{
    Processing, SpawnSpeculative, SpeculativeActor, SpeculativeContext, SpeculativeRef, TxResult,
};
use odeon_stm::{TVar, Tx};
use odeon_testkit::{Deterministic, for_seeds, silent_panic};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::thread;
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(60);

/// A theater whose dead letters come into the account.
fn theater(account: &Arc<Account>) -> Theater {
    Theater::builder().workers(3).on_dead_letter(account.hook()).build().unwrap()
}

fn at_once() -> Supervision {
    Supervision::new()
        .restarts(1_000_000, Duration::from_secs(1))
        .pauses(Duration::ZERO, Duration::ZERO)
}

/// Most messages of a flood, of every kind.
fn any(number: u64, slip: Slip) -> Do {
    let access = match mix(number ^ 7) % 32 {
        0 => Access::Exclusive,
        1..=6 => Access::Snapshot,
        7 => Access::Relaxed,
        _ => Access::Update,
    };
    counts(access, number as usize % 3, number, slip)
}

/// Every 40th one fails.
fn fails(number: u64) -> bool {
    number % 40 == 11
}

fn any_or_failing(number: u64, slip: Slip) -> Do {
    if !fails(number) {
        return any(number, slip);
    }
    let access = if number % 3 == 0 { Access::Snapshot } else { Access::Update };
    does(access, slip, move |lab, tx, _| {
        lab.vars[0].get(tx)?;
        take_a_while(number);
        silent_panic("asked to")
    })
}

/// Sends in the name of senders, from a thread each, until all is sent or something comes back.
fn flood(
    account: &Arc<Account>,
    to: &ActorRef<Do>,
    senders: std::ops::Range<usize>,
    messages: u64,
    message: fn(u64, Slip) -> Do,
) {
    thread::scope(|scope| {
        for sender in senders {
            scope.spawn(move || {
                (0..messages).all(|_| account.send(to, sender, message));
            });
        }
    });
}

#[test]
fn s15_s26_restarts_under_a_flood_lose_no_message() {
    const MESSAGES: u64 = 600;
    for processing in divided() {
        let account = Account::of(4);
        let theater = theater(&account);
        let (lab, common) = supervised_lab_by(&theater, &processing, at_once());
        flood(&account, &lab, 0..4, MESSAGES, any_or_failing);
        let failing = 4 * (1..=MESSAGES).filter(|number| fails(*number)).count() as u64;
        while account.handled_of_all() < 4 * MESSAGES - failing {
            thread::yield_now();
        }
        assert_eq!(result(&lab, Do::update(|lab, _, _| Ok(lab.life as i64))), Ok(failing as i64));
        assert!(theater.shutdown(PATIENCE).drained);
        assert_eq!(account.check(fails), (4 * MESSAGES - failing, 0), "{processing:?}");
        assert_eq!(lab.speculation().failures, failing);
        let lives = (common.lives.load(SeqCst), common.drops.load(SeqCst));
        assert_eq!((lives, common.stops.load(SeqCst)), ((failing + 1, failing + 1), 1));
    }
}

/// The same at every moment; some are resumed.
#[test]
fn s15_s26_restarts_lose_no_message_at_any_moment() {
    for_seeds(60, |seed| {
        let account = Account::of(4);
        let run = Deterministic::new(seed);
        let supervision = match seed % 2 {
            0 => at_once(),
            _ => at_once().always(odeon_core::Directive::Resume),
        };
        let processing = &divided()[seed as usize % 3];
        let (lab, _) = supervised_lab_by(run.theater(), processing, supervision);
        for n in 0..50 {
            for sender in 0..4 {
                as_numbered_sender(sender as u64, || account.send(&lab, sender, any_or_failing));
                run.run_steps(mix(seed ^ n) as usize % 2);
            }
        }
        run.run_until_idle();
        drop(run.shutdown());
        assert_eq!(account.check(fails), (4 * 49, 0));
    });
}

/// Restarts that come from outside do not wait for the handlers that run.
#[test]
fn s15_restarts_by_a_linked_actor_under_a_flood_lose_no_message() {
    const MESSAGES: u64 = 800;
    for processing in divided() {
        let account = Account::of(4);
        let theater = theater(&account);
        let (lab, common) = supervised_lab_by(&theater, &processing, at_once());
        let is_over = &AtomicBool::new(false);
        let restarts = thread::scope(|scope| {
            let (lab, common, theater) = (&lab, &common, &theater);
            let fails = scope.spawn(move || {
                let mut failures = 0;
                while !is_over.load(SeqCst) {
                    let linked = theater.spawn(Linked(lab.actor_ref()));
                    linked.ask(ToLinked::Hear).wait().unwrap();
                    linked.send(ToLinked::Fail).unwrap();
                    failures += 1;
                    while common.lives.load(SeqCst) < failures + 1 {
                        thread::yield_now();
                    }
                }
                failures
            });
            flood(&account, lab, 0..4, MESSAGES, any);
            while account.handled_of_all() < 4 * MESSAGES {
                thread::yield_now();
            }
            is_over.store(true, SeqCst);
            fails.join().unwrap()
        });
        assert!(theater.shutdown(PATIENCE).drained);
        assert_eq!(account.check(|_| false), (4 * MESSAGES, 0), "{processing:?}");
        assert_eq!(common.drops.load(SeqCst), restarts + 1);
        assert_eq!(common.stops.load(SeqCst), 1);
    }
}

/// One of a flood ends the actor, or somebody else does.
fn an_end_accounts_for_all(
    processing: &Processing,
    round: u64,
    end: impl FnOnce(&SpeculativeRef<Do>) + Send,
) {
    const MESSAGES: u64 = 300;
    let account = Account::of(4);
    let theater = theater(&account);
    let (lab, common) = lab_by(&theater, processing);
    account.expect(lab.id());
    let ended = lab.ended();
    thread::scope(|scope| {
        let (lab, account) = (&lab, &account);
        scope.spawn(move || flood(account, lab, 0..4, MESSAGES, any));
        scope.spawn(move || {
            while account.handled_of_all() < 4 * (mix(round) % MESSAGES) {
                thread::yield_now();
                if lab.is_stopped() {
                    break;
                }
            }
            end(lab);
        });
    });
    ended.wait();
    assert!(lab.send(Do::increment(0)).is_err());
    let states = (common.stops.load(SeqCst), common.drops.load(SeqCst));
    assert_eq!((states, common.stopped_beside.load(SeqCst)), ((1, 1), false), "{processing:?}");
    account.take_leftovers(theater.shutdown(PATIENCE));
    let (handled, others) = account.check(|_| false);
    assert!(handled + others >= 4, "{handled} and {others}");
    assert!(lab.speculation().commits >= handled);
}

#[test]
fn s4_s26_a_message_that_stops_amid_a_flood_accounts_for_all() {
    for processing in divided() {
        for round in 0..15 {
            an_end_accounts_for_all(&processing, round, |lab| {
                lab.send(Do::update(|lab, tx, ctx| {
                    ctx.stop();
                    lab.add(tx, 0, 1)
                }))
                .unwrap();
            });
        }
    }
}

#[test]
fn s4_a_stop_from_outside_amid_a_flood_accounts_for_all() {
    for processing in divided() {
        for round in 0..15 {
            an_end_accounts_for_all(&processing, round, |lab| lab.stop());
        }
    }
}

#[test]
fn s4_s26_an_end_accounts_for_all_at_any_moment() {
    for_seeds(200, |seed| {
        let account = Account::of(4);
        let builder = Theater::builder().workers(4).on_dead_letter(account.hook());
        let run = Deterministic::with(seed, builder);
        let (lab, common) = lab_by(run.theater(), &divided()[seed as usize % 3]);
        account.expect(lab.id());
        let stops = Do::update(|lab, tx, ctx| {
            ctx.stop();
            lab.add(tx, 0, 1)
        });
        let mut stops = Some(stops);
        for n in 0..20 {
            for sender in 0..4 {
                as_numbered_sender(sender as u64, || account.send(&lab, sender, any));
                run.run_steps(mix(seed ^ n) as usize % 3);
            }
            if n == seed / 6 % 20 {
                match seed % 2 {
                    0 => lab.stop(),
                    _ => lab.send(stops.take().unwrap()).unwrap(),
                }
            }
        }
        run.run_until_idle();
        assert!(lab.is_stopped());
        assert_eq!((common.stops.load(SeqCst), common.drops.load(SeqCst)), (1, 1));
        account.take_leftovers(run.shutdown());
        account.check(|_| false);
    });
}

#[test]
fn s11_all_is_handled_before_one_ends_that_nobody_refers_to() {
    const MESSAGES: u64 = 100;
    for processing in divided() {
        for round in 0..25 {
            let account = Account::of(4);
            let theater = theater(&account);
            let (lab, common) = lab_by(&theater, &processing);
            let ended = lab.ended();
            thread::scope(|scope| {
                for sender in 0..4 {
                    let (lab, account) = (lab.actor_ref(), &account);
                    scope.spawn(move || {
                        for _ in 0..mix(round ^ sender) % MESSAGES {
                            assert!(account.send(&lab, sender as usize, any));
                        }
                    });
                }
                drop(lab);
            });
            ended.wait();
            let states = (common.stops.load(SeqCst), common.drops.load(SeqCst));
            assert_eq!(states, (1, 1), "{processing:?}");
            // Its shards end as well.
            while theater.live_actors() > 0 {
                thread::yield_now();
            }
            assert!(theater.shutdown(PATIENCE).drained);
            assert_eq!(account.check(|_| false).1, 0);
        }
    }
}

#[test]
fn s11_so_it_is_at_any_moment() {
    for_seeds(200, |seed| {
        let account = Account::of(4);
        let builder = Theater::builder().workers(4).on_dead_letter(account.hook());
        let run = Deterministic::with(seed, builder);
        let (lab, common) = lab_by(run.theater(), &divided()[seed as usize % 3]);
        for n in 0..20 {
            let sender = (mix(seed ^ n) % 4) as usize;
            as_numbered_sender(sender as u64, || account.send(&lab, sender, any));
            run.run_steps(mix(seed ^ n) as usize % 3);
        }
        drop(lab);
        run.run_until_idle();
        assert_eq!((common.stops.load(SeqCst), common.drops.load(SeqCst)), (1, 1));
        assert_eq!(run.theater().live_actors(), 0);
        assert_eq!(account.check(|_| false), (20, 0));
    });
}

/// A message that may panic where it should not.
struct Brittle {
    sender: usize,
    number: u64,
    how: Breaks,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Breaks {
    Not,
    InAccess,
    InHandler,
    WhenDropped,
}

impl Message for Brittle {
    fn access(&self) -> Access {
        match (self.how, self.number % 5) {
            (Breaks::InAccess, _) => silent_panic("in access"),
            (_, 0) => Access::Snapshot,
            _ => Access::Update,
        }
    }
}

impl Drop for Brittle {
    fn drop(&mut self) {
        if self.how == Breaks::WhenDropped {
            silent_panic("when dropped");
        }
    }
}

struct Sums {
    sum: TVar<u64>,
    order: Arc<[AtomicU64; 4]>,
}

impl SpeculativeActor for Sums {
    type Msg = Brittle;
    fn handle<'t>(
        &'t self,
        message: &'t Brittle,
        tx: &mut Tx<'t>,
        _: &mut SpeculativeContext<'_, Self>,
    ) -> TxResult {
        let sum = self.sum.get(tx)?;
        take_a_while(message.number);
        if message.how == Breaks::InHandler {
            silent_panic("in the handler");
        }
        let (order, sender, number) = (self.order.clone(), message.sender, message.number);
        // All those before have been handled, or fail.
        tx.on_commit(move || {
            let last = order[sender].swap(number, SeqCst);
            assert!((last + 1..number).all(|between| is_not_handled(breaks(between))));
        });
        if tx_writes(message) {
            self.sum.set(tx, sum + 1)?;
        }
        Ok(())
    }
}

fn tx_writes(message: &Brittle) -> bool {
    message.number % 5 != 0
}

fn breaks(number: u64) -> Breaks {
    match mix(number ^ 3) % 60 {
        0 => Breaks::InAccess,
        1 => Breaks::InHandler,
        2 => Breaks::WhenDropped,
        _ => Breaks::Not,
    }
}

fn is_not_handled(how: Breaks) -> bool {
    matches!(how, Breaks::InAccess | Breaks::InHandler)
}

#[test]
fn s5_s26_what_panics_amid_a_flood_counts_and_the_others_are_handled() {
    const MESSAGES: u64 = 1_000;
    for processing in divided() {
        let theater = Theater::builder().workers(3).build().unwrap();
        let order: Arc<[AtomicU64; 4]> = Arc::default();
        let sums = Sums { sum: TVar::new(0), order: order.clone() };
        let sums = theater.spawn_speculative(sums, processing.clone());
        thread::scope(|scope| {
            for sender in 0..4 {
                let sums = &sums;
                scope.spawn(move || {
                    for number in 1..=MESSAGES {
                        let message = Brittle { sender, number, how: breaks(number) };
                        assert!(sums.send(message).is_ok());
                    }
                });
            }
        });
        let report = theater.shutdown(PATIENCE);
        assert!(report.drained && report.leftovers.is_empty());
        let those = |which: fn(Breaks) -> bool| {
            4 * (1..=MESSAGES).filter(|number| which(breaks(*number))).count() as u64
        };
        let stats = sums.speculation();
        assert_eq!(stats.failures, those(|how| how != Breaks::Not), "{processing:?}");
        assert_eq!(stats.commits, those(|how| how == Breaks::Not), "{processing:?}");
    }
}

#[test]
fn s4_a_shutdown_amid_floods_accounts_for_all() {
    const MESSAGES: u64 = 400;
    for processing in divided() {
        for round in 0..10 {
            let account = Account::of(6);
            let theater = theater(&account);
            let labs = [(); 3].map(|()| lab_by(&theater, &processing));
            labs.iter().for_each(|(lab, _)| account.expect(lab.id()));
            let report = thread::scope(|scope| {
                for (n, (lab, _)) in labs.iter().enumerate() {
                    let account = &account;
                    scope.spawn(move || {
                        flood(account, lab, 2 * n..2 * n + 2, MESSAGES, any);
                    });
                }
                while account.handled_of_all() < 100 * (round % 5) {
                    thread::yield_now();
                }
                let deadline = if round % 2 == 0 { PATIENCE } else { Duration::ZERO };
                theater.shutdown(deadline)
            });
            assert_eq!(report.stuck, 0);
            assert!(report.drained || round % 2 == 1, "{processing:?}");
            for (_, common) in &labs {
                let states = (common.stops.load(SeqCst), common.drops.load(SeqCst));
                assert_eq!((states, common.stopped_beside.load(SeqCst)), ((1, 1), false));
            }
            account.take_leftovers(report);
            account.check(|_| false);
        }
    }
}
