//! One message of a transaction of several actors at its actor, from its arrival until the outcome.

use super::Engine;
use crate::actor::context::{HandlerPart, HoldsBack, Me, SpeculativeContext, Wants};
use crate::actor::setting::Setting;
use crate::actor::speculative_actor::SpeculativeActor;
use crate::contained::{Panic, contained, drop_each, drop_quietly, each, failure_of, text_of};
use crate::executor::attempt::{WRITES, admit_and_handle};
use crate::executor::handling::discard;
use crate::executor::job::Job;
use crate::executor::participant::Participant;
use crate::executor::visiting::{Ran, VisitEnd, Visiting};
use odeon_core::Access;
use odeon_core::extend::{self, Effect, Lane, Outbox, Place, as_sender};
use odeon_core::{ActorId, ActorRef};
use odeon_stm::staged::{Attempted, Journey, RolledBack};
use std::any::Any;
use std::slice;
use std::sync::Arc;

/// See the module.
pub(crate) struct Visit<A: SpeculativeActor> {
    engine: Arc<Engine<A>>,
    me: ActorRef<A::Msg>,
    /// Whose message it is.
    who: u64,
    /// `None` once it has ended.
    setting: Option<Arc<Setting<A>>>,
    lane: Option<Lane>,
    access: Access,
    mailbox: u8,
    outbox: Outbox,
    passed_on: Vec<Effect>,
    held_by: Option<HoldsBack>,
    is_last: bool,
    /// In a mailbox with a bound, until it has ended.
    _place: Option<Place>,
}

impl<A: SpeculativeActor> Visit<A> {
    /// Tells the transaction of a message that has arrived at the board.
    pub(crate) fn arrive(
        engine: &Arc<Engine<A>>,
        job: Job<A::Msg>,
        me: ActorRef<A::Msg>,
        state: Arc<A>,
    ) {
        let Job { message, lane, access, mailbox, enlistment, place, .. } = job;
        let enlistment = enlistment.expect("visits are of transactions");
        let visit = Self {
            engine: engine.clone(),
            me,
            who: enlistment.number(),
            setting: Some(Arc::new(Setting { state, message })),
            lane,
            access,
            mailbox,
            outbox: Outbox::new(),
            passed_on: Vec::new(),
            held_by: None,
            is_last: false,
            _place: place,
        };
        enlistment.arrive(Box::new(visit));
    }

    /// The state as it is: a restart makes it anew.
    fn renew_state(&mut self) {
        let Some(state) = self.engine.state() else { return };
        let setting = self.setting.as_mut().expect("not ended");
        let mut other = state;
        if !Arc::ptr_eq(&setting.state, &other) {
            // No attempt refers to it: it has been rolled back (`Places::enter`).
            if let Some(setting) = Arc::get_mut(setting) {
                std::mem::swap(&mut setting.state, &mut other);
            }
        }
        // The last reference, maybe.
        drop_quietly(other);
    }
}

impl<A: SpeculativeActor> Visiting for Visit<A> {
    fn participant(&self) -> &dyn Participant {
        &*self.engine
    }

    fn shared_participant(&self) -> Arc<dyn Participant> {
        self.engine.clone()
    }

    fn actor(&self) -> ActorId {
        self.me.id()
    }

    fn access(&self) -> Access {
        self.access
    }

