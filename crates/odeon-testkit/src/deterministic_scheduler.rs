//! A stage without threads: the seed decides who goes next, and for how long, and when a timer that is
//! due fires among them.
//!
//! Everything that happens in a theater on this stage follows from the seed and from what the test
//! does between steps, so a failing run can be repeated exactly (S23). What stays outside: other threads
//! that send, pinned and dedicated stages (they have threads of their own), the real clock.

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

use crate::trace::Trace;
use crate::virtual_clock::VirtualClock;
pub(crate) use seeded_stage::SeededStage;

/// A run that is still busy after this many steps is taken to be endless.
const ENDLESS_STEPS: usize = 20_000_000;

/// A theater whose every turn is chosen by a seed, run step by step on the test's own thread.
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
    /// The run of `seed`.
    pub fn new(seed: u64) -> Self {
        Self::with(seed, Theater::builder())
    }

    /// The run of `seed` in a theater configured by `builder`; its clock is replaced.
    ///
    /// # Panics
    /// If a setting of the builder is out of its range.
    pub fn with(seed: u64, builder: TheaterBuilder) -> Self {
        let clock = Arc::new(VirtualClock::new());
        let mut made = None;
        let builder = builder.clock(clock.clone()).random_seed(seed);
        // SAFETY: the stage is private to this value, which runs its tasks only while it has the
        // theater; and it is not `Send`, so that no actor can own it.
        #[allow(unsafe_code)]
        let theater = unsafe {
            theater_on_stage(builder, |shared| {
                let stage = Arc::new(SeededStage::new(shared, seed));
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

    /// The theater's clock. It stands still unless the test moves it. Timers that are due by it fire in
    /// the steps that follow.
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

    /// Makes up to `steps` steps; returns how many there were before nothing was left to do. A step is
    /// a turn of an actor or the firing of a timer that is due.
    pub fn run_steps(&self, steps: usize) -> usize {
        (0..steps).take_while(|_| self.stage.step()).count()
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

    /// Whether no actor waits for a turn and no timer is due. Actors that the test steps itself do not
    /// count: see [`spawn_stepped`](Self::spawn_stepped).
    pub fn is_idle(&self) -> bool {
        self.stage.is_idle()
    }

    /// What was chosen so far.
    pub fn trace(&self) -> Trace {
        self.stage.trace()
    }

    /// Forgets what was chosen so far, and frees the memory that it takes: for who counts the bytes of a long run.
    pub fn forget_trace(&self) {
        self.stage.forget_trace();
    }

    pub(crate) fn stage(&self) -> &SeededStage {
        &self.stage
    }

    /// Shuts the theater down as it is: messages that no step has handled come back in the report.
    pub fn shutdown(mut self) -> StopReport {
        self.theater.take().expect("taken only here").shutdown(Duration::ZERO)
    }
}

impl Drop for Deterministic {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let (turns, time) = (self.stage.trace().turns(), self.clock.now());
            eprintln!("this was the run of seed {}: {turns} turns, {time:?}", self.seed);
        }
    }
}

impl fmt::Debug for Deterministic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Deterministic(seed {})", self.seed)
    }
}
