//! Exhaustive models of who looks at the board again, and of the parking place. The board, who
//! rests beside it, and the parking place are the real ones; the executors are threads, woken by
//! parkers, that do what [`Engine::work`] and [`Engine::with_board`] do.
//!
//! What they show: jobs of one lane are handled one after the other and none is left while all
//! rest, also when the width changes; a job whose handler waits comes back once, whether the change
//! comes before, while or after it is parked, or goes to who closes; and of two that wait for one
//! guard none is left behind it when that has opened; and no caller is within while the actor's own
//! turn handles messages without the board.

use super::runners::Runners;
use super::{Engine, Surroundings};
use crate::actor::context::SpeculativeContext;
use crate::actor::outcome::{HandlerError, TxResult};
use crate::actor::speculative_actor::SpeculativeActor;
use crate::executor::board::{Board, VisitTask};
use crate::executor::enlistment::GivesWay;
use crate::executor::job::Job;
use crate::processing::Processing;
use odeon_core::extend::Lane;
use odeon_core::{Access, Clock, Message};
use odeon_stm::staged::{Attempted, attempt_here};
use odeon_stm::{Abort, Mode, TVar, Tx, atomically};
use odeon_sync::{Mutex, Parker, UnsafeCell, thread};
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

pub(crate) fn model_within(preemptions: usize, test: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(preemptions);
    builder.check(test);
}

/// A board and its executors.
pub(crate) struct Workplace {
    shared: Mutex<EngineModel>,
    parkers: Vec<Arc<Parker>>,
    /// The messages that were handled, in order.
    handled: Mutex<Vec<u32>>,
}

struct EngineModel {
    board: Board<u32>,
    runners: Runners<Arc<Parker>>,
    /// Messages that are still to be handled, those to come included. Nobody is woken for a look
    /// before there are none.
    left: usize,
}

/// What a look at the board has come to.
pub(crate) enum BoardLook {
    Worked,
    /// A message of a coordinated transaction has arrived.
    Arrives(Job<u32>),
    Nothing,
    Over,
}

impl Workplace {
    /// For this many messages.
    pub(crate) fn new(width: usize, executors: usize, messages: usize) -> Self {
        let parkers: Vec<_> = (0..executors).map(|_| Arc::new(Parker::new())).collect();
        let mut runners = Runners::default();
        // There are runners for two places or more.
        runners.fill(executors.max(2), |number| parkers[number % executors].clone());
        let shared = EngineModel { board: Board::new(width), runners, left: messages };
        Self { shared: Mutex::new(shared), parkers, handled: Mutex::new(Vec::new()) }
    }

    /// As [`Engine::with_board`].
    pub(crate) fn with_board<R>(&self, change: impl FnOnce(&mut Board<u32>) -> R) -> R {
        let mut shared = self.shared.lock().unwrap();
        let EngineModel { board, runners, .. } = &mut *shared;
        let result = change(board);
        let rested = runners.next(board);
        drop(shared);
        wake_runner(rested);
        result
    }

    /// As [`Engine::set_processing`].
    fn set_width(&self, width: usize) {
        self.with_board(|board| board.set_width(width));
    }

    /// As [`Engine::work`].
    pub(crate) fn work(&self, executor: usize) -> BoardLook {
        let mut shared = self.shared.lock().unwrap();
        let EngineModel { board, runners, left } = &mut *shared;
        let mut give_way = Vec::new();
        if let Some(visit) = board.take_visit(&mut give_way) {
            let rested = runners.next(board);
            drop(shared);
            wake_runner(rested);
            let look = match visit {
                VisitTask::Arrives(job) => BoardLook::Arrives(job),
                VisitTask::GoesOn(transaction) => {
                    let number = transaction.number();
                    transaction.resume();
                    self.with_board(|board| board.keep_no_more(number));
                    BoardLook::Worked
                }
                VisitTask::GivesWay => BoardLook::Worked,
            };
            give_way.into_iter().for_each(GivesWay::now);
            return look;
        }
        let mut batch = VecDeque::new();
        let Some(how) = board.take(&mut batch, 1) else {
            if *left == 0 {
                return BoardLook::Over;
            }
            runners.rest(executor);
            return BoardLook::Nothing;
        };
        let rested = runners.next(board);
        drop(shared);
        wake_runner(rested);
        self.handled.lock().unwrap().extend(batch.iter().map(|job| job.message));
        let mut shared = self.shared.lock().unwrap();
        shared.board.finish(how);
        for job in batch {
            shared.board.finish_jobs(1, job.lane.into_iter());
            self.finished(&mut shared);
        }
        BoardLook::Worked
    }

