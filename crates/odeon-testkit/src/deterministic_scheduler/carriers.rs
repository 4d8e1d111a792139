//! The threads that turns run on where they can be interrupted, and how the baton goes from one to
//! the other.
//!
//! A handler is a plain function, so who is to go on in its middle needs a stack of its own: a
//! *carrier*. One of them runs at a time (`baton.rs`). A carrier whose turn is over takes the next
//! step itself, so threads change only where turns interleave.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use odeon_core::ActorId;
use odeon_sync::interruption::{self, Watch};

use super::baton::{Baton, Holder, InterruptMode, SeededChoice};
use super::seeded_stage::{SeededStage, SeededStep};
use crate::trace::Choice;

/// TUNE: real time without a change after which the turn that runs is taken to wait for one that
/// was interrupted. Guessed: a turn takes microseconds.
const STUCK: Duration = Duration::from_secs(30);

/// What a transaction ends with that still waits when its run is over.
const GIVEN_UP: &str = "the run is over, and nothing that this transaction waits for has happened";

/// TUNE: tries to have such transactions end: more than there are. One that was begun while its
/// thread unwinds does not.
const MOST_GIVEN_UP: usize = 1_000;

const BLOCKED: &str = "a handler blocks its thread, and nobody else can go on: most likely it waits for a lock that another handler \
    holds where it reads or writes a variable of a transaction";

static WATCH: Watch = Watch { point, wait, choose };

thread_local! {
    /// Whose carrier this thread is, and its number.
    static CARRIER: RefCell<Option<(Arc<SeededStage>, usize)>> = const { RefCell::new(None) };
}

pub(super) struct Carriers {
    /// Of the test (`interruption::repeat`).
    number: u64,
    baton: Mutex<Baton>,
    /// Of the test's thread.
    test: Condvar,
    threads: Mutex<Threads>,
}

#[derive(Default)]
struct Threads {
    signals: Vec<Arc<Condvar>>,
    joins: Vec<JoinHandle<()>>,
}

/// A turn does not come to its end.
pub(super) struct Stuck;

impl Carriers {
    pub(super) fn new(seed: u64, number: u64) -> Self {
        let baton = Mutex::new(Baton::new(seed));
        Self { number, baton, test: Condvar::new(), threads: Mutex::default() }
    }

    pub(super) fn baton(&self) -> MutexGuard<'_, Baton> {
        self.baton.lock().expect("no panic happens under the lock of the baton")
    }

    fn threads(&self) -> MutexGuard<'_, Threads> {
        self.threads.lock().expect("no panic happens under the lock of the threads")
    }

    fn pass(&self, baton: &mut Baton, to: Holder) {
        baton.holder = to;
        match to {
            Holder::Test => self.test.notify_one(),
            Holder::Carrier(number) => self.threads().signals[number].notify_one(),
        }
    }

    /// Waits for the baton; `false`: there is no more to do for this carrier.
    fn wait(&self, mut baton: MutexGuard<'_, Baton>, me: usize) -> bool {
        let signal = self.threads().signals[me].clone();
        while baton.holder != Holder::Carrier(me) {
            if baton.is_over {
                return false;
            }
            baton = signal.wait(baton).expect("no panic happens under the lock of the baton");
        }
        true
    }

    /// The test has passed the baton, and waits until it comes back.
    fn wait_for_all<'a>(
        &'a self,
        mut baton: MutexGuard<'a, Baton>,
    ) -> Result<MutexGuard<'a, Baton>, Stuck> {
        let mut seen = (baton.made, baton.holder);
        while baton.holder != Holder::Test {
            let waited = self.test.wait_timeout(baton, STUCK);
            let (again, timeout) = waited.expect("no panic happens under the lock of the baton");
            baton = again;
            let now = (baton.made, baton.holder);
            // Alone a turn takes as long as it takes.
            if timeout.timed_out() && now == seen && !baton.interrupted.is_empty() {
                baton.is_stuck = true;
                return Err(Stuck);
            }
            seen = now;
        }
        Ok(baton)
    }
}

impl SeededStage {
    /// [`step`](Self::step) so many times, with turns that can be interrupted.
    ///
    /// # Errors
    /// If that does not come to an end.
    pub(super) fn run_interleaved(self: &Arc<Self>, steps: usize) -> Result<usize, Stuck> {
        let mut baton = self.carriers.baton();
        (baton.left, baton.made, baton.mode) = (steps, 0, InterruptMode::Interleaved);
        if let Some(holder) = self.next(&mut baton) {
            self.carriers.pass(&mut baton, holder);
            baton = self.carriers.wait_for_all(baton)?;
        }
        let made = baton.made;
        self.forward_panic(baton);
        Ok(made)
    }

    /// A turn that the test has chosen, from begin to end; or the rest of the one that was
    /// interrupted.
    ///
    /// # Errors
    /// If that does not come to an end.
    pub(super) fn run_whole(self: &Arc<Self>, actor: ActorId) -> Result<bool, Stuck> {
        let mut baton = self.carriers.baton();
        (baton.left, baton.mode) = (0, InterruptMode::Whole);
        let of_actor = |place: &usize| baton.interrupted[*place].actor == Some(actor);
        let interrupted = (0..baton.interrupted.len()).find(of_actor);
        let holder = match (interrupted, self.take(actor)) {
            (Some(place), _) => Holder::Carrier(baton.resume(place)),
            (None, Some(task)) => self.holder_for(&mut baton, SeededStep::Turn(task, 1)),
            (None, None) => return Ok(false),
        };
        self.carriers.pass(&mut baton, holder);
        let baton = self.carriers.wait_for_all(baton)?;
        self.forward_panic(baton);
        Ok(true)
    }

