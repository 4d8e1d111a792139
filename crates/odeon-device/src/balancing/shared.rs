//! What the handles of a pool and its workers have in common: the distributor behind its lock, and
//! who carries out what follows.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::Duration;

use odeon_core::extend::{self, Submit};
use odeon_core::{ActorRef, Clock};
use odeon_sync::contained::quietly;

use super::configuration::Configuration;
use super::distributor::{Distributor, Orders};
use super::failure::WorkerFailure;
use super::member::ToMember;
use super::objective::Reading;
use super::report::{BalancingReport, ConfigurationReport, KindReport};
use crate::worker::Place;

pub(super) type FailureHook = Box<dyn Fn(&WorkerFailure) + Send + Sync>;

/// A change in the distributor that has to wait for the lock.
type Change<W> = Box<dyn FnOnce(&mut Distributor<W>, Duration) -> Orders<W> + Send>;

pub(super) struct BalancingShared<W> {
    distributor: Mutex<Distributor<W>>,
    /// Who reads the meter, which is a user's and read under the lock of the distributor.
    reading: Arc<Reading>,
    /// What that has asked for meanwhile, and whether it has.
    asked: Mutex<Vec<Change<W>>>,
    is_asked: AtomicBool,
    /// The workers' actors, by number; taken when they end, which breaks the circle.
    members: Vec<Mutex<Option<ActorRef<ToMember>>>>,
    pub(super) kinds: Vec<KindName>,
    names: Vec<Arc<str>>,
    clock: Arc<dyn Clock>,
    /// For alarms; gone with the theater.
    stage: Weak<dyn Submit>,
    on_failure: Option<FailureHook>,
    me: OnceLock<Weak<Self>>,
}

/// How a kind is called, and where it works.
pub(super) struct KindName {
    pub(super) name: Arc<str>,
    pub(super) place: Place,
    pub(super) most: usize,
}

