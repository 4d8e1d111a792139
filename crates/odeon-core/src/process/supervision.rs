//! Supervision: what happens to an actor that fails.
//!
//! A supervised actor is made by a function instead of a value, so that it can be made anew. Its
//! mailboxes stay where they are meanwhile: a restart loses no message that waits. After
//! Erlang/OTP's supervisors (Armstrong: "Making reliable distributed systems in the presence of
//! software errors", 2003, chapter 5).
//!
//! | question | files |
//! |---|---|
//! | what a user decides | this one |
//! | counting restarts, waiting between them | `process/supervision/limits.rs` |
//! | parents, children, links | `process/supervision/family.rs` |
//! | how an actor is made anew | `turn/failing.rs` |

mod family;
mod limits;

use std::any::Any;
use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

pub(crate) use family::{
    Birth, dismiss_dependants, enter_child, enter_pipe, pass_up, restart_siblings,
};
pub(crate) use limits::Restarts;

use crate::vocabulary::actor_id::ActorId;
use crate::vocabulary::failure_text::{Erred, text_of};

/// What is done about a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Directive {
    /// The actor is made anew and goes on with the next message.
    Restart,
    /// The actor keeps its state and goes on with the next message. Only for actors whose state a
    /// panic cannot leave half-updated.
    Resume,
    /// The actor ends as failed.
    Stop,
    /// The actor ends as failed, and its parent fails with the same cause; without a parent the
    /// theater stops, and [`Theater::wait`](crate::Theater::wait) returns the cause.
    Escalate,
}

/// Something panicked in an actor.
#[derive(Debug)]
pub struct Failure<'a> {
    /// The actor.
    pub actor: ActorId,
    /// The panic's payload.
    pub panic: &'a (dyn Any + Send),
    /// How often it has been restarted within the time that the limit counts.
    pub restarts: u32,
}

impl Failure<'_> {
    /// What the panic said, if its payload is a text, or the error that the actor failed with.
    pub fn text(&self) -> Option<&str> {
        text_of(self.panic)
    }

    /// The error that the actor failed with, if it was one: actors whose handlers return errors
    /// (`odeon-device`) fail without a panic.
    pub fn error(&self) -> Option<&(dyn Error + Send + Sync + 'static)> {
        self.panic.downcast_ref::<Erred>().map(|erred| &*erred.error)
    }
}

