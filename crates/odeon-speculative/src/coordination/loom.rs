//! Exhaustive models of a coordinated transaction on its way through two actors: driver,
//! transaction and boards are the real ones, the executors are those of `executor/engine/loom.rs`,
//! and the handlers add one to a variable of their actors.
//!
//! What they show: the transaction is decided exactly once and everywhere, whoever goes on with it;
//! while it waits for the second actor's place nobody writes what it has read and written at the
//! first one; and the news that it may go on is not lost between its last look and its rest.

use super::outcome::CoordinationError;
use super::precedence::Precedence;
use super::transaction::Coordination;
use crate::actor::context::HoldsBack;
use crate::executor::engine::loom::{Workplace, model_within};
use crate::executor::enlistment::{self, Enlistment};
use crate::executor::exit::Exit;
use crate::executor::job::Job;
use crate::executor::participant::Participant;
use crate::executor::participant::{Awaits, ParticipantEntry};
use crate::executor::transaction::{Transaction, Transactions};
use crate::executor::visiting::{Ran, VisitEnd, Visiting};
use odeon_core::extend::{Congestion, Lane};
use odeon_core::{Access, ActorId};
use odeon_stm::staged::{Attempted, FinishedHere, Journey, RolledBack, attempt_here};
use odeon_stm::{Abort, Mode, TVar};
use odeon_sync::{Mutex, thread};
use std::any::Any;
use std::convert::Infallible;
use std::sync::Arc;

/// An actor.
struct ModelActor {
    workplace: Workplace,
    variable: Arc<TVar<u64>>,
    exit: Exit,
    precedence: Arc<dyn Transactions>,
    congestion: Arc<Congestion>,
    endings: Mutex<Vec<VisitEnd>>,
}

impl ModelActor {
    /// With one place for changes, and so many executors and messages.
    fn new(executors: usize, messages: usize, precedence: &Arc<Precedence>) -> Arc<Self> {
        Arc::new(Self {
            workplace: Workplace::new(1, executors, messages),
            variable: Arc::new(TVar::new(0)),
            exit: Exit::default(),
            precedence: precedence.clone(),
            congestion: Arc::default(),
            endings: Mutex::default(),
        })
    }

    fn arrives(self: &Arc<Self>, job: Job<u32>) {
        let enlistment = job.enlistment.expect("visits are of transactions");
        let visit = Visit { place: self.clone(), who: enlistment.number(), lane: job.lane };
        enlistment.arrive(Box::new(visit));
    }
}

impl Participant for ModelActor {
    fn address(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }

    fn generation(&self) -> u64 {
        0
    }

    fn exit(&self) -> &Exit {
        &self.exit
    }

    fn transactions(&self) -> &Arc<dyn Transactions> {
        &self.precedence
    }

    fn congestion(&self) -> &Arc<Congestion> {
        &self.congestion
    }

    fn enter(&self, who: u64, is_reading: bool) -> ParticipantEntry {
        self.workplace.with_board(|board| board.enter(who, is_reading))
    }

    fn leave(&self, who: u64, is_reading: bool, as_guest: bool) {
        self.workplace.with_board(|board| board.leave(who, is_reading, as_guest));
    }

    fn leave_as_guest(&self, who: u64) {
        self.workplace.with_board(|board| board.leave_as_guest(who));
    }

    fn defer(&self, transaction: Arc<dyn Transaction>, awaits: Awaits) -> bool {
        self.workplace.with_board(|board| board.defer(transaction, awaits))
    }

    fn defer_visitor(&self, transaction: Arc<dyn Transaction>, awaits: Awaits) -> bool {
        self.workplace.with_board(|board| {
            board.is_visited_by(transaction.number()) && board.defer(transaction, awaits)
        })
    }

    fn let_joined_pass(&self, who: u64) {
        self.workplace.with_board(|board| board.let_joined_pass(who));
    }

    fn has_ended(&self) -> bool {
        false
    }

    fn stop(&self) {
        unreachable!("nobody asks for the end");
    }
}

/// A message of the transaction.
struct Visit {
    place: Arc<ModelActor>,
    who: u64,
    lane: Option<Lane>,
}

impl Visiting for Visit {
    fn participant(&self) -> &dyn Participant {
        &*self.place
    }

    fn shared_participant(&self) -> Arc<dyn Participant> {
        self.place.clone()
    }

    fn actor(&self) -> ActorId {
        unreachable!("no handler fails");
    }

    fn access(&self) -> Access {
        Access::Update
    }

    fn run(&mut self, attempt: &mut Journey, _: &mut dyn Any) -> Ran {
        let ran = attempt.part(&self.place.variable, |variable, tx| {
            let value = variable.get(tx)?;
            variable.set(tx, value + 1)?;
            Ok::<_, Abort<Infallible>>(())
        });
        match ran {
            Attempted::Finished((), ()) => Ran::Well,
            Attempted::RolledBack(rolled_back) => Ran::RolledBack(rolled_back),
        }
    }

    fn fail(&self, _: Box<dyn Any + Send>) {
        unreachable!("no handler fails");
    }

    fn count_rollback(&self, _: &RolledBack) {}

