//! What the executors of one actor share, and what each of them does: take a batch, have it handled, give back
//! its places.
//!
//! One message in five files: `dispatcher.rs` (from the inbox) → `board.rs` (its lane, who takes it) → **`engine.rs`**
//! → `attempt.rs` (the transaction) → `exit.rs` (its effects).

mod adapting;
mod ending;
mod in_order;
mod runners;
mod scratch;
mod visits;

use crate::attempt::{Attempt, Handled};
use crate::board::{Board, How};
use crate::context::Me;
use crate::coordination::{Enlisted, GivesWay};
use crate::decisions::Decisions;
use crate::exit::Exit;
use crate::job::{Job, Kind};
use crate::pace::Pace;
use crate::parking::Parking;
use crate::processing::Processing;
use crate::runner::Runner;
use crate::speculative_actor::SpeculativeActor;
use crate::tally::Tally;
use crate::width::Controller;
use in_order::Sequence;
use odeon_core::extend::{self, RELIEVED_AT, wake};
use odeon_core::{Access, ActorRef, Clock};
use odeon_stm::staged::SharedSnapshot;
use odeon_sync::atomic::{AtomicUsize, Ordering};
use odeon_sync::{Mutex, MutexGuard};
use runners::Runners;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

pub(crate) use ending::EndsWithMaker;
pub(crate) use scratch::Scratch;

/// What the executors of one actor share.
pub(crate) struct Engine<A: SpeculativeActor> {
    shared: Mutex<Shared<A>>,
    /// Taken after the lock of the board, if both are.
    sequence: Mutex<Sequence<A>>,
    pub(crate) exit: Exit,
    pub(crate) tally: Tally,
    pub(crate) parking: Parking<A>,
    pace: Pace,
    clock: Arc<dyn Clock>,
    /// Who changes the width, if anybody.
    controller: Mutex<Option<Controller>>,
    decisions: Decisions,
    /// Copies of what the board says, for looks without the lock. The first one: jobs that are not over, and one more while
    /// the actor's own turn has something to see to. That comes from jobs, and these are added by the actor's own turn
    /// alone, so a zero that it sees stands.
    outstanding: AtomicUsize,
    waiting: AtomicUsize,
    pressing: AtomicUsize,
    ready: AtomicUsize,
    width: AtomicUsize,
    /// 1 if the actor's own turn has something to see to.
    attention: AtomicUsize,
}

/// What an engine has to know of its theater.
pub(crate) struct Surroundings {
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) workers: usize,
}

/// What is behind the lock.
struct Shared<A: SpeculativeActor> {
    board: Board<A::Msg>,
    /// `None`: the actor has ended.
    state: Option<Arc<A>>,
    /// What the actor's own turn had taken from the inbox when it was made anew, for the next one to bring.
    left: Vec<Job<A::Msg>>,
    /// How often the state was made anew.
    generation: u64,
    /// Keeps the actor while jobs are outstanding.
    keeps: Option<ActorRef<A::Msg>>,
    runners: Runners,
    /// Whether so many jobs press that senders may wait for the actor's own turn to let them go on.
    presses: bool,
}

/// TUNE: pressing jobs below which the actor's own turn is woken, to let senders go on. Not more than the core lets them go on at, or they
/// would wait for ever; half of that, so that they do not wait again at once.
const RELIEVED_BELOW: usize = RELIEVED_AT / 2;

/// Who executes.
pub(crate) enum Executor {
    /// The actor's own turn.
    Turn,
    /// A runner, by its number.
    Runner(usize),
}

