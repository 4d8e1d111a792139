//! What name servers tell each other.

use odeon_core::{ActorRef, Context, Message, Reply};
use serde::{Deserialize, Serialize};

use super::entry::{Entry, Id};
use super::error::NameError;
use super::server::Server;
use crate::TheaterId;

/// To a name server. New kinds are added before the last one.
#[derive(Serialize, Deserialize)]
pub(super) enum Tell {
    /// This server is there.
    Meet {
        from: TheaterId,
        server: ActorRef<Tell>,
        replicas: usize,
    },
    /// These names are yours too.
    Have(Vec<Entry>),
    /// That was all that this server has for the one that it has met.
    HandedOver {
        from: TheaterId,
    },
    Ask(Question),
    /// The first server of a name gives it away, if all its servers know that. `ranked` are those
    /// as the first one sees it.
    Store {
        entry: Entry,
        ranked: Vec<TheaterId>,
        is_new: bool,
        reply: Reply<Stored>,
    },
    /// Nobody has this name by this registration any more: not where it was at home after so many
    /// moves, or before.
    Forget {
        name: String,
        id: Id,
        moves: u64,
    },
    /// To the theater of the actor, or to be passed on to it: whether it still has the name by this
    /// registration.
    Holds {
        id: Id,
        home: TheaterId,
        reply: Reply<bool>,
    },
    /// To the theater of the actor: another registration goes before this one.
    Challenge {
        loser: Entry,
        winner: Entry,
    },
    /// To the theater of the actor: it is to be registered. For this theater.
    Register {
        actor: u64,
        name: String,
        by: TheaterId,
        reply: Reply<Result<Id, NameError>>,
    },
    /// To the theater of the actor: it is not to have a name by this registration. Answers whether
    /// it had.
    Release {
        id: Id,
        reply: Reply<bool>,
    },
    /// To the theater that has registered an actor of another one: it has lost the name to one of
    /// this theater.
    Lost {
        name: String,
        to: TheaterId,
    },
    /// To the theater to which the actor has moved: its registration is to be at home there, and by
    /// whom it was made. Answers whether it is.
    Adopt {
        entry: Entry,
        actor: u64,
        by: TheaterId,
        from: TheaterId,
        reply: Reply<bool>,
    },
    /// To a theater where the actor may sit: then its registration is to be at home there.
    Bring(Brought),
    /// A step of the server's own.
    #[serde(skip)]
    Then(Then),
}

impl Message for Tell {}

/// A question about a name to its first server.
#[derive(Serialize, Deserialize)]
pub(super) struct Question {
    pub(super) name: String,
    pub(super) wants: Wants,
    /// The servers of the name as the asker sees it.
    pub(super) ranked: Vec<TheaterId>,
    /// How many servers have passed it on.
    pub(super) hops: u8,
    pub(super) reply: Reply<Verdict>,
    /// A first server that knows nobody has passed it on to the second one; `ranked` are the
    /// servers as that sees them.
    pub(super) is_confirmed: bool,
}

/// A registration whose actor is looked for.
#[derive(Serialize, Deserialize)]
pub(super) struct Brought {
    /// As it is to be.
    pub(super) entry: Entry,
    /// Where the actor was created: it has one number there, and another one wherever it sits.
    pub(super) who: (u128, u64),
    pub(super) by: TheaterId,
    /// That is seen to there. Where the actor does not sit nobody answers.
    pub(super) reply: Reply<()>,
}

/// What is asked of the first server of a name.
#[derive(Clone, Serialize, Deserialize)]
pub(super) enum Wants {
    /// Who has the name. The asker has found that this registration leads nowhere.
    Find { doubted: Option<Id> },
    /// To give the name to this registration.
    Put(Entry),
    /// To take it from this one, where it was at home after so many moves.
    Remove { id: Id, moves: u64 },
}

/// What the first server of a name answers.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Verdict {
    Found(Entry),
    NotFound,
    /// This one has the name, and not the one that wanted it.
    Taken(Entry),
    /// It is so; of a registration, the stamp.
    Done(u64),
    /// It cannot be said now.
    Again,
}

/// What a server of a name answers to the first one.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Stored {
    Yes,
    /// It sees other servers.
    Disagrees,
    /// It knows another registration.
    Other(Entry),
}

/// See [`Tell::Then`].
pub(super) struct Then(pub(super) ServerStep);

type ServerStep = Box<dyn FnOnce(&mut Server, &mut Context<'_, Server>) + Send>;

impl Tell {
    /// Whether all homes that it tells of can still be counted.
    pub(super) fn is_credible(&self) -> bool {
        match self {
            Self::Have(entries) => entries.iter().all(Entry::is_credible),
            Self::Ask(Question { wants: Wants::Put(entry), .. })
            | Self::Store { entry, .. }
            | Self::Adopt { entry, .. }
            | Self::Bring(Brought { entry, .. }) => entry.is_credible(),
            Self::Challenge { loser, winner } => loser.is_credible() && winner.is_credible(),
            // Those of these are only compared.
            _ => true,
        }
    }

    /// A step that a server takes in a turn of its own.
    pub(super) fn then(
        step: impl FnOnce(&mut Server, &mut Context<'_, Server>) + Send + 'static,
    ) -> Self {
        Self::Then(Then(Box::new(step)))
    }
}
