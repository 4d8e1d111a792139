//! What the executors of one actor share; what each of them does is in `engine/working.rs`.

mod adapting;
mod ending;
mod entrance;
mod in_order;
mod in_place;
mod runners;
mod scratch;
mod shards;
mod visit;
mod visits;
mod working;

use crate::actor::speculative_actor::SpeculativeActor;
use crate::contained::{Panic, drop_quietly, forget};
use crate::executor::board::Board;
use crate::executor::enlistment::GivesWay;
use crate::executor::exit::Exit;
use crate::executor::job::Job;
use crate::executor::parking::Parking;
use crate::executor::runner::Runner;
use crate::executor::transaction::Transactions;
use crate::processing::Processing;
use crate::processing::pace::Pace;
use crate::report::decisions::Decisions;
use crate::report::tally::AttemptTally;
use adapting::Adapting;
use in_order::Sequence;
use odeon_core::extend::{self, Congestion, Pause, RELIEVED_AT, wake_shared};
use odeon_core::{ActorRef, Clock};
use odeon_sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use odeon_sync::{Mutex, MutexGuard, interruption};
use runners::Runners;
use shards::{KeptWord, Phase, WaitingShards};
use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;

pub(crate) use adapting::LOOK_EVERY;
pub(crate) use ending::EndsWithMaker;
pub(crate) use entrance::CallersEntrance;
pub(crate) use in_place::how_in_place;
pub(crate) use scratch::Scratch;
pub(crate) use shards::{KeptPlace, ShardEntry, ShardPlace};
pub(crate) use working::{Executor, WIDE, shared_by_batch};

/// What the executors of one actor share.
pub(crate) struct Engine<A: SpeculativeActor> {
    shared: Mutex<EngineState<A>>,
    /// Taken after the lock of the board, if both are.
    sequence: Mutex<Sequence<A>>,
    pub(crate) exit: Exit,
    pub(crate) tally: AttemptTally,
    pub(crate) parking: Parking<A>,
    pub(crate) transactions: Arc<dyn Transactions>,
    pub(crate) congestion: Arc<Congestion>,
    clock: Arc<dyn Clock>,
    /// Who changes the width, if anybody.
    adapting: Mutex<Adapting>,
    decisions: Decisions,
    copies: Copies,
    phase: Phase,
    kept: KeptWord,
    /// Whether the actor's messages come to shards.
    is_divided: bool,
}

/// Copies of what the board says, for looks without the lock. They change with every batch, so they
/// share no cache line with what executors read for each message.
#[repr(align(128))]
struct Copies {
    /// Jobs that are not over, and one more while the actor's own turn has something to see to.
    /// Without shards that comes from jobs, and these are added by the actor's own turn alone, and
    /// by callers while that turn lets them in. So a zero that it sees while it does not stands.
    outstanding: AtomicUsize,
    waiting: AtomicUsize,
    pressing: AtomicUsize,
    ready: AtomicUsize,
    committed: AtomicU64,
    width: AtomicUsize,
    /// 1 if the actor's own turn has something to see to.
    attention: AtomicUsize,
    /// Shards, and callers beside them, that have messages under way.
    busy_shards: AtomicUsize,
    is_open: AtomicBool,
    /// Whether the actor has been without work since the last look at its width.
    has_rested: AtomicBool,
}

impl Copies {
    fn new(width: usize) -> Self {
        Self {
            outstanding: AtomicUsize::new(0),
            waiting: AtomicUsize::new(0),
            pressing: AtomicUsize::new(0),
            ready: AtomicUsize::new(0),
            committed: AtomicU64::new(0),
            width: AtomicUsize::new(width),
            attention: AtomicUsize::new(0),
            busy_shards: AtomicUsize::new(0),
            is_open: AtomicBool::new(false),
            has_rested: AtomicBool::new(false),
        }
    }
}