impl<A: SpeculativeActor> Engine<A> {
    pub(crate) fn new(state: A, processing: &Processing, surroundings: Surroundings) -> Self {
        let Surroundings { clock, workers } = surroundings;
        let (width, controller) = processing.begin(workers);
        let mut board = Board::new(width);
        if processing.ordering == crate::Ordering::Mailbox {
            board.keep_arrival_order();
        }
        board.set_blocking(processing.blocks);
        let decisions = Decisions::default();
        decisions.configured(clock.now(), width);
        Self {
            shared: Mutex::new(Shared {
                board,
                state: Some(Arc::new(state)),
                left: Vec::new(),
                generation: 0,
                keeps: None,
                runners: Runners::default(),
                presses: false,
            }),
            sequence: Mutex::new(Sequence::new()),
            exit: Exit::default(),
            tally: Tally::default(),
            parking: Parking::new(),
            pace: Pace::default(),
            clock,
            controller: Mutex::new(controller),
            decisions,
            outstanding: AtomicUsize::new(0),
            waiting: AtomicUsize::new(0),
            pressing: AtomicUsize::new(0),
            ready: AtomicUsize::new(0),
            width: AtomicUsize::new(width),
            attention: AtomicUsize::new(0),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Shared<A>> {
        self.shared.lock().expect("no panic happens under the lock of the board")
    }

    /// Gives the lock back, and tells the copies. Whoever has changed the board so that senders may go on has woken the actor's own turn
    /// then: also by taking away what others wait behind. And if nothing is outstanding, nothing keeps the actor.
    fn unlock(&self, mut shared: MutexGuard<'_, Shared<A>>) {
        let presses = shared.board.pressing() >= RELIEVED_BELOW;
        let is_relieved = std::mem::replace(&mut shared.presses, presses) && !presses;
        let relieved = if is_relieved { shared.keeps.clone() } else { None };
        let over = if shared.board.outstanding() == 0 { shared.keeps.take() } else { None };
        let board = &shared.board;
        // ORDERING: Release: pairs with the Acquire of `outstanding`: what the jobs have done comes before.
        let attention = usize::from(board.needs_attention());
        self.outstanding.store(board.outstanding() + attention, Ordering::Release);
        // ORDERING: Relaxed: hints; who acts on them takes the lock.
        self.waiting.store(board.waiting(), Ordering::Relaxed);
        self.pressing.store(board.pressing(), Ordering::Relaxed);
        self.ready.store(board.ready(), Ordering::Relaxed);
        self.width.store(board.width(), Ordering::Relaxed);
        self.attention.store(attention, Ordering::Relaxed);
        drop(shared);
        if let Some(me) = relieved {
            wake(&me);
        }
        drop(over);
    }

    /// Whether a job is not over, or has left something to see to. Exact in the actor's own turn.
    pub(crate) fn has_outstanding(&self) -> bool {
        // ORDERING: Acquire: see `unlock`.
        self.outstanding.load(Ordering::Acquire) > 0
    }

    /// Jobs that wait, also parked ones.
    pub(crate) fn waiting(&self) -> usize {
        // ORDERING: Relaxed: a hint.
        self.waiting.load(Ordering::Relaxed)
    }

    /// Of these, the jobs that can be handled without other messages having to come first.
    pub(crate) fn pressing(&self) -> usize {
        // ORDERING: Relaxed: a hint.
        self.pressing.load(Ordering::Relaxed)
    }

    /// Jobs whose lanes are their own.
    pub(crate) fn ready(&self) -> usize {
        // ORDERING: Relaxed: a hint.
        self.ready.load(Ordering::Relaxed)
    }

    pub(crate) fn width(&self) -> usize {
        // ORDERING: Relaxed: a hint.
        self.width.load(Ordering::Relaxed)
    }

    pub(crate) fn needs_attention(&self) -> bool {
        // ORDERING: Relaxed: a hint; who sees it too late is woken.
        self.attention.load(Ordering::Relaxed) > 0
    }

    /// What the actor's own turn begins with: the state, and what the one before it has left.
    pub(crate) fn begin(&self) -> (Arc<A>, Vec<Job<A::Msg>>) {
        let mut shared = self.lock();
        let state = shared.state.clone().expect("an actor begins before it ends");
        (state, std::mem::take(&mut shared.left))
    }

    /// The actor's own turn is over.
    pub(crate) fn leave(&self, taken: &mut Vec<Job<A::Msg>>) {
        if !taken.is_empty() {
            self.lock().left.append(taken);
        }
    }

    /// The actor is made anew; nothing runs. What was parked waited for the old state.
    pub(crate) fn set_state(&self, state: A) {
        let mut shared = self.lock();
        let before = shared.state.replace(Arc::new(state));
        shared.generation += 1;
        drop(shared);
        drop_contained(before);
        self.parking.wake_all(self);
    }

    /// The actor's own turn brings jobs.
    pub(crate) fn add(
        self: &Arc<Self>,
        jobs: &mut Vec<Job<A::Msg>>,
        me: impl FnOnce() -> ActorRef<A::Msg>,
    ) {
        let mut shared = self.lock();
        let keeps = shared.keeps.get_or_insert_with(me).clone();
        let mut give_way = Vec::new();
        jobs.drain(..).for_each(|job| give_way.extend(shared.board.add(job)));
        self.fill(&keeps, &mut shared);
        let Shared { board, runners, .. } = &mut *shared;
        let rested = runners.next(board);
        self.unlock(shared);
        runners::rouse(rested);
        give_way.into_iter().for_each(GivesWay::now);
    }

    /// Sees to it that there are runners for the present width.
    fn fill(self: &Arc<Self>, me: &ActorRef<A::Msg>, shared: &mut Shared<A>) {
        let new = |number| extend::spawn_working_for(me, Runner::new(self.clone(), number));
        shared.runners.fill(shared.board.width(), new);
    }

    /// Takes a batch and has it handled; `false`: there is nothing to take.
    pub(crate) fn work(
        self: &Arc<Self>,
        executor: &Executor,
        scratch: &mut Scratch<A::Msg>,
    ) -> bool {
        let mut shared = self.lock();
        let leaves_it = shared.board.width() > 1 && self.pace.is_long();
        if matches!(executor, Executor::Turn) && leaves_it {
            // The inbox is to be looked at meanwhile. A runner that is awake looks at the board again; the width may have
            // been raised after the last job was brought, when there was none.
            if let Some(me) = shared.keeps.clone() {
                self.fill(&me, &mut shared);
            }
            let Shared { board, runners, .. } = &mut *shared;
            let rested = runners.next(board);
            self.unlock(shared);
            runners::rouse(rested);
            return false;
        }
        let Shared { board, runners, .. } = &mut *shared;
        let mut give_way = Vec::new();
        if let Some(visit) = board.take_visit(&mut give_way) {
            self.see_to_visit(shared, visit);
            give_way.into_iter().for_each(GivesWay::now);
            return true;
        }
        let Some(how) = board.take(&mut scratch.batch, self.pace.batch()) else {
            if let Executor::Runner(number) = executor {
                runners.rest(*number);
            }
            return false;
        };
        let state = shared.state.clone().expect("nothing is taken after the end");
        let me = shared.keeps.clone().expect("kept while jobs are outstanding");
        let Shared { board, runners, .. } = &mut *shared;
        let rested = runners.next(board);
        self.unlock(shared);
        runners::rouse(rested);
        self.handle_batch(&state, &me, how, scratch);
        drop_contained(state);
        self.finish(executor, &me, how, scratch);
        true
    }

    fn handle_batch(
        self: &Arc<Self>,
        state: &Arc<A>,
        me: &ActorRef<A::Msg>,
        how: How,
        scratch: &mut Scratch<A::Msg>,
    ) {
        let attempt = Attempt { exit: &self.exit, tally: &self.tally, me: Me::Beside(me), how };
        let begun = self.clock.now();
        let (mut handled, mut messages) = (0, scratch.batch.len());
        if let How::InOrder(first) = how {
            messages = self.handle_in_order(state, me, &attempt, first, scratch);
        }
        let mut snapshot = None;
        for job in scratch.batch.drain(..) {
            let lane = job.lane;
            let outcome = match (how, job.access) {
                (How::Reading, Access::Snapshot) => {
                    let snapshot = snapshot.get_or_insert_with(SharedSnapshot::begin);
                    attempt.on_snapshot(snapshot, state, &job, &mut scratch.outbox)
                }
                _ => attempt.of_message(state, &job, &mut scratch.outbox),
            };
            if !outcome.is_open() {
                scratch.over.push(lane);
                handled += self.over(outcome, job);
                continue;
            }
            match outcome {
                Handled::Contended => {
                    scratch.back.push(Job { kind: Kind::Alone, ..job });
                    continue;
                }
                Handled::Joins => {
                    let enlisted = Some(Enlisted::of_its_own());
                    scratch.back.push(Job { enlisted, ..job });
                    continue;
                }
                Handled::Waits(rolled_back) => {
                    let give_way = self.lock().board.park(job.lane);
                    give_way.into_iter().for_each(GivesWay::now);
                    if let Err(message) = self.parking.park(self, job, rolled_back) {
                        self.lock().board.unpark_too_late();
                        extend::dead_letter(me, message);
                    }
                    continue;
                }
                _ => {
                    extend::dead_letter(me, job.message);
                    scratch.over.push(lane);
                }
            }
        }
        drop(snapshot);
        self.tally.committed(handled);
        extend::note_handled(messages as u32);
        self.pace.note(self.clock.now().saturating_sub(begun), messages);
    }

    /// A message is over; answers whether it was handled.
    fn over(&self, outcome: Handled, job: Job<A::Msg>) -> u64 {
        match outcome.and_drop(job) {
            Handled::Last => {
                self.stop();
                1
            }
            Handled::FailedLast(panic) => {
                self.stop();
                self.fail(panic);
                0
            }
            Handled::Failed(panic) => {
                self.fail(panic);
                0
            }
            _ => 1,
        }
    }

    /// A message has failed; the actor's own turn sees to that.
    pub(crate) fn fail(&self, panic: Box<dyn Any + Send>) {
        self.tally.failed();
        let mut shared = self.lock();
        shared.board.failures.push_back(panic);
        self.unlock(shared);
    }

    /// The actor is to end; its own turn sees to that. Answers whether nothing runs.
    pub(crate) fn stop(&self) -> bool {
        let mut shared = self.lock();
        shared.board.is_stopping = true;
        let is_running = shared.board.is_running();
        self.unlock(shared);
        !is_running
    }

    fn finish(
        &self,
        executor: &Executor,
        me: &ActorRef<A::Msg>,
        how: How,
        scratch: &mut Scratch<A::Msg>,
    ) {
        let (mut shared, mut too_late, give_way) = self.recall(how, self.lock());
        let board = &mut shared.board;
        board.finish(how);
        scratch.over.drain(..).for_each(|lane| board.finish_job(lane));
        for job in scratch.back.drain(..) {
            if let Err(message) = board.put_back(job) {
                too_late.push(message);
            }
        }
        let is_due = board.needs_attention() && !board.is_running();
        self.unlock(shared);
        // The actor's own turn looks again by itself.
        if is_due && matches!(executor, Executor::Runner(_)) {
            wake(me);
        }
        give_way.into_iter().for_each(GivesWay::now);
        too_late.into_iter().for_each(|message| extend::dead_letter(me, message));
    }

    /// A parked job can be taken again.
    pub(crate) fn unpark(&self, job: Job<A::Msg>) {
        let mut shared = self.lock();
        let unparked = shared.board.unpark(job);
        let me = shared.keeps.clone();
        self.unlock(shared);
        let Some(me) = me else { return };
        match unparked {
            Ok(()) => wake(&me),
            Err(message) => extend::dead_letter(&me, message),
        }
    }

    /// What the actor's own turn has to see to, when nothing runs any more.
    pub(crate) fn attend(&self) -> Option<Attention> {
        let mut shared = self.lock();
        if shared.board.is_running() {
            return None;
        }
        // The turn goes on: the failure before is over.
        shared.board.is_failing = false;
        let attention = match shared.board.failures.pop_front() {
            Some(panic) => {
                shared.board.is_failing = true;
                Some(Attention::Failure(panic))
            }
            None if shared.board.is_stopping => Some(Attention::Stop),
            None => None,
        };
        self.unlock(shared);
        attention
    }
}

/// What the actor's own turn has to see to.
pub(crate) enum Attention {
    Failure(Box<dyn Any + Send>),
    Stop,
}

#[cfg(all(test, odeon_loom))]
pub(crate) mod loom;

/// Drops what may be the last reference to a state. Nobody's message can be blamed for a panic of its destructor.
fn drop_contained<A>(state: A) {
    let _ = catch_unwind(AssertUnwindSafe(move || drop(state)));
}
