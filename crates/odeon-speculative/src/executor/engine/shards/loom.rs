//! Exhaustive models of shards that wait for places. The board, who waits, who rests, and the word
//! of the place that is kept are the real ones; the shards are threads, whose pauses are parkers,
//! that do what [`Engine::begin_shard`](super::Engine::begin_shard) and
//! [`Engine::finish_shard`](super::Engine::finish_shard) do, and are idle between two messages. So
//! are callers (`engine/entrance.rs`).
//!
//! What they show: no shard pauses for ever, whether it waits for another one, for one that has
//! kept its place, for a caller, for a start, or for a message that runs alone; with a width of one
//! nothing runs beside a shard or a caller; that message is not left; and what is handled in a
//! place that was kept is counted once.

use super::kept::{KeptWord, PlaceAccount};
use super::{ShardTurn, WaitingShards};
use crate::executor::board::{Board, How};
use crate::executor::engine::loom::model_within;
use crate::executor::engine::runners::Runners;
use crate::executor::job::Job;
use odeon_core::Access;
use odeon_core::extend::Lane;
use odeon_sync::{Mutex, MutexGuard, Parker, UnsafeCell, thread};
use std::collections::VecDeque;
use std::sync::Arc;

/// An actor with shards, and one runner beside them.
struct ShardsModel {
    shared: Mutex<SharedModel>,
    kept: KeptWord,
    /// What a message changes that nothing runs beside.
    state: UnsafeCell<u32>,
}

// SAFETY: the state is only touched by whoever has the actor to itself: what the models show.
unsafe impl Sync for ShardsModel {}

struct SharedModel {
    board: Board<u32>,
    shards: WaitingShards<Arc<Parker>>,
    runners: Runners<Arc<Parker>>,
    /// Messages that are not over; the runner ends with the last one.
    left: usize,
    runner: Arc<Parker>,
}

impl ShardsModel {
    fn new(width: usize, messages: usize) -> Arc<Self> {
        let (runner, mut runners) = (Arc::new(Parker::new()), Runners::default());
        runners.fill(2, |_| runner.clone());
        let (board, shards) = (Board::new(width), WaitingShards::divided());
        let shared = Mutex::new(SharedModel { board, shards, runners, left: messages, runner });
        Arc::new(Self { shared, kept: KeptWord::default(), state: UnsafeCell::new(0) })
    }

    /// As [`Engine::lock`](super::Engine::lock).
    fn lock(&self) -> MutexGuard<'_, SharedModel> {
        let mut shared = self.shared.lock().unwrap();
        if let Some(PlaceAccount { number, how, handled, .. }) = self.kept.take_back() {
            let SharedModel { board, shards, left, .. } = &mut *shared;
            shards.finish(number, how, 0, board);
            *left -= handled;
        }
        shared
    }

    /// As [`Engine::unlock`](super::Engine::unlock), after a change.
    fn change<R>(&self, change: impl FnOnce(&mut SharedModel) -> R) -> R {
        let mut shared = self.lock();
        let result = change(&mut shared);
        let SharedModel { board, shards, runners, left, runner } = &mut *shared;
        let rested = runners.next(board).or_else(|| (*left == 0).then(|| runner.clone()));
        let given = shards.give(board);
        if board.outstanding() == 0 && shards.under_way() <= 1 && !board.is_halted() {
            self.kept.let_be_kept();
        }
        drop(shared);
        given.iter().chain(&rested).for_each(|parker| parker.unpark());
        result
    }

    /// A message of the shard with this number, which has `kept` its place, or does so.
    fn handle_in(&self, number: u8, pause: &Arc<Parker>, kept: &mut Option<PlaceAccount>) {
        let resumed = kept.take().filter(|kept| self.kept.resume(*kept));
        let how = resumed.map_or_else(|| self.placed(number, pause), |kept| kept.how);
        if how == How::Direct {
            self.touch();
        }
        let handled = resumed.map_or(0, |kept| kept.handled) + 1;
        let place = PlaceAccount { number, how, handled, committed: 0, together: 0 };
        if self.kept.keep(place) {
            *kept = Some(place);
            return;
        }
        self.change(|shared| {
            let SharedModel { board, shards, left, .. } = shared;
            shards.finish(number, how, 0, board);
            *left -= handled;
        });
    }

    fn placed(&self, number: u8, pause: &Arc<Parker>) -> How {
        loop {
            let turn = self.change(|shared| {
                let SharedModel { board, shards, .. } = shared;
                shards.begin(number, pause, board)
            });
            match turn {
                ShardTurn::Placed(how) => return how,
                ShardTurn::Waits => pause.park(),
                ShardTurn::Brings => unreachable!("nothing of its lanes is on the board"),
            }
        }
    }

    /// A caller's message, unless the caller cannot enter.
    fn handle_for_caller(&self, lane: Lane) -> bool {
        let job = Job::new(7, Access::Update, Some(lane));
        let mut shared = self.lock();
        let SharedModel { board, shards, .. } = &mut *shared;
        let Some(how) = shards.begin_callers(&job, board) else { return false };
        drop(shared);
        if how == How::Direct {
            self.touch();
        }
        self.change(|shared| {
            let SharedModel { board, shards, left, .. } = shared;
            shards.finish_callers(how, board);
            *left -= 1;
        });
        true
    }

    fn touch(&self) {
        self.state.with_mut(|state| {
            // SAFETY: see the type.
            unsafe { *state += 1 }
        });
    }

    /// What a runner does until all is over.
    fn run(&self) {
        loop {
            let mut batch = VecDeque::new();
            let taken = self.change(|shared| {
                let SharedModel { board, runners, left, .. } = shared;
                let how = board.take(&mut batch, 1);
                if how.is_none() && *left > 0 {
                    runners.rest(0);
                }
                how.ok_or((*left > 0).then(|| shared.runner.clone()))
            });
            match taken {
                Ok(how) => {
                    self.touch();
                    self.change(|shared| {
                        shared.board.finish(how);
                        shared.board.finish_jobs(1, batch.iter().filter_map(|job| job.lane));
                        shared.left -= 1;
                    });
                }
                Err(Some(parker)) => parker.park(),
                Err(None) => return,
            }
        }
    }
}

