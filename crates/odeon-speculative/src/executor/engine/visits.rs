//! What an engine does for coordinated transactions.

use super::visit::Visit;
use super::{Engine, EngineState, runners};
use crate::actor::speculative_actor::SpeculativeActor;
use crate::executor::board::{Board, VisitTask};
use crate::executor::enlistment::{Enlistment, GivesWay};
use crate::executor::exit::Exit;
use crate::executor::participant::{Awaits, Participant, ParticipantEntry};
use crate::executor::transaction::{Transaction, Transactions};
use odeon_core::extend::{Companion, Congestion, wake_shared};
use odeon_sync::MutexGuard;
use std::sync::Arc;

impl<A: SpeculativeActor> Engine<A> {
    /// What comes with a message that has become the first one of a transaction, by what its
    /// handler has joined to it.
    #[cold]
    pub(crate) fn enlist(&self) -> Box<Enlistment> {
        Enlistment::alone(self.transactions.begin_with_one())
    }

    /// How often the state was made anew.
    pub(crate) fn generation(&self) -> u64 {
        self.lock().generation
    }

    /// The state; `None` after the end.
    pub(crate) fn state(&self) -> Option<Arc<A>> {
        self.lock().state.clone()
    }

    /// Whether the transaction of this companion has a message here that has arrived.
    pub(crate) fn is_visited_by(&self, companion: &Companion) -> bool {
        let enlistment = companion.downcast_ref::<Enlistment>();
        enlistment.is_some_and(|enlistment| self.lock().board.is_visited_by(enlistment.number()))
    }

    /// A place for a handler of a transaction.
    pub(crate) fn enter(&self, who: u64, is_reading: bool) -> ParticipantEntry {
        let mut shared = self.lock();
        let entry = shared.board.enter(who, is_reading);
        self.unlock(shared);
        entry
    }

    /// Whether the actor has ended.
    pub(crate) fn has_ended(&self) -> bool {
        self.lock().state.is_none()
    }

    /// Changes the board from outside of the actor's own turn and its runners: if there is
    /// something to do then, somebody is woken.
    pub(crate) fn with_board<R>(&self, change: impl FnOnce(&mut Board<A::Msg>) -> R) -> R {
        self.change(|shared| change(&mut shared.board))
    }

    /// The actor goes on with this state. Answers the one before.
    pub(super) fn replace_state(&self, state: Arc<A>) -> Option<Arc<A>> {
        self.change(|shared| {
            shared.generation += 1;
            shared.board.defer_present();
            shared.state.replace(state)
        })
    }

    pub(super) fn change<R>(&self, change: impl FnOnce(&mut EngineState<A>) -> R) -> R {
        let mut shared = self.lock();
        let result = change(&mut shared);
        let EngineState { board, runners, keeps, .. } = &mut *shared;
        let rested = runners.next(board);
        let is_due = board.needs_attention() && !board.is_running();
        let turn =
            (is_due || rested.is_none() && board.has_next()).then(|| keeps.clone()).flatten();
        self.unlock(shared);
        runners::wake_runner(rested);
        if let Some(me) = turn {
            wake_shared(&me);
        }
        result
    }

    /// Takes what is next to be done for a transaction, and does it without the lock.
    ///
    /// # Errors
    /// The lock, if there is nothing.
    #[cold]
    pub(super) fn see_to_next_visit<'e>(
        self: &'e Arc<Self>,
        mut shared: MutexGuard<'e, EngineState<A>>,
    ) -> Result<(), MutexGuard<'e, EngineState<A>>> {
        let mut give_way = Vec::new();
        let Some(visit) = shared.board.take_visit(&mut give_way) else { return Err(shared) };
        self.see_to_visit(shared, visit);
        give_way.into_iter().for_each(GivesWay::now);
        Ok(())
    }

    fn see_to_visit(
        self: &Arc<Self>,
        mut shared: MutexGuard<'_, EngineState<A>>,
        visit: VisitTask<A::Msg>,
    ) {
        let me = shared.keeps.clone();
        // Only for whoever keeps it: the last reference to a state is not dropped here.
        let state = matches!(visit, VisitTask::Arrives(_)).then(|| shared.state.clone()).flatten();
        let EngineState { board, runners, .. } = &mut *shared;
        let rested = runners.next(board);
        self.unlock(shared);
        runners::wake_runner(rested);
        match visit {
            VisitTask::Arrives(job) => {
                let me = me.expect("kept while jobs are outstanding");
                let state = state.expect("nothing is taken after the end");
                Visit::arrive(self, job, me, state);
            }
            VisitTask::GoesOn(transaction) => {
                let number = transaction.number();
                transaction.resume();
                self.with_board(|board| board.keep_no_more(number));
            }
            VisitTask::GivesWay => {}
        }
    }
}

impl<A: SpeculativeActor> Participant for Engine<A> {
    fn address(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }

    fn generation(&self) -> u64 {
        Self::generation(self)
    }

    fn exit(&self) -> &Exit {
        &self.exit
    }

    fn transactions(&self) -> &Arc<dyn Transactions> {
        &self.transactions
    }

    fn congestion(&self) -> &Arc<Congestion> {
        &self.congestion
    }

    fn enter(&self, who: u64, is_reading: bool) -> ParticipantEntry {
        Self::enter(self, who, is_reading)
    }

    fn leave(&self, who: u64, is_reading: bool, as_guest: bool) {
        self.with_board(|board| board.leave(who, is_reading, as_guest));
    }

    fn leave_as_guest(&self, who: u64) {
        self.with_board(|board| board.leave_as_guest(who));
    }

    fn defer(&self, transaction: Arc<dyn Transaction>, awaits: Awaits) -> bool {
        self.with_board(|board| board.defer(transaction, awaits))
    }

    fn defer_visitor(&self, transaction: Arc<dyn Transaction>, awaits: Awaits) -> bool {
        self.with_board(|board| {
            // Whoever sees to the last visit's end sees the news, too.
            board.is_visited_by(transaction.number()) && board.defer(transaction, awaits)
        })
    }

    fn let_joined_pass(&self, who: u64) {
        self.with_board(|board| board.let_joined_pass(who));
    }

    fn has_ended(&self) -> bool {
        Self::has_ended(self)
    }

    fn stop(&self) {
        Self::stop(self);
        // Has the actor's own turn see to it, which is not where this is called.
        self.with_board(|_| ());
    }
}
