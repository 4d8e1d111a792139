//! Where woken actors wait for the seed to choose them, and held ones for the test.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use odeon_core::extend::{Origin, Submit, Task, TheaterShared, TurnLimits};
use odeon_core::{ActorId, Random};
use odeon_sync::interruption;

use super::carriers::{Carriers, Stuck};
use crate::trace::{Choice, Trace};

/// Turns are between 1 and this many messages long: short, so that actors interleave.
pub(super) const LONGEST_TURN_MESSAGES: usize = 8;

pub(crate) struct SeededStage {
    pub(super) theater: Arc<TheaterShared>,
    state: Mutex<StageState>,
    pub(super) carriers: Carriers,
    /// What the test's thread had announced when the stage was made.
    announced_before: u64,
    /// Whether turns can be interrupted: from when on there is a speculative actor. All others run
    /// on the test's own thread.
    is_interleaved: AtomicBool,
}

struct StageState {
    /// In the order in which they were woken. What is left here, or held, when the theater ends has
    /// been ended with it and is never run.
    runnable: Vec<Task>,
    /// Actors that the seed does not choose, and their tasks while they are woken.
    held: HashMap<ActorId, Option<Task>>,
    random: Random,
    trace: Trace,
}

/// What the seed chose.
pub(super) enum SeededStep {
    /// A turn of so many messages.
    Turn(Task, u32),
    /// The next timer.
    Timer,
}

impl SeededStage {
    pub(super) fn new(theater: Arc<TheaterShared>, seed: u64, test: u64) -> Self {
        let state = StageState {
            runnable: Vec::new(),
            held: HashMap::new(),
            random: Random::from_seed(seed),
            trace: Trace::default(),
        };
        Self {
            theater,
            state: Mutex::new(state),
            carriers: Carriers::new(seed, test),
            announced_before: interruption::announced(),
            is_interleaved: AtomicBool::new(false),
        }
    }

    fn lock(&self) -> MutexGuard<'_, StageState> {
        self.state.lock().expect("no panic happens under the stage's lock")
    }

    /// Makes up to so many steps; answers how many there were to make. Held actors are left alone.
    pub(super) fn run(self: &Arc<Self>, steps: usize) -> usize {
        for made in 0..steps {
            if self.is_interleaved() {
                let more = self.run_interleaved(steps - made);
                return made + more.unwrap_or_else(|Stuck| self.blocked());
            }
            match self.choose() {
                Some(step) => self.do_step(step),
                None => return made,
            }
        }
        steps
    }

    /// Has turns interrupted from here on.
    pub(super) fn interleave(&self) {
        // ORDERING: Relaxed, here and below: the test's thread alone uses it.
        self.is_interleaved.store(true, Ordering::Relaxed);
    }

    fn is_interleaved(&self) -> bool {
        if interruption::announced() != self.announced_before {
            self.interleave();
        }
        self.is_interleaved.load(Ordering::Relaxed)
    }

    pub(super) fn choose(&self) -> Option<SeededStep> {
        self.lock().choose(self.theater.has_due())
    }

    pub(super) fn do_step(&self, step: SeededStep) {
        match step {
            SeededStep::Turn(task, messages) => self.give_turn(task, messages),
            // Without the lock: a timer wakes actors.
            SeededStep::Timer => _ = self.theater.fire_due(),
        }
    }

    /// Gives one actor, held or not, a turn of one message, or has the one end that was
    /// interrupted; `false` if it wants none.
    pub(crate) fn step_actor(self: &Arc<Self>, actor: ActorId) -> bool {
        if self.is_interleaved() {
            return self.run_whole(actor).unwrap_or_else(|Stuck| self.blocked());
        }
        let task = self.take(actor);
        let found = task.is_some();
        if let Some(task) = task {
            self.give_turn(task, 1);
        }
        found
    }

    pub(super) fn take(&self, actor: ActorId) -> Option<Task> {
        self.lock().take(actor)
    }

    pub(super) fn record(&self, choice: Choice) {
        self.lock().trace.record(choice);
    }

    fn give_turn(&self, task: Task, messages: u32) {
        // Time does not end turns here: the virtual clock would make that all or nothing.
        let limits =
            TurnLimits { messages, time: Duration::from_secs(3600), ..self.theater.limits() };
        // Without the lock: the turn submits.
        let (report, again) = task.run(&limits);
        let mut state = self.lock();
        state.trace.record(Choice::Outcome(report.outcome));
        if let Some(task) = again {
            state.enqueue(task);
        }
    }

    /// From here on only [`step_actor`](Self::step_actor) gives this actor turns.
    pub(crate) fn hold(&self, actor: ActorId) {
        let mut state = self.lock();
        let at = state.runnable.iter().position(|task| task.actor() == actor);
        let task = at.map(|at| state.runnable.remove(at));
        state.held.insert(actor, task);
    }

    /// The seed chooses this actor again.
    pub(crate) fn release(&self, actor: ActorId) {
        let mut state = self.lock();
        if let Some(Some(task)) = state.held.remove(&actor) {
            state.runnable.push(task);
        }
    }

    /// Whether an actor that is not held waits for a turn, or a timer is due.
    pub(super) fn has_fresh(&self) -> bool {
        !self.lock().runnable.is_empty() || self.theater.has_due()
    }

    /// Whether nothing is left to do for the seed.
    pub(super) fn is_idle(&self) -> bool {
        !self.has_fresh() && !self.carriers.baton().has_resumable()
    }

    pub(super) fn forget_trace(&self) {
        self.lock().trace = Trace::default();
    }

    pub(super) fn trace(&self) -> Trace {
        self.lock().trace.clone()
    }
}

impl SeededStep {
    pub(super) fn actor(&self) -> Option<ActorId> {
        match self {
            Self::Turn(task, _) => Some(task.actor()),
            Self::Timer => None,
        }
    }
}

impl StageState {
    /// Timers fire in their order; the seed decides between the next one and the actors.
    fn choose(&mut self, timer_is_due: bool) -> Option<SeededStep> {
        let runnable = self.runnable.len();
        let candidates = runnable + usize::from(timer_is_due);
        if candidates == 0 {
            return None;
        }
        let chosen = self.random.below(candidates);
        if chosen == runnable {
            self.trace.record(Choice::Timer { runnable });
            return Some(SeededStep::Timer);
        }
        let messages = 1 + self.random.below(LONGEST_TURN_MESSAGES) as u32;
        self.trace.record(Choice::Turn { runnable, chosen, messages });
        Some(SeededStep::Turn(self.runnable.remove(chosen), messages))
    }

    /// The task of an actor that the test has go next.
    fn take(&mut self, actor: ActorId) -> Option<Task> {
        let task = match self.held.get_mut(&actor) {
            Some(held) => held.take(),
            None => {
                let at = self.runnable.iter().position(|task| task.actor() == actor);
                at.map(|at| self.runnable.remove(at))
            }
        };
        if task.is_some() {
            self.trace.record(Choice::Told);
        }
        task
    }

    fn enqueue(&mut self, task: Task) {
        // Looked up only where something is held: populations have thousands of actors.
        if !self.held.is_empty() {
            if let Some(held) = self.held.get_mut(&task.actor()) {
                *held = Some(task);
                return;
            }
        }
        self.runnable.push(task);
    }
}

impl Submit for SeededStage {
    fn submit(&self, task: Task, origin: Origin) {
        let mut state = self.lock();
        state.trace.record(Choice::Woken(origin));
        state.enqueue(task);
    }

    fn theater(&self) -> &Arc<TheaterShared> {
        &self.theater
    }
}