    /// Every turn that was interrupted goes on to its end. Afterwards no task of the stage runs any
    /// more.
    ///
    /// # Errors
    /// If one does not come to an end; then some still do.
    pub(super) fn finish_turns(self: &Arc<Self>) -> Result<(), Stuck> {
        let mut baton = self.carriers.baton();
        (baton.left, baton.mode) = (0, InterruptMode::Whole);
        if baton.is_stuck {
            return Err(Stuck);
        }
        let mut given_up = 0;
        while !baton.interrupted.is_empty() {
            if !baton.has_resumable() {
                baton.mode = InterruptMode::GivingUp;
            }
            given_up += usize::from(baton.mode == InterruptMode::GivingUp);
            if given_up > MOST_GIVEN_UP {
                return Err(Stuck);
            }
            let holder = Holder::Carrier(baton.resume(0));
            self.carriers.pass(&mut baton, holder);
            baton = self.carriers.wait_for_all(baton)?;
        }
        baton.is_over = true;
        drop(baton);
        let joins = {
            let mut threads = self.carriers.threads();
            threads.signals.iter().for_each(|signal| signal.notify_one());
            std::mem::take(&mut threads.joins)
        };
        for carrier in joins {
            // Its panics are the baton's.
            let _ = carrier.join();
        }
        Ok(())
    }

    /// The panic of a test that is stuck.
    pub(super) fn blocked(&self) -> ! {
        panic!("{BLOCKED}")
    }

    fn forward_panic(&self, mut baton: MutexGuard<'_, Baton>) {
        if let Some(panic) = baton.panic.take() {
            drop(baton);
            resume_unwind(panic);
        }
    }

    /// Protocol 2: who is to get the baton; `None`: the test.
    fn next(self: &Arc<Self>, baton: &mut Baton) -> Option<Holder> {
        let (next, interrupted) = baton.next(self.has_fresh());
        match next {
            SeededChoice::Test => None,
            SeededChoice::Resume(carrier) => {
                self.record(Choice::Resumed { interrupted });
                Some(Holder::Carrier(carrier))
            }
            SeededChoice::Fresh => {
                let step = self.choose().expect("nobody else takes steps");
                Some(self.holder_for(baton, step))
            }
        }
    }

    /// A carrier that will do this first.
    fn holder_for(self: &Arc<Self>, baton: &mut Baton, step: SeededStep) -> Holder {
        baton.step = Some(step);
        let number = baton.spare.pop().unwrap_or_else(|| {
            baton.actors.push(None);
            self.start_carrier()
        });
        Holder::Carrier(number)
    }

    fn start_carrier(self: &Arc<Self>) -> usize {
        let mut threads = self.carriers.threads();
        let (number, stage) = (threads.signals.len(), self.clone());
        threads.signals.push(Arc::default());
        // Panics in handlers are printed with the name of the test.
        let name = thread::current().name().unwrap_or("odeon-test").to_owned();
        let carrier = thread::Builder::new().name(name).spawn(move || stage.carry(number));
        threads.joins.push(carrier.expect("a thread can be started"));
        number
    }

    /// What a carrier does.
    fn carry(self: Arc<Self>, me: usize) {
        interruption::repeat_for(self.carriers.number, 0);
        interruption::watch(Some(&WATCH));
        CARRIER.set(Some((self.clone(), me)));
        while self.carriers.wait(self.carriers.baton(), me) {
            self.take_steps(me);
        }
        interruption::watch(None);
        CARRIER.set(None);
    }

    /// Takes one step after the other, until the baton is another's.
    fn take_steps(self: &Arc<Self>, me: usize) {
        loop {
            let mut baton = self.carriers.baton();
            let step = baton.step.take().expect("a carrier without a turn is given a step");
            baton.actors[me] = step.actor();
            drop(baton);
            let ended = catch_unwind(AssertUnwindSafe(|| self.do_step(step)));
            let mut baton = self.carriers.baton();
            baton.finished(me);
            baton.panic = baton.panic.take().or(ended.err());
            baton.spare.push(me);
            let holder = self.next(&mut baton).unwrap_or(Holder::Test);
            if holder != Holder::Carrier(me) {
                return self.carriers.pass(&mut baton, holder);
            }
        }
    }

    /// The turn of this carrier is put aside by `put`: others go on, until it is resumed.
    fn stand_aside(self: &Arc<Self>, me: usize, put: impl FnOnce(&mut Baton)) {
        let mut baton = self.carriers.baton();
        put(&mut baton);
        let holder = self.next(&mut baton).unwrap_or(Holder::Test);
        if holder == Holder::Carrier(me) {
            return;
        }
        self.carriers.pass(&mut baton, holder);
        let _ = self.carriers.wait(baton, me);
    }
}

fn with_carrier<R>(act: impl FnOnce(&Arc<SeededStage>, usize) -> R) -> R {
    let carrier = CARRIER.with_borrow(Clone::clone);
    let (stage, me) = carrier.expect("only carriers are watched");
    act(&stage, me)
}

fn point() {
    with_carrier(|stage, me| {
        let has_fresh = stage.has_fresh();
        if stage.carriers.baton().interrupts(has_fresh) {
            stage.record(Choice::Interrupted);
            stage.stand_aside(me, |baton| baton.interrupt(me));
        }
    });
}

fn wait(is_first: bool) {
    with_carrier(|stage, me| {
        let gives_up = stage.carriers.baton().mode == InterruptMode::GivingUp;
        if gives_up && !thread::panicking() {
            resume_unwind(Box::new(GIVEN_UP));
        }
        stage.stand_aside(me, |baton| baton.wait(me, is_first));
    });
}

fn choose(most: usize) -> usize {
    with_carrier(|stage, _| stage.carriers.baton().choose(most))
}