    fn undo(&mut self) {}

    fn has_effects(&self) -> bool {
        false
    }

    fn is_last(&self) -> bool {
        false
    }

    fn let_happen(&mut self) -> Option<Box<dyn Any + Send>> {
        None
    }

    fn answer_passed_on(&mut self) -> Option<Box<dyn Any + Send>> {
        None
    }

    fn held_by(&self) -> Option<HoldsBack> {
        None
    }

    fn end(self: Box<Self>, ending: VisitEnd) {
        self.place.endings.lock().unwrap().push(ending);
        self.place.workplace.with_board(|board| board.finish_visit(self.who, self.lane));
        self.place.workplace.message_is_over();
    }
}

/// One message that adds ten to a variable; whether its only attempt has committed.
fn adds_ten(variable: &TVar<u64>) -> bool {
    let ended: Attempted<FinishedHere<'_>, (), Infallible> = attempt_here(Mode::Logged, |tx| {
        let value = variable.get(tx)?;
        Ok(variable.set(tx, value + 10)?)
    });
    match ended {
        Attempted::Finished(finished, ()) => finished.commit_before_hooks().is_ok(),
        Attempted::RolledBack(_) => false,
    }
}

/// A transaction with a message to each of two actors, the second of which may be busy; another
/// thread has a message for the variable of the first one or of the second one, or fails the
/// transaction.
fn on_its_way(
    act: impl Fn(&[Arc<ModelActor>; 2], &Arc<Coordination>) -> u64 + Copy + Send + Sync + 'static,
) {
    model_within(3, move || {
        let precedence = Arc::<Precedence>::default();
        let places = [ModelActor::new(1, 1, &precedence), ModelActor::new(1, 2, &precedence)];
        let coordination = Coordination::new(2, None, None);
        // What the second actor is busy with.
        let busy = Job::new(0, Access::Update, Some(Lane::of_number(1)));
        places[1].workplace.with_board(|board| _ = board.add(busy));
        let executor = thread::spawn({
            let place = places[1].clone();
            move || place.workplace.execute(0, |job| place.arrives(job))
        });
        let other = thread::spawn({
            let (places, coordination) = (places.clone(), coordination.clone());
            move || act(&places, &coordination)
        });
        for (at, place) in places.iter().enumerate() {
            let enlistment = Some(Box::new(Enlistment::new(
                coordination.clone(),
                0,
                enlistment::Role::First(at),
            )));
            let job = Job::new(0, Access::Update, Some(Lane::of_number(2)));
            place.workplace.with_board(|board| _ = board.add(Job { enlistment, ..job }));
        }
        places[0].workplace.execute(0, |job| places[0].arrives(job));
        executor.join().unwrap();
        let added = other.join().unwrap();
        let endings = places.each_ref().map(|place| place.endings.lock().unwrap().clone());
        assert_eq!(endings[0], endings[1]);
        let [ending] = endings[0][..] else { panic!("not decided once: {endings:?}") };
        let by_it = u64::from(ending == VisitEnd::Committed);
        let sums = places.each_ref().map(|place| place.variable.peek());
        assert_eq!(sums, [by_it + added, by_it], "{ending:?}");
    });
}

#[test]
fn a_transaction_that_is_protected_against_a_message_in_its_way() {
    on_its_way(|places, _| 10 * u64::from(adds_ten(&places[0].variable)));
}

#[test]
fn a_transaction_on_its_way_against_its_deadline() {
    on_its_way(|_, coordination| {
        coordination.fail(CoordinationError::Deadline);
        0
    });
}

/// Whoever fails it may not go on with it.
#[test]
fn a_transaction_on_its_way_against_an_end_that_is_found_out_anywhere() {
    on_its_way(|_, coordination| {
        coordination.fail_elsewhere(CoordinationError::Stopped);
        0
    });
}

/// Two transactions whose messages are for the same two actors, in opposite orders.
#[test]
fn two_transactions_in_crossing_orders() {
    model_within(2, || {
        let precedence = Arc::<Precedence>::default();
        let places = [(); 2].map(|()| ModelActor::new(1, 2, &precedence));
        let executors = places.each_ref().map(|place| {
            let place = place.clone();
            thread::spawn(move || place.workplace.execute(0, |job| place.arrives(job)))
        });
        let both = [Coordination::new(2, None, None), Coordination::new(2, None, None)];
        for (turned, coordination) in both.into_iter().enumerate() {
            for at in 0..2 {
                let enlistment = Some(Box::new(Enlistment::new(
                    coordination.clone(),
                    0,
                    enlistment::Role::First(at),
                )));
                let lane = Lane::of_number(turned as u64);
                let job = Job::new(0, Access::Update, Some(lane));
                let place = &places[at ^ turned];
                place.workplace.with_board(|board| _ = board.add(Job { enlistment, ..job }));
            }
        }
        executors.into_iter().for_each(|executor| executor.join().unwrap());
        for place in places {
            assert_eq!(*place.endings.lock().unwrap(), [VisitEnd::Committed; 2]);
            assert_eq!(place.variable.peek(), 2);
        }
    });
}
