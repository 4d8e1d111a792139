//! A stage without threads: the seed decides who goes next, and for how long, and when a timer that is
//! due fires among them.
//!
//! Everything that happens in a theater on this stage follows from the seed and from what the test
//! does between steps, so a failing run can be repeated exactly. What stays outside: other threads
//! that send, pinned and dedicated stages (they have threads of their own), the real clock.

mod time;

use std::fmt;
use std::marker::PhantomData;
use std::rc::Rc;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use odeon_core::extend::{Origin, Submit, Task, TheaterShared, TurnLimits, theater_on_stage};
use odeon_core::{Random, StopReport, Theater, TheaterBuilder};

use crate::trace::{Choice, Trace};
use crate::virtual_clock::VirtualClock;

/// Turns are between 1 and this many messages long: short, so that actors interleave.
const LONGEST_TURN_MESSAGES: usize = 8;

/// A run that is still busy after this many steps is taken to be endless.
const ENDLESS_STEPS: usize = 20_000_000;

/// A theater whose every turn is chosen by a seed, run step by step on the test's own thread.
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

    /// Whether no actor waits for a turn and no timer is due.
    pub fn is_idle(&self) -> bool {
        self.stage.lock().runnable.is_empty() && !self.stage.theater.has_due()
    }

    /// What was chosen so far.
    pub fn trace(&self) -> Trace {
        self.stage.lock().trace.clone()
    }

    /// Shuts the theater down as it is: messages that no step has handled come back in the report.
    pub fn shutdown(mut self) -> StopReport {
        self.theater.take().expect("taken only here").shutdown(Duration::ZERO)
    }
}

impl Drop for Deterministic {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("odeon-testkit: this was the run of seed {}", self.seed);
        }
    }
}

impl fmt::Debug for Deterministic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Deterministic(seed {})", self.seed)
    }
}

/// Where woken actors wait for the seed to choose them.
struct SeededStage {
    theater: Arc<TheaterShared>,
    state: Mutex<State>,
}

struct State {
    /// In the order in which they were woken. What is left here when the theater ends has been ended
    /// with it and is never run.
    runnable: Vec<Task>,
    random: Random,
    trace: Trace,
}

impl SeededStage {
    fn new(theater: Arc<TheaterShared>, seed: u64) -> Self {
        let state = State {
            runnable: Vec::new(),
            random: Random::from_seed(seed),
            trace: Trace::default(),
        };
        Self { theater, state: Mutex::new(state) }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no panic happens under the stage's lock")
    }

    /// One step; `false` if nobody wants a turn and no timer is due.
    fn step(&self) -> bool {
        let chosen = self.lock().choose(self.theater.has_due());
        let (task, messages) = match chosen {
            Some(Step::Turn(task, messages)) => (task, messages),
            // Without the lock: a timer wakes actors.
            Some(Step::Timer) => return self.theater.fire_due(),
            None => return false,
        };
        // Time does not end turns here: the virtual clock would make that all or nothing.
        let limits =
            TurnLimits { messages, time: Duration::from_secs(3600), ..self.theater.limits() };
        // Without the lock: the turn submits.
        let (report, again) = task.run(&limits);
        let mut state = self.lock();
        state.trace.record(Choice::Outcome(report.outcome));
        state.runnable.extend(again);
        true
    }
}

/// What the seed chose.
enum Step {
    /// A turn of so many messages.
    Turn(Task, u32),
    /// The next timer.
    Timer,
}

impl State {
    /// Timers fire in their order; the seed decides between the next one and the actors.
    fn choose(&mut self, timer_is_due: bool) -> Option<Step> {
        let runnable = self.runnable.len();
        let candidates = runnable + usize::from(timer_is_due);
        if candidates == 0 {
            return None;
        }
        let chosen = self.random.below(candidates);
        if chosen == runnable {
            self.trace.record(Choice::Timer { runnable });
            return Some(Step::Timer);
        }
        let messages = 1 + self.random.below(LONGEST_TURN_MESSAGES) as u32;
        self.trace.record(Choice::Turn { runnable, chosen, messages });
        Some(Step::Turn(self.runnable.remove(chosen), messages))
    }
}

impl Submit for SeededStage {
    fn submit(&self, task: Task, origin: Origin) {
        let mut state = self.lock();
        state.trace.record(Choice::Woken(origin));
        state.runnable.push(task);
    }

    fn theater(&self) -> &Arc<TheaterShared> {
        &self.theater
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use odeon_core::{Actor, ActorRef, Context, Message};

    struct Node {
        next: Option<ActorRef<Token>>,
        log: Arc<Mutex<Vec<(u32, u32)>>>,
        number: u32,
    }

    enum Token {
        Next(ActorRef<Token>),
        Hop(u32),
    }
    impl Message for Token {}

    impl Actor for Node {
        type Msg = Token;
        fn handle(&mut self, msg: Token, ctx: &mut Context<'_, Self>) {
            match msg {
                Token::Next(next) => self.next = Some(next),
                Token::Hop(left) => {
                    self.log.lock().unwrap().push((self.number, left));
                    match &self.next {
                        _ if left == 0 => {}
                        Some(next) => next.send(Token::Hop(left - 1)).unwrap(),
                        None => ctx.send_self(Token::Hop(left - 1)),
                    }
                }
            }
        }
    }

    /// Eight tokens in a ring of five: plenty to reorder.
    fn run(seed: u64) -> (Trace, Vec<(u32, u32)>) {
        let log = Arc::new(Mutex::new(Vec::new()));
        let run = Deterministic::new(seed);
        let nodes: Vec<_> = (0..5)
            .map(|number| run.theater().spawn(Node { next: None, log: log.clone(), number }))
            .collect();
        for (at, node) in nodes.iter().enumerate() {
            node.send(Token::Next(nodes[(at + 1) % nodes.len()].clone())).unwrap();
        }
        for token in 0..8 {
            nodes[token % nodes.len()].send(Token::Hop(20)).unwrap();
        }
        run.run_until_idle();
        let trace = run.trace();
        let report = run.shutdown();
        assert!(report.leftovers.is_empty());
        let log = log.lock().unwrap().clone();
        (trace, log)
    }

    #[test]
    fn one_seed_replays_a_run_and_another_gives_another() {
        let ((trace, log), (again, log_again)) = (run(7), run(7));
        assert_eq!(trace.first_difference(&again), None);
        assert!(trace.turns() > 40);
        assert_eq!(log, log_again);
        let (other, other_log) = run(8);
        assert!(trace.first_difference(&other).is_some());
        assert_ne!(log, other_log);
    }

    #[test]
    fn steps_stop_where_they_are_told_and_the_rest_comes_back() {
        let run = Deterministic::new(1);
        let log = Arc::new(Mutex::new(Vec::new()));
        let node = run.theater().spawn(Node { next: None, log: log.clone(), number: 0 });
        for _ in 0..30 {
            node.send(Token::Hop(0)).unwrap();
        }
        assert_eq!(run.run_steps(2), 2);
        assert!(!run.is_idle());
        let handled = log.lock().unwrap().len();
        let report = run.shutdown();
        assert_eq!(handled + report.leftovers.len(), 30);
        assert!(handled <= 2 * LONGEST_TURN_MESSAGES);
    }
}