/// A shard with so many messages, which looks at the board in the end.
fn shard(model: &Arc<ShardsModel>, number: u8, messages: usize) -> thread::JoinHandle<()> {
    let (model, pause) = (model.clone(), Arc::new(Parker::new()));
    thread::spawn(move || {
        let mut kept = None;
        (0..messages).for_each(|_| model.handle_in(number, &pause, &mut kept));
        model.change(|_| ());
    })
}

#[test]
fn shards_have_a_narrow_actor_one_after_the_other() {
    model_within(3, || {
        let model = ShardsModel::new(1, 4);
        let shards = [1, 2].map(|number| shard(&model, number, 2));
        shards.into_iter().for_each(|shard| shard.join().unwrap());
        model.change(|shared| assert_eq!((shared.left, shared.shards.busy()), (0, 0)));
    });
}

#[test]
fn callers_enter_a_narrow_actor_one_at_a_time_and_shards_that_wait_for_them_go_on() {
    model_within(3, || {
        let model = ShardsModel::new(1, 3);
        model.shared.lock().unwrap().board.set_open(true);
        let lane = Lane::of_number(3);
        let others = [shard(&model, 1, 1), shard(&model, lane.place(), 1)];
        if !model.handle_for_caller(lane) {
            // Its message goes the ordinary way.
            shard(&model, 2, 1).join().unwrap();
        }
        others.into_iter().for_each(|shard| shard.join().unwrap());
        model.change(|shared| assert_eq!(shared.left, 0));
    });
}

#[test]
fn shards_wait_for_the_start() {
    model_within(3, || {
        let model = ShardsModel::new(2, 2);
        model.shared.lock().unwrap().board.set_starting(true);
        let shards = [1, 2].map(|number| shard(&model, number, 1));
        model.touch();
        model.change(|shared| shared.board.set_starting(false));
        shards.into_iter().for_each(|shard| shard.join().unwrap());
        // What began before the start would have touched it beside that.
        model.change(|shared| assert_eq!(shared.shards.busy(), 0));
    });
}

#[test]
fn a_message_that_runs_alone_runs_beside_no_shard() {
    model_within(3, || {
        let model = ShardsModel::new(1, 3);
        let shards = [shard(&model, 1, 2)];
        let runner = thread::spawn({
            let model = model.clone();
            move || model.run()
        });
        let alone = Job::new(7, Access::Exclusive, Some(Lane::of_number(3)));
        model.change(|shared| _ = shared.board.add(alone));
        shards.into_iter().for_each(|shard| shard.join().unwrap());
        runner.join().unwrap();
    });
}