    fn run(&mut self, attempt: &mut Journey, joins: &mut dyn Any) -> Ran {
        self.renew_state();
        let Self { setting, me, outbox, access, mailbox, .. } = self;
        let setting = setting.as_ref().expect("not ended");
        let has_written = attempt.has_written();
        let (mut passed_on, mut held_by, mut wants) = (Vec::new(), None, Wants::Nothing);
        let ran = contained(|| {
            outbox.hold_during(|| {
                attempt.part(setting, |Setting { state, message }, tx| {
                    let me = Me::Beside(me);
                    let handled = slice::from_ref(message);
                    let (passed_on, held_by) = (&mut passed_on, &mut held_by);
                    let part = HandlerPart { joins: &mut *joins, passed_on, held_by };
                    let mut ctx = SpeculativeContext::taking_part(me, handled, *mailbox, part);
                    let ended = admit_and_handle::<A>(state, message, tx, &mut ctx);
                    wants = ctx.wants();
                    ended
                })
            })
        });
        self.is_last = wants == Wants::Stop;
        let ran = match ran {
            Ok(Attempted::Finished((), ())) => {
                if access.only_reads() && attempt.has_written() && !has_written {
                    failed(Box::new(WRITES))
                } else {
                    (self.passed_on, self.held_by) = (passed_on, held_by);
                    return Ran::Well;
                }
            }
            Ok(Attempted::RolledBack(rolled_back)) => {
                self.count_rollback(&rolled_back);
                match wants {
                    Wants::Admission => Ran::Refused(rolled_back),
                    _ => Ran::RolledBack(rolled_back),
                }
            }
            Ok(Attempted::Failed(error)) => failed(failure_of(error)),
            Err(panic) => failed(panic),
        };
        drop_each(passed_on);
        self.undo();
        ran
    }

    fn fail(&self, panic: Panic) {
        if let Some(setting) = &self.setting {
            self.engine.tally.failed(&setting.message);
        }
        fail(&self.engine, panic);
    }

    fn count_rollback(&self, rolled_back: &RolledBack) {
        let message = self.setting.as_ref().map(|setting| &setting.message);
        self.engine.tally.rolled_back(rolled_back, message.map_or(&[], slice::from_ref));
    }

    fn undo(&mut self) {
        (self.is_last, self.held_by) = (false, None);
        drop_each(self.passed_on.drain(..));
        discard(&mut self.outbox);
    }

    fn has_effects(&self) -> bool {
        self.is_last || !self.outbox.is_empty() || !self.passed_on.is_empty()
    }

    fn is_last(&self) -> bool {
        self.is_last
    }

    fn let_happen(&mut self) -> Option<Panic> {
        if self.outbox.is_empty() {
            return None;
        }
        let Self { me, outbox, .. } = self;
        contained(|| as_sender(me, || outbox.release())).err()
    }

    fn answer_passed_on(&mut self) -> Option<Panic> {
        let answers = std::mem::take(&mut self.passed_on);
        if answers.is_empty() {
            return None;
        }
        let me = &self.me;
        as_sender(me, || match &self.held_by {
            Some(hold) => each(answers.into_iter().map(|answer| || hold(answer))),
            None => each(answers),
        })
        .err()
    }

    fn held_by(&self) -> Option<HoldsBack> {
        self.held_by.clone()
    }

    fn end(mut self: Box<Self>, ending: VisitEnd) {
        let setting = self.setting.take().expect("ends once");
        // The attempt is over, so nobody else refers to it.
        let message = setting.into_message();
        let Self { engine, me, who, lane, .. } = *self;
        match (ending, message) {
            (VisitEnd::TooLate, Some(message)) => extend::dead_letter(&me, message),
            (_, message) => {
                if let Err(panic) = contained(move || drop(message)) {
                    engine.tally.failed_when_dropped::<A::Msg>();
                    fail(&engine, panic);
                }
            }
        }
        if ending == VisitEnd::Committed {
            engine.tally.committed(1);
        }
        if ending != VisitEnd::TooLate {
            extend::note_handled(1);
        }
        if self.is_last && ending == VisitEnd::Committed {
            Participant::stop(&*engine);
        }
        engine.change(|shared| {
            shared.board.finish_visit(who, lane);
            // Who brings messages looks at the width.
            shared.until_look = shared.until_look.saturating_sub(1);
        });
    }
}

/// Has the actor's own turn see to a failure, which is not where this is called.
fn fail<A: SpeculativeActor>(engine: &Engine<A>, panic: Panic) {
    engine.fail(panic);
    engine.with_board(|_| ());
}

fn failed(panic: Panic) -> Ran {
    let why = text_of(&panic);
    Ran::Failed(panic, why)
}