impl<W: Send + 'static> BalancingShared<W> {
    pub(super) fn new(
        distributor: Distributor<W>,
        kinds: Vec<KindName>,
        clock: Arc<dyn Clock>,
        stage: Weak<dyn Submit>,
        on_failure: Option<FailureHook>,
    ) -> Arc<Self> {
        let members = kinds.iter().map(|kind| kind.most).sum();
        let shared = Arc::new(Self {
            reading: distributor.profiler.reading(),
            asked: Mutex::default(),
            is_asked: AtomicBool::new(false),
            distributor: Mutex::new(distributor),
            members: (0..members).map(|_| Mutex::new(None)).collect(),
            names: kinds.iter().map(|kind| kind.name.clone()).collect(),
            kinds,
            clock,
            stage,
            on_failure,
            me: OnceLock::new(),
        });
        let _ = shared.me.set(Arc::downgrade(&shared));
        shared
    }

    pub(super) fn now(&self) -> Duration {
        self.clock.now()
    }

    pub(super) fn distributor(&self) -> MutexGuard<'_, Distributor<W>> {
        // Nothing of users runs under the lock but a meter, whose panics are contained, and which
        // does not come here.
        self.distributor.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes a change in the distributor, and does what follows from it.
    pub(super) fn change<R>(
        &self,
        change: impl FnOnce(&mut Distributor<W>, Duration) -> (Orders<W>, R),
    ) -> R {
        let result = self.make(change);
        // ORDERING: Relaxed: as in `ask`.
        while self.is_asked.load(Ordering::Relaxed) {
            for asked in self.take_asked() {
                self.make(|distributor, now| (asked(distributor, now), ()));
            }
        }
        result
    }

    fn make<R>(&self, change: impl FnOnce(&mut Distributor<W>, Duration) -> (Orders<W>, R)) -> R {
        let (orders, result) = {
            let mut distributor = self.distributor();
            // Under the lock, so that no change is told an earlier time than the one before.
            let now = self.now();
            change(&mut distributor, now)
        };
        self.carry_out(orders);
        result
    }

    /// What a user asks for: a change of which nothing but orders comes. In the pool's own meter it
    /// waits until that has answered.
    pub(super) fn ask(
        &self,
        change: impl FnOnce(&mut Distributor<W>, Duration) -> Orders<W> + Send + 'static,
    ) {
        if !self.is_in_meter() {
            return self.order(change);
        }
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        asked.push(Box::new(change));
        // ORDERING: Relaxed: this thread looks at it when it has let go of the distributor, unless
        // another one has taken all before.
        self.is_asked.store(true, Ordering::Relaxed);
    }

    fn take_asked(&self) -> Vec<Change<W>> {
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        // ORDERING: Relaxed: as in `ask`, under the lock of what it is about.
        self.is_asked.store(false, Ordering::Relaxed);
        std::mem::take(&mut *asked)
    }

    /// As [`change`](Self::change), of which nothing but orders comes.
    pub(super) fn order(&self, change: impl FnOnce(&mut Distributor<W>, Duration) -> Orders<W>) {
        self.change(|distributor, now| (change(distributor, now), ()));
    }

    fn carry_out(&self, orders: Orders<W>) {
        for member in orders.calls {
            self.call(member);
        }
        if let Some((delay, at)) = orders.tick_after {
            self.tick_after(delay, at);
        }
        for (home, returned) in orders.returns {
            // A destructor, a conversion of an answer: its panic is nobody's failure here.
            quietly(|| home.give_back(returned));
        }
        for waiter in orders.room {
            quietly(|| waiter.send(()));
        }
    }

    /// Has a worker look for something to do.
    fn call(&self, member: usize) {
        let actor = self.member(member).clone();
        if let Some(actor) = actor {
            // One that has ended has told the distributor so, or is about to.
            let _ = extend::send_unhindered(&actor, ToMember::Look);
        }
    }

    fn tick_after(&self, delay: f64, at: f64) {
        let (Some(stage), Some(me)) = (self.stage.upgrade(), self.me.get().cloned()) else {
            return;
        };
        let delay = Duration::try_from_secs_f64(delay).unwrap_or(Duration::MAX);
        extend::alarm_at(&*stage, delay, move || {
            if let Some(me) = me.upgrade() {
                me.order(|distributor, now| distributor.tick(at, now));
            }
        });
    }

    fn member(&self, member: usize) -> MutexGuard<'_, Option<ActorRef<ToMember>>> {
        self.members[member].lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn set_member(&self, member: usize, actor: ActorRef<ToMember>) {
        // PROTOCOL with `gone`: here stored, then looked; there marked, then taken. So one of the
        // two finds what the other has left.
        *self.member(member) = Some(actor);
        let is_gone = self.distributor().workers.is_gone(member);
        if is_gone {
            let ended = self.member(member).take();
            drop(ended);
        }
    }

    /// A worker will not come back.
    pub(super) fn gone(&self, member: usize, why: Option<String>) {
        self.order(|distributor, now| distributor.gone(member, why, now));
        let ended = self.member(member).take();
        drop(ended);
    }

    /// Tells whoever wants to know of a failure.
    pub(super) fn tell(&self, failure: &WorkerFailure) {
        if let Some(hook) = &self.on_failure {
            quietly(|| hook(failure));
        }
    }

    /// Whether this is the pool's own meter, which is read under the lock.
    pub(super) fn is_in_meter(&self) -> bool {
        self.reading.is_here()
    }

    #[track_caller]
    pub(super) fn report(&self) -> BalancingReport {
        assert!(
            !self.is_in_meter(),
            "a source of energy cannot look at the report of the pool that reads it"
        );
        let distributor = self.distributor();
        let (profiler, workers) = (&distributor.profiler, &distributor.workers);
        let present = workers.present();
        let configurations =
            profiler.configurations().map(|(counts, record)| ConfigurationReport {
                configuration: Configuration::new(&self.names, counts),
                is_available: profiler.is_available(counts),
                pieces: record.latest.map_or(0, |sample| sample.pieces),
                time_per_piece: record
                    .latest
                    .and_then(|sample| Duration::try_from_secs_f64(sample.time_per_piece()?).ok()),
                joules_per_piece: record.latest.and_then(|sample| sample.joules_per_piece()),
                is_cut_off: record.cut,
            });
        let kind = |(number, kind): (usize, &KindName)| {
            let tally = workers.tally(number);
            KindReport {
                name: kind.name.to_string(),
                place: kind.place,
                device: tally.device.clone(),
                most: kind.most,
                present: present[number],
                pieces: tally.pieces,
                batches: tally.batches,
                failures: tally.failures,
                left_out: tally.lost.clone().filter(|_| present[number] == 0),
            }
        };
        BalancingReport {
            in_use: Configuration::new(&self.names, profiler.counts().unwrap_or(&present)),
            is_profiling: profiler.is_profiling(),
            profilings: profiler.profilings(),
            configurations: configurations.collect(),
            kinds: self.kinds.iter().enumerate().map(kind).collect(),
            submitted: distributor.counts.submitted,
            done: distributor.counts.done,
            undone: distributor.counts.undone,
            waiting: distributor.queue.len(),
            in_work: workers.in_hand(),
        }
    }
}