/// What an engine has to know of its theater.
#[derive(Clone)]
pub struct Surroundings {
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) workers: usize,
    pub(crate) transactions: Arc<dyn Transactions>,
    pub(crate) congestion: Arc<Congestion>,
}

impl fmt::Debug for Surroundings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Surroundings").field("workers", &self.workers).finish_non_exhaustive()
    }
}

/// What is behind the lock.
struct EngineState<A: SpeculativeActor> {
    board: Board<A::Msg>,
    /// `None`: the actor has ended.
    state: Option<Arc<A>>,
    /// What the actor's own turn had taken from the inbox when it was made anew, for the next one
    /// to bring.
    left: VecDeque<Job<A::Msg>>,
    /// How often the state was made anew.
    generation: u64,
    /// Keeps the actor while jobs are outstanding.
    keeps: Option<ActorRef<A::Msg>>,
    runners: Runners,
    shards: WaitingShards<Pause>,
    /// The shards themselves, by their numbers.
    members: Vec<Option<ActorRef<A::Msg>>>,
    /// Messages until the next look at the width, of an actor with shards.
    until_look: u32,
    pace: Pace,
    /// Messages that executors have brought to commit in batches. Counted here and not in the
    /// tally: who gives back a batch has the lock, and the line that comes with it.
    committed: u64,
    /// Whether so many jobs press that senders may wait for the actor's own turn to let them go on.
    presses: bool,
    /// Whether the actor is to leave its theater, once it rests.
    is_to_rest: bool,
}

/// TUNE: jobs that could be taken at once beyond which whoever brings some works instead of
/// bringing more, if the actor is not wide. Those that wait for their lanes do not count: what a
/// sender sends in one go is of one lane, and feeds one executor.
const ENOUGH: usize = 32;
/// TUNE: jobs beyond which it works also if fewer could be taken: senders are held back from about
/// here on.
const TOO_MANY: usize = 1024;

/// TUNE: pressing jobs below which the actor's own turn is woken, to let senders go on. Not more
/// than the core lets them go on at, or they would wait for ever; half of that, so that they do not
/// wait again at once.
const RELIEVED_BELOW: usize = RELIEVED_AT / 2;

impl<A: SpeculativeActor> Engine<A> {
    pub(crate) fn new(state: Arc<A>, processing: &Processing, surroundings: Surroundings) -> Self {
        let Surroundings { clock, workers, transactions, congestion } = surroundings;
        interruption::announce();
        let (width, controller) = processing.begin(workers);
        let mut board = Board::new(width);
        if processing.ordering == crate::Ordering::Mailbox {
            board.keep_arrival_order();
        }
        board.set_blocking(processing.blocks);
        let decisions = Decisions::default();
        decisions.configured(clock.now(), width);
        Self {
            shared: Mutex::new(EngineState {
                board,
                state: Some(state),
                left: VecDeque::new(),
                generation: 0,
                keeps: None,
                runners: Runners::default(),
                shards: WaitingShards::default(),
                members: Vec::new(),
                until_look: LOOK_EVERY,
                pace: Pace::default(),
                committed: 0,
                presses: false,
                is_to_rest: false,
            }),
            sequence: Mutex::new(Sequence::new()),
            exit: Exit::default(),
            tally: AttemptTally::default(),
            parking: Parking::new(),
            transactions,
            congestion,
            clock,
            adapting: Mutex::new(Adapting::new(controller)),
            decisions,
            copies: Copies::new(width),
            phase: Phase::default(),
            kept: KeptWord::default(),
            is_divided: false,
        }
    }