    /// What an executor does all the time; `arrived` is told of messages of coordinated
    /// transactions.
    pub(crate) fn execute(&self, executor: usize, arrived: impl Fn(Job<u32>)) {
        loop {
            match self.work(executor) {
                BoardLook::Worked => {}
                BoardLook::Arrives(job) => arrived(job),
                BoardLook::Nothing => self.parkers[executor].park(),
                BoardLook::Over => return,
            }
        }
    }

    /// A message of a coordinated transaction is over.
    pub(crate) fn message_is_over(&self) {
        self.finished(&mut self.shared.lock().unwrap());
    }

    /// After the last message the executors end.
    fn finished(&self, shared: &mut EngineModel) {
        shared.left -= 1;
        if shared.left == 0 {
            self.parkers.iter().for_each(|parker| parker.unpark());
        }
    }
}

fn wake_runner(rested: Option<Arc<Parker>>) {
    if let Some(parker) = rested {
        parker.unpark();
    }
}

/// Two executors, and a thread that brings jobs, of the first two of which the lane is the same.
fn executors(bring: impl Fn(&Workplace, [Job<u32>; 3]) + Send + Sync + 'static) {
    model_within(4, move || {
        let workplace = Arc::new(Workplace::new(2, 2, 3));
        let job = |message, access, lane| Job::new(message, access, Some(Lane::of_number(lane)));
        let jobs =
            [job(1, Access::Update, 1), job(2, Access::Snapshot, 1), job(3, Access::Update, 2)];
        let executors = [0, 1].map(|number| {
            let workplace = workplace.clone();
            thread::spawn(move || workplace.execute(number, |_| unreachable!("nobody visits")))
        });
        bring(&workplace, jobs);
        executors.into_iter().for_each(|executor| executor.join().unwrap());
        let handled = workplace.handled.lock().unwrap();
        let at = |message| handled.iter().position(|handled| *handled == message).expect("lost");
        assert!(handled.len() == 3 && at(1) < at(2), "{handled:?}");
    });
}

#[test]
fn lanes_are_handed_over_and_nothing_is_left() {
    executors(|workplace, jobs| {
        for job in jobs {
            workplace.with_board(|board| _ = board.add(job));
        }
    });
}

#[test]
fn nothing_is_left_when_the_width_changes() {
    executors(|workplace, [first, second, third]| {
        workplace.set_width(1);
        workplace.with_board(|board| [first, third].into_iter().for_each(|job| _ = board.add(job)));
        workplace.set_width(2);
        workplace.with_board(|board| _ = board.add(second));
        workplace.set_width(1);
    });
}

struct Still;

impl Clock for Still {
    fn now(&self) -> Duration {
        Duration::ZERO
    }
}

struct Nothing;

impl Message for Nothing {}

/// Waits until the variable is not zero.
struct Patient(TVar<u64>);

impl SpeculativeActor for Patient {
    type Msg = Nothing;

    fn handle<'t>(
        &'t self,
        _: &'t Nothing,
        tx: &mut Tx<'t>,
        _: &mut SpeculativeContext<'_, Self>,
    ) -> TxResult {
        if self.0.get(tx)? == 0 { Ok(tx.retry()?) } else { Ok(()) }
    }
}

/// Takes the job and, if its handler waits, parks it, as an executor does. Answers whether it was
/// too late.
fn park(engine: &Arc<Engine<Patient>>) -> bool {
    let Some(state) = engine.state() else { return false };
    let mut batch = VecDeque::new();
    if engine.with_board(|board| board.take(&mut batch, 1)).is_none() {
        return false;
    }
    let job = batch.pop_back().expect("a batch has a job");
    let waits = || -> Attempted<_, u64, HandlerError> {
        attempt_here(Mode::Logged, |tx| match state.0.get(tx)? {
            0 => Ok(tx.retry()?),
            value => Ok(value),
        })
    };
    match waits() {
        Attempted::RolledBack(rolled_back) => {
            let _ = engine.with_board(|board| board.park(job.lane));
            let is_late = engine.parking.park(engine, job, rolled_back, false).is_err();
            if is_late {
                engine.with_board(|board| board.unpark_too_late());
            }
            is_late
        }
        Attempted::Finished(..) => engine.with_board(|board| board.put_back(job)).is_err(),
        Attempted::Failed(_) => unreachable!("it does not fail"),
    }
}

fn engine() -> Arc<Engine<Patient>> {
    let surroundings = Surroundings {
        clock: Arc::new(Still),
        workers: 2,
        transactions: Arc::new(crate::coordination::Precedence::default()),
        congestion: Arc::default(),
    };
    let width = Processing::concurrent().width(2);
    Arc::new(Engine::new(Arc::new(Patient(TVar::new(0))), &width, surroundings))
}

