//! What is known of one whole run: accounts, counts, and who is there.

use std::any::Any;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use odeon_core::*;
use odeon_testkit::{DropTracker, Ledger, silent_panic};

use crate::actors::{Errand, State};
use crate::scopes::scope;

/// References that the world keeps at most; the oldest goes first, so that some actors become
/// unreachable.
const PEERS: usize = 25;

/// How often something has happened.
#[derive(Default)]
pub(crate) struct Count(AtomicU64);

impl Count {
    pub(crate) fn add(&self) {
        self.0.fetch_add(1, SeqCst);
    }

    pub(crate) fn now(&self) -> u64 {
        self.0.load(SeqCst)
    }
}

#[derive(Default)]
pub(crate) struct Counts {
    pub(crate) handled: Count,
    pub(crate) out_of_scope: Count,
    pub(crate) watched: Count,
    pub(crate) told: Count,
    pub(crate) watches_cancelled: Count,
    pub(crate) asked: Count,
    pub(crate) answered: Count,
    pub(crate) spawned: Count,
    pub(crate) ended: Count,
    pub(crate) restarted: Count,
    pub(crate) dead_letters: Count,
}

#[derive(Default)]
pub(crate) struct World {
    pub(crate) ledger: Ledger,
    pub(crate) values: DropTracker,
    pub(crate) counts: Counts,
    pub(crate) watches: Mutex<Vec<Watch>>,
    pub(crate) timers: Mutex<Vec<Timer>>,
    pub(crate) links: Mutex<Vec<Link>>,
    pub(crate) group: Group<Errand>,
    pub(crate) pool: Mutex<Option<WorkerPool<Errand>>>,
    peers: Mutex<Vec<ActorRef<Errand>>>,
    /// Whether panics are frequent.
    pub(crate) wild: bool,
    /// Whether failures may get to the root.
    escalates: bool,
}

impl World {
    pub(crate) fn new(seed: u64) -> Arc<Self> {
        Arc::new(Self { wild: seed % 2 == 0, escalates: seed % 5 == 4, ..Self::default() })
    }

    pub(crate) fn builder(self: &Arc<Self>) -> TheaterBuilder {
        let hook = self.ledger.dead_letter_hook::<Errand>();
        Theater::builder().observer(Arc::new(Witness(self.clone()))).on_dead_letter(hook)
    }

    pub(crate) fn peer(&self, random: &mut Random) -> Option<ActorRef<Errand>> {
        let peers = self.peers.lock().unwrap();
        (!peers.is_empty()).then(|| peers[random.below(peers.len())].clone())
    }

    pub(crate) fn add_peer(&self, actor: ActorRef<Errand>) {
        let mut peers = self.peers.lock().unwrap();
        peers.push(actor);
        let oldest = (peers.len() > PEERS).then(|| peers.remove(0));
        // Dropping a reference may end its actor, on this thread.
        drop(peers);
        drop(oldest);
    }

    /// A message that is not accounted for: what may be dropped without a word.
    pub(crate) fn without_ticket(random: &mut Random, depth: u32) -> Errand {
        Errand { ticket: None, reply: None, seed: random.next_u64(), depth, from: scope() }
    }

    pub(crate) fn errand(&self, random: &mut Random, depth: u32) -> Errand {
        Errand { ticket: Some(self.ledger.ticket()), ..Self::without_ticket(random, depth) }
    }

    pub(crate) fn send(&self, to: &ActorRef<Errand>, random: &mut Random, depth: u32) {
        returned(to.send(self.errand(random, depth)));
    }

    /// Watches from outside.
    pub(crate) fn on_end(self: &Arc<Self>, actor: &ActorRef<Errand>) {
        self.counts.watched.add();
        let (world, told) = (self.clone(), AtomicBool::new(false));
        let watch = actor.on_end(move |_| {
            assert!(!told.swap(true, SeqCst), "a watch is told once");
            world.counts.told.add();
        });
        self.watches.lock().unwrap().push(watch);
    }

    pub(crate) fn cancel_watch(&self) {
        let watch = self.watches.lock().unwrap().pop();
        if watch.is_some_and(|watch| watch.cancel()) {
            self.counts.watches_cancelled.add();
        }
    }

    /// Makes a state, or fails to.
    pub(crate) fn state(self: &Arc<Self>, seed: u64) -> State {
        let mut random = Random::from_seed(seed);
        if random.below(if self.wild { 12 } else { 200 }) == 0 {
            silent_panic("while a state is made");
        }
        State::new(self, random.below(10) == 0)
    }

    /// A policy that decides at random, and fails to now and then.
    pub(crate) fn policy(&self, random: &mut Random) -> Supervision {
        let policy = match random.below(4) {
            0 => Supervision::new().restarts(2, Duration::from_millis(50)),
            1 => Supervision::new().restarts(0, Duration::from_secs(10)),
            _ => Supervision::new().restarts(1_000_000, Duration::from_secs(3600)),
        };
        let policy = match random.below(3) {
            0 => policy.pauses(Duration::ZERO, Duration::ZERO),
            1 => policy.pauses(Duration::from_millis(1), Duration::from_millis(8)),
            _ => policy.pauses(Duration::from_nanos(1), Duration::from_millis(3)),
        };
        let policy = if random.below(3) == 0 { policy.all_for_one() } else { policy };
        let (seed, asked, escalates) = (random.next_u64(), AtomicU64::new(0), self.escalates);
        policy.decide(move |_| {
            let mut random = Random::from_seed(seed ^ asked.fetch_add(1, SeqCst));
            match random.below(20) {
                0 => silent_panic("while it decides"),
                1 => Directive::Stop,
                2 if escalates => Directive::Escalate,
                3..6 => Directive::Resume,
                _ => Directive::Restart,
            }
        })
    }

    /// Gives up all that keeps actors.
    pub(crate) fn let_go(&self) {
        drop(std::mem::take(&mut *self.peers.lock().unwrap()));
        drop(self.pool.lock().unwrap().take());
        for member in self.group.members() {
            self.group.leave(&member);
        }
        self.timers.lock().unwrap().clear();
        self.links.lock().unwrap().clear();
    }

    /// Checks what holds when the theater is no more.
    pub(crate) fn check(&self) {
        let counts = &self.counts;
        let told_or_not = counts.told.now() + counts.watches_cancelled.now();
        assert_eq!(counts.watched.now(), told_or_not, "watches are told or cancelled");
        assert_eq!(counts.asked.now(), counts.answered.now(), "questions are answered");
        assert_eq!(counts.spawned.now(), counts.ended.now(), "who is spawned ends");
        assert_eq!(counts.out_of_scope.now(), 0, "a scope has another cause");
        self.ledger.check();
        self.watches.lock().unwrap().clear();
        self.values.check();
    }
}

/// Notes that a message came back.
pub(crate) fn returned(result: Result<(), SendError<Errand>>) {
    if let Err(error) = result {
        if let Some(ticket) = error.into_message().ticket {
            ticket.returned();
        }
    }
}

struct Witness(Arc<World>);

impl Observer for Witness {
    fn actor_spawned(&self, _: ActorId) {
        self.0.counts.spawned.add();
    }
    fn actor_ended(&self, _: ActorId, _: EndReason) {
        self.0.counts.ended.add();
    }
    fn actor_restarted(&self, _: ActorId) {
        self.0.counts.restarted.add();
    }
    fn actor_failed(&self, _: ActorId, _: &(dyn Any + Send)) {}
    fn dead_letter(&self, _: ActorId, _: DeadLetterReason) {
        self.0.counts.dead_letters.add();
    }
}
