//! Who asks, as far as that matters until the answer is there.

use std::cell::Cell;

use crate::messaging::actor_ref::ActorRef;
use crate::messaging::ask::asked_by::AskedBy;
use crate::messaging::lane::of_thread::LoneQuestion;
use crate::messaging::pressure::Question;
use crate::process::cell::Header;
use crate::vocabulary::message::Message;

/// What waits for an answer.
pub(crate) enum AnswerWaiter {
    /// An actor, which others may wait for in turn.
    Actor(Question),
    /// A thread that belongs to no actor. It asks an actor with lanes, in a lane of its own.
    Thread(LoneQuestion),
}

impl AnswerWaiter {
    /// Who asks `actor` on this thread; `is_sent` tells whether the question is on its way.
    #[inline(always)]
    pub(crate) fn here(actor: &Header, is_sent: bool) -> Option<Self> {
        match Question::asked_of(actor) {
            Some(question) => Some(Self::Actor(question)),
            None if actor.vtable.laned && is_sent => {
                LoneQuestion::just_sent(actor).map(Self::Thread)
            }
            None => None,
        }
    }

    /// The answer is not there, and whoever asks does nothing more until it is. Answers whether
    /// that is for ever, because it asks itself.
    #[cold]
    pub(crate) fn waits(&mut self) -> bool {
        match self {
            Self::Actor(question) => question.waits(),
            Self::Thread(question) => {
                question.is_awaited();
                false
            }
        }
    }

    /// Nothing more is to come; `is_answered`: because whoever was asked has answered.
    #[cold]
    pub(crate) fn ends(self, is_answered: bool) {
        if let (Self::Thread(question), true) = (self, is_answered) {
            question.answered();
        }
    }
}

/// Who asks whom, noted by who sends the question: which of several actors gets it is known only
/// then.
#[derive(Default)]
pub(crate) struct AskedOne(Cell<(Option<AnswerWaiter>, Option<Box<AskedBy>>)>);

impl AskedOne {
    /// This actor has been sent the question, by this thread.
    pub(crate) fn is<M: Message>(&self, actor: &ActorRef<M>) {
        let header = &actor.cell().header;
        let seen = if header.is_seen() { AskedBy::to(header) } else { None };
        self.0.set((AnswerWaiter::here(header, true), seen));
    }

    /// Who asks, and who is to note that.
    pub(crate) fn into_parts(self) -> (Option<AnswerWaiter>, Option<Box<AskedBy>>) {
        self.0.into_inner()
    }
}