type Decide = dyn Fn(&Failure<'_>) -> Directive + Send + Sync;

/// How an actor is supervised.
///
/// By default it is restarted, at most 5 times within 10 seconds, the first time at once and then
/// after 10 ms, 20 ms and so on up to 1 s; one failure more and it escalates to its parent, or ends
/// if it has none.
///
/// ```
/// # use odeon_core::*;
/// # use std::time::Duration;
/// struct Divider;
/// enum Divide { By(u32, Reply<u32>) }
/// impl Message for Divide {}
/// impl Actor for Divider {
///     type Msg = Divide;
///     fn handle(&mut self, Divide::By(n, reply): Divide, _: &mut Context<'_, Self>) {
///         reply.send(100 / n);
///     }
/// }
///
/// let theater = Theater::new()?;
/// let policy = Supervision::new().restarts(3, Duration::from_secs(1));
/// let divider = theater.actor().supervised(policy).spawn(|| Divider);
/// # std::panic::set_hook(Box::new(|_| {}));
/// let failed = AskError::Failed("attempt to divide by zero".into());
/// assert_eq!(divider.ask(|r| Divide::By(0, r)).wait(), Err(failed));
/// assert_eq!(divider.ask(|r| Divide::By(5, r)).wait(), Ok(20));
/// # Ok::<(), BuildError>(())
/// ```
#[derive(Clone)]
pub struct Supervision {
    decide: Arc<Decide>,
    limit: u32,
    within: Duration,
    shortest_pause: Duration,
    longest_pause: Duration,
    all_for_one: bool,
    /// Whether a function of the user's is told of each failure.
    is_told: bool,
}

impl Default for Supervision {
    fn default() -> Self {
        Self {
            decide: Arc::new(|_| Directive::Restart),
            limit: 5,
            within: Duration::from_secs(10),
            shortest_pause: Duration::from_millis(10),
            longest_pause: Duration::from_secs(1),
            all_for_one: false,
            is_told: false,
        }
    }
}

impl Supervision {
    /// The defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// Decides for each failure what is done about it. Runs on the thread of the actor that failed.
    /// A panic in it counts as [`Directive::Stop`]. Who decides is told, so the failure is not
    /// [printed](crate::TheaterBuilder::failures_printed).
    pub fn decide(
        mut self,
        decide: impl Fn(&Failure<'_>) -> Directive + Send + Sync + 'static,
    ) -> Self {
        self.decide = Arc::new(decide);
        self.is_told = true;
        self
    }

    /// The same for each failure.
    pub fn always(mut self, directive: Directive) -> Self {
        self.decide = Arc::new(move |_| directive);
        self.is_told = false;
        self
    }

    /// At most `limit` restarts within any time of length `within`; one more and the failure is
    /// escalated instead (to the parent; without one the actor ends). Default: 5 within 10 seconds.
    pub fn restarts(mut self, limit: u32, within: Duration) -> Self {
        self.limit = limit;
        self.within = within;
        self
    }

    /// The pause before the second restart within the limit's time; each further one is twice as
    /// long, up to `longest`. The first restart comes at once. Default: 10 ms up to 1 s; zero: no
    /// pauses.
    ///
    /// Messages wait meanwhile, and on a dedicated stage its thread. On a pinned stage there are no
    /// pauses: the thread would have to wait, or to defer the messages of one actor.
    pub fn pauses(mut self, shortest: Duration, longest: Duration) -> Self {
        self.shortest_pause = shortest;
        self.longest_pause = longest.max(shortest);
        self
    }

    /// When this actor is restarted, so are all other supervised children of its parent. Without a
    /// parent it has no effect.
    pub fn all_for_one(mut self) -> Self {
        self.all_for_one = true;
        self
    }
}

impl fmt::Debug for Supervision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Supervision")
            .field("limit", &self.limit)
            .field("within", &self.within)
            .field("all_for_one", &self.all_for_one)
            .finish_non_exhaustive()
    }
}

/// The supervised side of an actor: lies in its relations, used by its owner alone.
pub(crate) struct Supervised {
    policy: Supervision,
    restarts: Restarts,
    /// What ties it to its parent, if it has one.
    pub(crate) birth: Option<Birth>,
    /// `Box<dyn FnMut() -> A + Send>`, for the type of the actor.
    pub(crate) make: Box<dyn Any + Send>,
}

/// What is to be done, limits considered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SupervisionVerdict {
    Restart { pause: Duration, all: bool },
    Resume,
    Stop,
    Escalate,
}

impl Supervised {
    pub(crate) fn new(
        policy: Supervision,
        birth: Option<Birth>,
        make: Box<dyn Any + Send>,
    ) -> Self {
        Self { policy, restarts: Restarts::default(), birth, make }
    }

    /// Whether a function of the user's is told of each failure.
    pub(crate) fn is_told(&self) -> bool {
        self.policy.is_told
    }

    /// Decides about a failure of `actor` at `now`, and counts the restart if it comes to one.
    pub(crate) fn decide(
        &mut self,
        actor: ActorId,
        panic: &(dyn Any + Send),
        now: Duration,
    ) -> SupervisionVerdict {
        let policy = &self.policy;
        let restarts = self.restarts.within(now, policy.within);
        let failure = Failure { actor, panic, restarts };
        let decided = std::panic::AssertUnwindSafe(|| (policy.decide)(&failure));
        match std::panic::catch_unwind(decided) {
            Err(second) => {
                // The payload's destructor could panic as well.
                std::mem::forget(second);
                SupervisionVerdict::Stop
            }
            Ok(Directive::Resume) => SupervisionVerdict::Resume,
            Ok(Directive::Stop) => SupervisionVerdict::Stop,
            Ok(Directive::Escalate) => SupervisionVerdict::Escalate,
            Ok(Directive::Restart) if restarts < policy.limit => {
                let pause = limits::pause(restarts, policy.shortest_pause, policy.longest_pause);
                self.restarts.count(now);
                SupervisionVerdict::Restart { pause, all: policy.all_for_one }
            }
            Ok(Directive::Restart) if self.birth.is_some() => SupervisionVerdict::Escalate,
            Ok(Directive::Restart) => SupervisionVerdict::Stop,
        }
    }
}
