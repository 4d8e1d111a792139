//! What agents tell each other.

use odeon_core::{Context, Message, Reply};
use odeon_speculative::CoordinationError;
use odeon_theater::TheaterId;
use serde::{Deserialize, Serialize};

use crate::agent::Agent;
use crate::id::Id;

/// To an agent. New kinds are added before the last one.
#[derive(Serialize, Deserialize)]
pub(crate) enum Tell {
    /// To the leader: this part is there, and holds nothing behind this round.
    Ready { id: Id, from: TheaterId, after: u32 },
    /// To the leader: this part has let go of all in this round, and waits.
    GivesWay { id: Id, from: TheaterId, round: u32, for_a_change: bool },
    /// To the leader: this part has handled all that has come in this round, and if that is all
    /// there is it can commit whatever happens.
    Prepared { id: Id, from: TheaterId, round: u32, joins: Joins },
    /// To the leader: this part is over without a commit.
    Failed { id: Id, from: TheaterId, why: Why },
    /// To a part: the handlers are to be called.
    Run(Run),
    /// To a part: this round is void. `is_calm`: others need not stand back for the transaction any
    /// more.
    RollBack { id: Id, round: u32, is_calm: bool },
    /// To a part, for which so many messages were sent: it is over.
    Abort { id: Id, of: u32 },
    /// To a part: one message less will come.
    Lost { id: Id },
    /// To a part: all of these are prepared. `by`: the leader, or whoever asks in its place.
    PreCommit { id: Id, by: TheaterId, participants: Vec<TheaterId>, reply: Reply<Standing> },
    /// To a part: all know that.
    Commit { id: Id, reply: Reply<()> },
    /// To a part: all have committed but for these, which cannot be reached.
    Forget { id: Id, missing: Vec<TheaterId> },
    /// To a part, by another one that cannot reach the leader.
    Inquire { id: Id, reply: Reply<Heard> },
    /// To a part, by another one: that has committed, and need not be told.
    Settled { id: Id, from: TheaterId, is_answer: bool },
    /// To the leader: in this round a handler has joined a message to an actor of this theater.
    Joins { id: Id, round: u32, member: TheaterId },
    /// To the leader: such a message has come to this theater, which had no part, and has one from
    /// here on.
    Joined { id: Id, from: TheaterId },
    /// To the leader: such a message of this round will not come.
    JoinLost { id: Id, round: u32 },
    /// A step of the agent's own.
    #[serde(skip)]
    Then(Then),
}

impl Message for Tell {}

/// See [`Tell::Run`].
#[derive(Serialize, Deserialize)]
pub(crate) struct Run {
    pub(crate) id: Id,
    pub(crate) round: u32,
    /// The theaters with parts.
    pub(crate) participants: Vec<TheaterId>,
    /// When the transaction began: that with the lesser stamp is older.
    pub(crate) stamp: u64,
    /// Others that have not begun to run stand back.
    pub(crate) is_urgent: bool,
}

/// How far a part is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Standing {
    /// It is over without a commit, or nothing is known of it; it will never commit.
    Aborted,
    /// It can commit, and does not know whether all can.
    Prepared,
    /// It knows that all can.
    PreCommitted,
    Committed,
}

/// What one part has been told by another one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Heard {
    pub(crate) standing: Standing,
    /// Of which theaters with parts that one knows.
    pub(crate) participants: Vec<TheaterId>,
}

/// What the handlers of a part have to do with other theaters, in one round.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Joins {
    /// How many messages they have joined to actors there.
    pub(crate) sent: Vec<(TheaterId, u32)>,
    /// How many that were joined elsewhere they have handled.
    pub(crate) handled: u32,
}

/// Why a part has failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Why {
    /// The handler of the actor with this number.
    Handler {
        actor: u64,
        why: String,
    },
    Stopped,
    Exclusive,
    Deadline,
    /// Anything else: it cannot go on there.
    Unreachable,
}

impl Why {
    pub(crate) fn of(error: &CoordinationError) -> Self {
        match error {
            CoordinationError::Failed { participant, why } => Self::Handler {
                actor: odeon_core::extend::number_of(*participant),
                why: why.to_string(),
            },
            CoordinationError::Stopped => Self::Stopped,
            CoordinationError::Exclusive => Self::Exclusive,
            CoordinationError::Deadline => Self::Deadline,
            _ => Self::Unreachable,
        }
    }
}

/// See [`Tell::Then`].
pub(crate) struct Then(pub(crate) AgentStep);

type AgentStep = Box<dyn FnOnce(&mut Agent, &mut Context<'_, Agent>) + Send>;

impl Tell {
    /// A step that an agent takes in a turn of its own.
    pub(crate) fn then(
        step: impl FnOnce(&mut Agent, &mut Context<'_, Agent>) + Send + 'static,
    ) -> Self {
        Self::Then(Then(Box::new(step)))
    }
}