/// A job is parked while the other thread acts.
fn parking(act: impl Fn(&Engine<Patient>) -> usize + Copy + Send + Sync + 'static) {
    model_within(3, move || {
        let engine = engine();
        let job = Job::new(Nothing, Access::Update, Some(Lane::of_number(1)));
        engine.with_board(|board| _ = board.add(job));
        let other = thread::spawn({
            let engine = engine.clone();
            move || act(&engine)
        });
        let too_late = usize::from(park(&engine));
        let handed_over = other.join().unwrap();
        let ready = engine.with_board(|board| board.ready());
        assert_eq!(ready + too_late + handed_over, 1, "{ready}, {too_late}, {handed_over}");
        assert_eq!(engine.with_board(|board| board.outstanding()), ready);
    });
}

#[test]
fn what_is_parked_comes_back_after_the_change() {
    parking(|engine| {
        let state = engine.state().expect("it has not ended");
        atomically(|tx| state.0.set(tx, 1));
        0
    });
}

#[test]
fn what_is_parked_goes_to_who_closes() {
    parking(|engine| {
        let mut handed_over = 0;
        engine.close(&mut |Nothing| handed_over += 1);
        handed_over
    });
}

/// Takes a job and tries it, as an executor does; answers whether it has come past its guard.
fn try_next(engine: &Arc<Engine<Patient>>) -> Option<bool> {
    let state = engine.state()?;
    let mut batch = VecDeque::new();
    let how = engine.with_board(|board| board.take(&mut batch, 1))?;
    let job = batch.pop_back().expect("a batch has a job");
    let (lane, mailbox) = (job.lane, job.mailbox);
    let admitted = attempt_here(Mode::Logged, |tx| -> Result<(), Abort<HandlerError>> {
        if state.0.get(tx)? == 0 { Ok(tx.retry()?) } else { Ok(()) }
    });
    let passes = match admitted {
        Attempted::RolledBack(rolled_back) => {
            let _ = engine.with_board(|board| board.park(lane));
            assert!(engine.parking.park(engine, job, rolled_back, true).is_ok());
            false
        }
        Attempted::Finished(..) => {
            if job.is_scout {
                engine.parking.passed(engine, mailbox);
            }
            engine.with_board(|board| board.finish_jobs(1, lane.into_iter()));
            true
        }
        Attempted::Failed(_) => unreachable!("it does not fail"),
    };
    engine.with_board(|board| board.finish(how));
    Some(passes)
}

/// A guard opens while two jobs are refused by it, one behind the other.
#[test]
fn a_guard_that_opens_leaves_nobody_behind_it() {
    model_within(3, || {
        let engine = engine();
        for sender in [1, 2] {
            let lane = Lane::of_number(sender).in_mailbox(1);
            let job = Job { mailbox: 1, ..Job::new(Nothing, Access::Update, Some(lane)) };
            engine.with_board(|board| _ = board.add(job));
        }
        let opens = thread::spawn({
            let engine = engine.clone();
            move || {
                let state = engine.state().expect("it has not ended");
                atomically(|tx| state.0.set(tx, 1));
            }
        });
        let mut passed = 0;
        (0..2).for_each(|_| passed += usize::from(try_next(&engine) == Some(true)));
        opens.join().unwrap();
        while let Some(passes) = try_next(&engine) {
            assert!(passes, "it is open");
            passed += 1;
        }
        assert_eq!((passed, engine.with_board(|board| board.outstanding())), (2, 0));
    });
}

/// What the actor's own turn touches by itself, and callers together.
struct State(UnsafeCell<u32>);

// SAFETY: that nobody changes it beside others is what the model shows; loom looks.
unsafe impl Sync for State {}

/// The actor's own turn closes the entrance and handles a message without a look at the board,
/// while callers come.
#[test]
fn nobody_is_within_while_the_turn_works_by_itself() {
    model_within(3, || {
        let (engine, state) = (engine(), Arc::new(State(UnsafeCell::new(0))));
        engine.set_open(true);
        let callers = [1, 2].map(|caller| {
            let (engine, state) = (engine.clone(), state.clone());
            thread::spawn(move || {
                let lane = Lane::of_number(caller);
                let job = Job::new(Nothing, Access::Update, Some(lane));
                let begun = engine.with_board(|board| board.begin_callers(job));
                let Ok((_, how)) = begun else { return };
                state.0.with(|_| ());
                engine.with_board(|board| {
                    board.finish(how);
                    board.finish_jobs(1, std::iter::once(lane));
                });
            })
        });
        engine.set_open(false);
        let works_alone = !engine.has_outstanding();
        if works_alone {
            state.0.with_mut(|state| {
                // SAFETY: as above.
                unsafe { *state += 1 }
            });
        }
        callers.into_iter().for_each(|caller| caller.join().unwrap());
        assert!(!engine.has_outstanding());
    });
}
