//! A stage of which one thread runs at a time: the seed decides who goes next, and for how long,
//! and when a timer that is due fires among them; and where a turn is interrupted in a transaction,
//! for others to go on before it.
//!
//! | question | file |
//! |---|---|
//! | what waits for a turn, and what is a turn? | `seeded_stage.rs` |
//! | who goes on where turns interleave? | `baton.rs` has the protocol by numbers |
//! | on which thread? | `carriers.rs` |
//! | where can a turn be interrupted? | `odeon-sync`: `interruption.rs`; `odeon-stm`: `attempt/watched.rs` |
//! | what time is it? | `time.rs` |
//!
//! Everything that happens in a theater on this stage follows from the seed and from what the test
//! does between steps, so a failing run can be repeated exactly (S23). What stays outside: other
//! threads that send, pinned and dedicated stages (they have threads of their own), the real clock.

mod baton;
mod carriers;
mod seeded_stage;
#[cfg(test)]
mod tests;
mod time;

use std::fmt;
use std::marker::PhantomData;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use odeon_core::extend::theater_on_stage;
use odeon_core::{ActorRef, Clock, Message, StopReport, Theater, TheaterBuilder};
use odeon_sync::interruption;

use self::carriers::Stuck;
use crate::trace::Trace;
use crate::virtual_clock::VirtualClock;
pub(crate) use seeded_stage::SeededStage;

/// What a theater is told of workers unless the test says otherwise, whatever machine it runs on:
/// how wide speculative actors are depends on it.
const WORKERS: usize = 4;

/// A run that is still busy after this many steps is taken to be endless.
const ENDLESS_STEPS: usize = 20_000_000;

/// A theater whose every turn is chosen by a seed, run step by step. Turns run on the test's own
/// thread; where they can be [interrupted](Self::interleave), each on one of several, of which one
/// runs at a time.
///
/// Nothing happens between the steps: an [`Ask::wait`](odeon_core::Ask::wait) before the steps that
/// lead to its answer waits for ever.
///
/// ```
/// # use odeon_core::*;
/// # use odeon_testkit::Deterministic;
/// # struct Echo;
/// # impl Actor for Echo {
/// #     type Msg = Box<Reply<u32>>;
/// #     fn handle(&mut self, reply: Box<Reply<u32>>, _: &mut Context<'_, Self>) { reply.send(7) }
/// # }
/// let run = Deterministic::new(42);
/// let echo = run.theater().spawn(Echo);
/// let answer = echo.ask(Box::new);
/// run.run_until_idle();
/// assert_eq!(answer.wait(), Ok(7));
/// ```
pub struct Deterministic {
    seed: u64,
    theater: Option<Theater>,
    stage: Arc<SeededStage>,
    clock: Arc<VirtualClock>,
    /// Not `Send`: an actor that owned its own scheduler could run itself from within its turn.
    _one_thread: PhantomData<Rc<()>>,
}

impl Deterministic {
    /// The run of `seed`, in a theater that takes itself to have four workers.
    pub fn new(seed: u64) -> Self {
        Self::with(seed, Theater::builder().workers(WORKERS))
    }

    /// The run of `seed` in a theater configured by `builder`; its clock is replaced. How wide
    /// speculative actors are goes by its workers, of which there are as many as the machine has
    /// cores unless it says otherwise.
    ///
    /// # Panics
    /// If a setting of the builder is out of its range.
    pub fn with(seed: u64, builder: TheaterBuilder) -> Self {
        let test = interruption::repeat(seed);
        let clock = Arc::new(VirtualClock::new());
        let mut made = None;
        let builder = builder.clock(clock.clone()).random_seed(seed);
        // SAFETY: the stage is private to this value, which runs its tasks only while it has the
        // theater: it gives that up after `finish_turns`, or forgets it. And it is not `Send`, so
        // that no actor can own it.
        #[allow(unsafe_code)]
        let theater = unsafe {
            theater_on_stage(builder, |shared| {
                let stage = Arc::new(SeededStage::new(shared, seed, test));
                made = Some(stage.clone());
                stage
            })
        };
        Self {
            seed,
            theater: Some(theater.expect("the configuration is valid")),
            stage: made.expect("a theater makes its stage"),
            clock,
            _one_thread: PhantomData,
        }
    }

    /// The theater.
    pub fn theater(&self) -> &Theater {
        self.theater.as_ref().expect("only `shutdown` and `drop` take the theater")
    }

    /// The theater's clock. It stands still unless the test moves it. Timers that are due by it
    /// fire in the steps that follow.
    pub fn clock(&self) -> &VirtualClock {
        &self.clock
    }

    /// The same clock, for actors whose handlers are to take time.
    pub fn clock_for_actors(&self) -> Arc<VirtualClock> {
        self.clock.clone()
    }

