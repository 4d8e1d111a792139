//! Whole small theaters under random schedules: pool of two workers, pinned stage, sends from
//! outside, shutdown. A lost wake-up shows as a deadlock, which shuttle reports with the schedule
//! that led to it. Run by `ci/shuttle.sh`.
//!
//! Nothing here may block except through `odeon-sync`: no `Ask::wait`, no `std::thread::park`.

use std::time::Duration;

use odeon_core::*;
use odeon_sync::schedules::check;
use odeon_sync::{Condvar, Mutex, thread};
use odeon_testkit::{DropTracker, Ledger, Ticket};

type StdArc<T> = std::sync::Arc<T>;

const LONG: Duration = Duration::from_secs(3600);

/// Counts to a number; a model thread waits for it.
#[derive(Default)]
pub(crate) struct Gate {
    count: Mutex<u64>,
    changed: Condvar,
}

impl Gate {
    fn pass(&self) {
        *self.count.lock().unwrap() += 1;
        self.changed.notify_all();
    }

    pub(crate) fn wait_for(&self, target: u64) {
        let mut count = self.count.lock().unwrap();
        while *count < target {
            count = self.changed.wait(count).unwrap();
        }
    }
}

/// Handles tickets and opens the gate.
pub(crate) struct Taker {
    gate: StdArc<Gate>,
    next: u32,
}

impl Taker {
    pub(crate) fn new(gate: &StdArc<Gate>) -> Self {
        Self { gate: gate.clone(), next: 0 }
    }
}

pub(crate) struct Numbered(pub u32, pub Ticket);
impl Message for Numbered {}
impl odeon_testkit::Counted for Numbered {
    fn into_ticket(self) -> Option<Ticket> {
        Some(self.1)
    }
}

impl Actor for Taker {
    type Msg = Numbered;
    fn handle(&mut self, Numbered(n, ticket): Numbered, _ctx: &mut Context<'_, Self>) {
        assert_eq!(n, self.next, "reordered");
        self.next += 1;
        ticket.handled();
        self.gate.pass();
    }
}

/// Outside threads send to actors of the pool, all sleeping in between; nothing but the wake-ups
/// brings the messages to their end.
pub(crate) fn outside_sends_wake(theater: Theater) {
    let (gate, ledger) = (StdArc::new(Gate::default()), Ledger::new());
    let senders: Vec<_> = (0..2)
        .map(|_| {
            let (actor, ledger) = (theater.spawn(Taker::new(&gate)), ledger.clone());
            thread::spawn(move || {
                for n in 0..3 {
                    assert!(ledger.send(&actor, |ticket| Numbered(n, ticket)));
                }
            })
        })
        .collect();
    gate.wait_for(6);
    senders.into_iter().for_each(|sender| sender.join().unwrap());
    ledger.check();
    assert_eq!(theater.shutdown(LONG).stuck, 0);
}

#[test]
fn s7_outside_sends_wake_the_pool() {
    check(2_000, || outside_sends_wake(Theater::builder().workers(2).build().unwrap()));
}

/// The same on a pinned and on a dedicated stage.
#[test]
fn s7_outside_sends_wake_pinned_stages() {
    check(2_000, || {
        let theater = Theater::builder().workers(1).build().unwrap();
        let (gate, ledger) = (StdArc::new(Gate::default()), Ledger::new());
        let stage = theater.pinned("stage").unwrap();
        let actors = [
            theater.actor().on(&stage).spawn(Taker::new(&gate)),
            theater.actor().dedicated("own").spawn(Taker::new(&gate)).unwrap(),
        ];
        let sender = thread::spawn({
            let (actors, ledger) = (actors.clone(), ledger.clone());
            move || {
                for n in 0..3 {
                    for actor in &actors {
                        assert!(ledger.send(actor, |ticket| Numbered(n, ticket)));
                    }
                }
            }
        });
        gate.wait_for(6);
        sender.join().unwrap();
        ledger.check();
        assert_eq!(theater.shutdown(LONG).stuck, 0);
    });
}

/// To and fro between a pool actor and an actor of a pinned stage.
struct Player {
    partner: Option<ActorRef<Ball>>,
    gate: StdArc<Gate>,
}

enum Ball {
    Partner(ActorRef<Ball>),
    Hits(u32),
}
impl Message for Ball {}

impl Actor for Player {
    type Msg = Ball;
    fn handle(&mut self, msg: Ball, _ctx: &mut Context<'_, Self>) {
        match msg {
            Ball::Partner(partner) => self.partner = Some(partner),
            Ball::Hits(0) => self.gate.pass(),
            Ball::Hits(left) => {
                let partner = self.partner.as_ref().expect("partners are told first");
                partner.send(Ball::Hits(left - 1)).expect("the partner lives");
            }
        }
    }
}