    fn lock(&self) -> MutexGuard<'_, EngineState<A>> {
        let mut shared = self.shared.lock().expect("no panic happens under the lock of the board");
        if let Some(kept) = self.kept.take_back() {
            shared.account_for(kept);
        }
        shared
    }

    /// Gives the lock back, and tells the copies. Whoever has changed the board so that senders may
    /// go on has woken the actor's own turn then: also by taking away what others wait behind. And
    /// if nothing is outstanding, nothing keeps the actor.
    fn unlock(&self, mut shared: MutexGuard<'_, EngineState<A>>) {
        let presses = shared.board.pressing() >= RELIEVED_BELOW;
        let is_relieved = std::mem::replace(&mut shared.presses, presses) && !presses;
        let rests = shared.is_to_rest && shared.board.rest();
        let woken = if is_relieved || rests { shared.keeps.clone() } else { None };
        let over = if shared.board.outstanding() == 0 { shared.keeps.take() } else { None };
        let EngineState { board, shards, members, committed, generation, .. } = &mut *shared;
        let given = shards.give(board);
        let pressed = if is_relieved { shards.take_pressed() } else { Vec::new() };
        let pressed = pressed.into_iter().filter_map(|number| members[usize::from(number)].clone());
        let pressed: Vec<_> = pressed.collect();
        // ORDERING: Release: pairs with the Acquire of `outstanding`: what the jobs have done comes
        // before.
        let attention = usize::from(board.needs_attention());
        self.copies.outstanding.store(board.outstanding() + attention, Ordering::Release);
        // ORDERING: Relaxed: hints; who acts on them takes the lock.
        self.copies.waiting.store(board.waiting(), Ordering::Relaxed);
        self.copies.pressing.store(board.pressing(), Ordering::Relaxed);
        self.copies.ready.store(board.ready(), Ordering::Relaxed);
        self.copies.committed.store(*committed, Ordering::Relaxed);
        self.copies.width.store(board.width(), Ordering::Relaxed);
        self.copies.attention.store(attention, Ordering::Relaxed);
        self.copies.busy_shards.store(shards.under_way(), Ordering::Relaxed);
        self.phase.set(*generation, board.is_halted());
        if shared.lets_places_be_kept() {
            self.kept.let_be_kept();
        }
        drop(shared);
        given.iter().for_each(Pause::end);
        if let Some(me) = woken {
            Self::wake_shards(&me, &pressed);
            wake_shared(&me);
        }
        drop(over);
    }

    /// Whether a job is not over, or has left something to see to. Without shards exact in the
    /// actor's own turn.
    pub(crate) fn has_outstanding(&self) -> bool {
        // ORDERING: Acquire: see `unlock`.
        self.copies.outstanding.load(Ordering::Acquire) > 0
    }

    /// Jobs that wait, also parked ones.
    pub(crate) fn waiting(&self) -> usize {
        // ORDERING: Relaxed: a hint.
        self.copies.waiting.load(Ordering::Relaxed)
    }

    /// Of these, the jobs that can be handled without other messages having to come first.
    pub(crate) fn pressing(&self) -> usize {
        // ORDERING: Relaxed: a hint.
        self.copies.pressing.load(Ordering::Relaxed)
    }

    /// Jobs whose lanes are their own.
    pub(crate) fn ready(&self) -> usize {
        // ORDERING: Relaxed: a hint.
        self.copies.ready.load(Ordering::Relaxed)
    }

    /// Whether so much is on the board that whoever brings more works, unless many do.
    pub(crate) fn is_enough_brought(&self) -> bool {
        let is_enough = self.ready() >= ENOUGH || self.pressing() >= TOO_MANY;
        is_enough && self.width() < WIDE
    }

    /// Messages that have committed so far.
    fn commits(&self) -> u64 {
        // ORDERING: Relaxed: a count for statistics.
        self.tally.commits() + self.copies.committed.load(Ordering::Relaxed)
    }

    pub(crate) fn width(&self) -> usize {
        // ORDERING: Relaxed: a hint.
        self.copies.width.load(Ordering::Relaxed)
    }

    pub(crate) fn needs_attention(&self) -> bool {
        // ORDERING: Relaxed: a hint; who sees it too late is woken.
        self.copies.attention.load(Ordering::Relaxed) > 0
    }

    /// What the actor's own turn begins with: the state, and what the one before it has left.
    pub(crate) fn begin(&self) -> (Arc<A>, VecDeque<Job<A::Msg>>) {
        // The turn before may have let callers in.
        self.set_open(false);
        let mut shared = self.lock();
        let state = shared.state.clone().expect("an actor begins before it ends");
        (state, std::mem::take(&mut shared.left))
    }

    /// The actor's own turn is over.
    pub(crate) fn leave(&self, taken: &mut VecDeque<Job<A::Msg>>) {
        if !taken.is_empty() {
            self.lock().left.append(taken);
        }
    }

    /// The actor is made anew. What was parked waited for the old state, and so may coordinated
    /// transactions: all of them look again.
    pub(crate) fn set_state(&self, state: A) {
        let before = self.replace_state(Arc::new(state));
        drop_quietly(before);
        // Those that have kept their places let go of the state before.
        let members = |shared: &mut EngineState<A>| shared.members.clone();
        self.change(members).iter().flatten().for_each(wake_shared);
        self.parking.wake_all(self);
    }

    /// Whether this is the state at present.
    pub(crate) fn is_state(&self, state: &Arc<A>) -> bool {
        self.lock().state.as_ref().is_some_and(|kept| Arc::ptr_eq(kept, state))
    }

    /// The actor's own turn, or a shard, brings jobs. If the actor has ended, which its own turn
    /// knows, they stay where they are.
    pub(crate) fn add(
        self: &Arc<Self>,
        jobs: &mut VecDeque<Job<A::Msg>>,
        me: impl FnOnce() -> ActorRef<A::Msg>,
    ) {
        let mut shared = self.lock();
        if shared.state.is_none() {
            return;
        }
        let keeps = shared.keeps.get_or_insert_with(me).clone();
        let give_way = shared.board.add_all(jobs);
        self.fill(&keeps, &mut shared);
        let EngineState { board, runners, .. } = &mut *shared;
        let rested = runners.next(board);
        self.unlock(shared);
        runners::wake_runner(rested);
        give_way.into_iter().for_each(GivesWay::now);
    }

    /// Sees to it that there are runners for the present width.
    fn fill(self: &Arc<Self>, me: &ActorRef<A::Msg>, shared: &mut EngineState<A>) {
        let new = |number| extend::spawn_working_for(me, Runner::new(self.clone(), number));
        shared.runners.fill(shared.board.width(), new);
    }

    /// A message that still has its place is about to [`fail`](Self::fail): nothing begins any more
    /// before that has been seen to. So who is told of the failure, which is when the message is
    /// dropped, finds no state that is to be made anew.
    pub(crate) fn is_about_to_fail(&self) {
        let mut shared = self.lock();
        shared.board.is_failing = true;
        self.unlock(shared);
    }

    /// A message has failed, and is counted; the actor's own turn sees to that.
    pub(crate) fn fail(&self, panic: Panic) {
        let mut shared = self.lock();
        if shared.state.is_none() {
            drop(shared);
            return forget(panic);
        }
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

    /// The actor is to leave its theater: no message is begun any more that no coordinated
    /// transaction waits for. Answers whether none is under way. The actor's own turn is woken when
    /// that may be so.
    pub(crate) fn comes_to_rest(&self) -> bool {
        let mut shared = self.lock();
        shared.is_to_rest = true;
        let rests = shared.board.rest();
        self.unlock(shared);
        rests
    }

    /// The actor is not to leave after all.
    pub(crate) fn goes_on(&self) {
        let mut shared = self.lock();
        shared.is_to_rest = false;
        shared.board.go_on();
        self.unlock(shared);
    }

    /// A parked job can be taken again.
    pub(crate) fn unpark(&self, job: Job<A::Msg>) {
        let mut shared = self.lock();
        let unparked = shared.board.unpark(job);
        let me = shared.keeps.clone();
        self.unlock(shared);
        let Some(me) = me else { return };
        match unparked {
            Ok(()) => wake_shared(&me),
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
    Failure(Panic),
    Stop,
}

#[cfg(all(test, odeon_loom))]
pub(crate) mod loom;