    /// The seed of this run.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// Makes up to `steps` steps; returns how many there were before nothing was left to do. A step
    /// is a turn of an actor or the firing of a timer that is due; where turns are
    /// [interrupted](Self::interleave), what is done of one until it is, and then what is done of
    /// it later.
    ///
    /// # Panics
    /// If a handler blocks its thread where others were interrupted: most likely it waits for a
    /// lock that one of them holds.
    pub fn run_steps(&self, steps: usize) -> usize {
        self.stage.run(steps)
    }

    /// Makes steps until nothing is left to do; returns how many. The time stands still.
    ///
    /// # Panics
    /// If that takes more than twenty million steps.
    #[track_caller]
    pub fn run_until_idle(&self) -> usize {
        let steps = self.run_steps(ENDLESS_STEPS);
        assert!(steps < ENDLESS_STEPS, "seed {}: busy after {steps} steps", self.seed);
        steps
    }

    /// Has turns of plain actors interrupted too, from here on, where they read and write variables
    /// of transactions. In a theater with speculative actors that is so without being asked for.
    ///
    /// ```
    /// # use odeon_core::*;
    /// # use odeon_stm::{TVar, atomically};
    /// # use odeon_testkit::Deterministic;
    /// # use std::sync::Arc;
    /// /// Adds to what it shares with others, in two transactions.
    /// struct Careless(Arc<TVar<u32>>);
    /// # impl Actor for Careless {
    /// #     type Msg = ();
    /// fn handle(&mut self, (): (), _: &mut Context<'_, Self>) {
    ///     let seen = atomically(|tx| self.0.get(tx));
    ///     atomically(|tx| self.0.set(tx, seen + 1));
    /// }
    /// # }
    /// let sum = |seed| {
    ///     let (run, shared) = (Deterministic::new(seed), Arc::new(TVar::new(0)));
    ///     run.interleave();
    ///     for _ in 0..2 {
    ///         run.theater().spawn(Careless(shared.clone())).send(()).unwrap();
    ///     }
    ///     run.run_until_idle();
    ///     shared.peek()
    /// };
    /// assert!((0..100).any(|seed| sum(seed) == 1) && (0..100).any(|seed| sum(seed) == 2));
    /// ```
    pub fn interleave(&self) {
        self.stage.interleave();
    }

    /// Lets `actor` go next: gives it a turn of one message, or of one poll if its handler waits.
    /// `false` if it has nothing to do.
    ///
    /// ```
    /// # use odeon_core::*;
    /// # use odeon_testkit::Deterministic;
    /// # use std::sync::mpsc::{Sender, channel};
    /// # struct Out(Sender<&'static str>);
    /// # impl Actor for Out {
    /// #     type Msg = &'static str;
    /// #     fn handle(&mut self, msg: &'static str, _: &mut Context<'_, Self>) { self.0.send(msg).unwrap() }
    /// # }
    /// let run = Deterministic::new(42);
    /// let (out, heard) = channel();
    /// let [first, second] = [(); 2].map(|()| run.theater().spawn(Out(out.clone())));
    /// first.send("first").unwrap();
    /// second.send("second").unwrap();
    /// while run.step_actor(&second) {} // its start, and its message
    /// run.run_until_idle();
    /// assert_eq!(heard.try_iter().collect::<Vec<_>>(), ["second", "first"]);
    /// ```
    pub fn step_actor<M: Message>(&self, actor: &ActorRef<M>) -> bool {
        self.stage.step_actor(actor.id())
    }

    /// Whether no actor waits for a turn and no timer is due. Actors that the test steps itself do
    /// not count: see [`spawn_stepped`](Self::spawn_stepped).
    pub fn is_idle(&self) -> bool {
        self.stage.is_idle()
    }

    /// What was chosen so far.
    pub fn trace(&self) -> Trace {
        self.stage.trace()
    }

    /// Forgets what was chosen so far, and frees the memory that it takes: for who counts the bytes
    /// of a long run.
    pub fn forget_trace(&self) {
        self.stage.forget_trace();
    }

    pub(crate) fn stage(&self) -> &Arc<SeededStage> {
        &self.stage
    }

    /// Shuts the theater down as it is: messages that no step has handled come back in the report.
    pub fn shutdown(mut self) -> StopReport {
        self.stage.finish_turns().unwrap_or_else(|Stuck| self.stage.blocked());
        self.theater.take().expect("taken only here").shutdown(Duration::ZERO)
    }
}

impl Drop for Deterministic {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let (turns, time) = (self.stage.trace().turns(), self.clock.now());
            eprintln!("this was the run of seed {}: {turns} turns, {time:?}", self.seed);
        }
        if let Err(Stuck) = self.stage.finish_turns() {
            // Somebody still runs a task of it.
            std::mem::forget(self.theater.take());
        }
    }
}

impl fmt::Debug for Deterministic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Deterministic(seed {})", self.seed)
    }
}