#[test]
fn s7_pool_and_pinned_stage_wake_each_other() {
    check(2_000, || {
        let theater = Theater::builder().workers(2).build().unwrap();
        let gate = StdArc::new(Gate::default());
        let stage = theater.pinned("stage").unwrap();
        let player = || Player { partner: None, gate: gate.clone() };
        let pair = [theater.spawn(player()), theater.actor().on(&stage).spawn(player())];
        pair[0].send(Ball::Partner(pair[1].clone())).unwrap();
        pair[1].send(Ball::Partner(pair[0].clone())).unwrap();
        pair[0].send(Ball::Hits(6)).unwrap();
        gate.wait_for(1);
        assert_eq!(theater.shutdown(LONG).stuck, 0);
    });
}

/// A parent on the pool spawns children, which others steal; each child reports and ends.
struct Parent {
    gate: StdArc<Gate>,
    states: DropTracker,
}

struct Child {
    gate: StdArc<Gate>,
    _state: odeon_testkit::Tracked<()>,
}

impl Actor for Parent {
    type Msg = u32;
    fn handle(&mut self, children: u32, ctx: &mut Context<'_, Self>) {
        for _ in 0..children {
            let child = Child { gate: self.gate.clone(), _state: self.states.track(()) };
            ctx.spawn(child).send(()).expect("a child lives while it has messages");
        }
    }
}

impl Actor for Child {
    type Msg = ();
    fn handle(&mut self, _msg: (), _ctx: &mut Context<'_, Self>) {
        self.gate.pass();
    }
}

#[test]
fn s11_children_nobody_knows_do_their_work_and_end() {
    check(2_000, || {
        let theater = Theater::builder().workers(2).build().unwrap();
        let (gate, states) = (StdArc::new(Gate::default()), DropTracker::new());
        let stage = theater.pinned("stage").unwrap();
        let new = || Parent { gate: gate.clone(), states: states.clone() };
        theater.spawn(new()).send(3).unwrap();
        theater.actor().on(&stage).spawn(new()).send(2).unwrap();
        gate.wait_for(5);
        let report = theater.shutdown(LONG);
        assert!(report.drained && report.leftovers.is_empty());
        states.check();
    });
}

/// Sending a last message and giving up the reference races with the actor's look whether it is
/// alone.
#[test]
fn s11_the_last_word_is_heard() {
    check(2_000, || {
        let theater = Theater::builder().workers(2).build().unwrap();
        let (gate, ledger) = (StdArc::new(Gate::default()), Ledger::new());
        let stage = theater.pinned("stage").unwrap();
        let actors =
            [theater.spawn(Taker::new(&gate)), theater.actor().on(&stage).spawn(Taker::new(&gate))];
        let others = actors.clone();
        let sender = thread::spawn({
            let ledger = ledger.clone();
            move || {
                for actor in others {
                    assert!(ledger.send(&actor, |ticket| Numbered(0, ticket)));
                }
            }
        });
        drop(actors);
        sender.join().unwrap();
        let report = theater.shutdown(LONG);
        assert!(report.drained);
        assert_eq!((ledger.check().handled, report.leftovers.len()), (2, 0));
    });
}

/// The shutdown comes while threads send: every message is handled, returned or left over.
#[test]
fn s4_a_shutdown_under_fire_accounts_for_every_message() {
    check(2_000, || {
        let ledger = Ledger::new();
        let hook = ledger.dead_letter_hook::<Numbered>();
        let theater = Theater::builder().workers(2).on_dead_letter(hook).build().unwrap();
        let gate = StdArc::new(Gate::default());
        let stage = theater.pinned("stage").unwrap();
        let actors =
            [theater.spawn(Taker::new(&gate)), theater.actor().on(&stage).spawn(Taker::new(&gate))];
        let senders: Vec<_> = actors
            .into_iter()
            .map(|actor| {
                let ledger = ledger.clone();
                thread::spawn(move || {
                    for n in 0..4 {
                        ledger.send(&actor, |ticket| Numbered(n, ticket));
                    }
                })
            })
            .collect();
        let report = theater.shutdown(Duration::ZERO);
        assert_eq!(report.stuck, 0);
        senders.into_iter().for_each(|sender| sender.join().unwrap());
        ledger.take_leftovers::<Numbered>(report);
        assert_eq!(ledger.check().sent, 8);
    });
}
