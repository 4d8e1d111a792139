//! An actor whose mailboxes are bounded exactly: what a user writes. How it works:
//! `messaging/bounded.rs`.

use std::fmt;

use crate::messaging::bounded::{self, Bound};
use crate::turn::async_behavior::AsyncBehavior;
use crate::turn::async_context::AsyncContext;
use crate::turn::behavior::Behavior;
use crate::turn::context::Context;
use crate::vocabulary::mailboxes::MailboxName;
use crate::vocabulary::message::Message;

/// An actor whose mailboxes are bounded exactly: spawned in place of the actor itself, wherever an
/// [`Actor`](crate::Actor) or [`AsyncActor`](crate::AsyncActor) can be spawned. It goes around all
/// other actors that contain one.
///
/// A [`Bound`] counts the messages of one mailbox that wait, those deferred included, and not the
/// one that is being handled. Mailboxes without a bound stay as they are (S17). A speculative actor
/// has bounds by its `Processing`.
///
/// # Guarantees
/// Those of the actor inside, and S18. A restart keeps the messages that wait, and the bounds of
/// the first state: those of later ones are not looked at.
///
/// # Example
/// ```
/// use odeon_core::*;
///
/// struct Printer;
/// enum Job { Cancel, Page(String, Reply<usize>) }
/// impl Message for Job {
///     const MAILBOXES: usize = 2;
///     fn mailbox(&self) -> usize { match self { Job::Cancel => 0, Job::Page(..) => 1 } }
/// }
/// impl Actor for Printer {
///     type Msg = Job;
///     fn handle(&mut self, job: Job, _ctx: &mut Context<'_, Self>) {
///         if let Job::Page(text, reply) = job {
///             reply.send(text.len());
///         }
///     }
/// }
///
/// let theater = Theater::new()?;
/// let bounded = || Bounded::new(Printer).mailbox(0, Bound::drop_oldest(1)).mailbox(1, Bound::reject(100));
/// let printer = theater.actor().supervised(Supervision::new()).spawn(bounded);
///
/// assert_eq!(printer.ask(|reply| Job::Page("two".into(), reply)).wait(), Ok(3));
/// match printer.send(Job::Cancel) {
///     Ok(()) => {}
///     Err(SendError::Full(_job)) => unreachable!("this mailbox always takes the newest"),
///     Err(SendError::Stopped(_job)) => println!("the printer is gone"),
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Bounded<A> {
    actor: A,
    /// By mailbox.
    wanted: Vec<Option<Bound>>,
}

impl<A: Behavior> Bounded<A> {
    /// An actor with bounds, none at first. One inside another is refused when the program is
    /// compiled.
    pub fn new(actor: A) -> Self {
        const { assert!(!A::BOUNDED, "an actor that has bounds gets no others around them") };
        Self { actor, wanted: vec![None; A::Msg::MAILBOXES] }
    }
}

impl<A: AsyncBehavior> Bounded<A> {
    /// As [`new`](Self::new), for an asynchronous actor.
    ///
    /// ```
    /// # use odeon_core::*;
    /// # struct Fetcher;
    /// # impl AsyncActor for Fetcher {
    /// #     type Msg = Box<Reply<u32>>;
    /// #     async fn handle(&mut self, reply: Box<Reply<u32>>, _: &mut AsyncContext<'_, Self>) { reply.send(7) }
    /// # }
    /// # let theater = Theater::new()?;
    /// let fetcher = theater.spawn(Bounded::new_async(Fetcher).mailbox(0, Bound::wait(8)));
    /// assert_eq!(fetcher.ask(Box::new).wait(), Ok(7));
    /// # Ok::<(), BuildError>(())
    /// ```
    pub fn new_async(actor: A) -> Self {
        const { assert!(!A::BOUNDED, "an actor that has bounds gets no others around them") };
        Self { actor, wanted: vec![None; A::Msg::MAILBOXES] }
    }
}

impl<A> Bounded<A> {
    /// Bounds a mailbox; the last call for one counts.
    ///
    /// # Panics
    /// If the actor's messages have no such mailbox.
    #[must_use]
    #[track_caller]
    pub fn mailbox(mut self, mailbox: impl MailboxName, bound: Bound) -> Self {
        let mailbox = mailbox.number();
        let mailboxes = self.wanted.len();
        assert!(
            mailbox < mailboxes,
            "there is no mailbox {mailbox} to be bounded: the actor has {mailboxes} (numbered from 0)"
        );
        self.wanted[mailbox] = Some(bound);
        self
    }
}

impl<A: Behavior> Behavior for Bounded<A> {
    type Msg = A::Msg;
    type Inner = A;
    const BOUNDED: bool = true;
    const DEFERS: bool = A::DEFERS_ANYWHERE;
    const DEFERS_ANYWHERE: bool = A::DEFERS_ANYWHERE;

    fn inner(&self) -> Option<&A> {
        Some(&self.actor)
    }

    fn inner_mut(&mut self) -> Option<&mut A> {
        Some(&mut self.actor)
    }

    fn wanted_bounds(&self) -> Option<&[Option<Bound>]> {
        Some(&self.wanted)
    }

    fn started(&mut self, ctx: &mut Context<'_, Self>) {
        bounded::make_known(ctx.cell(), &self.wanted);
        ctx.lent_to(|ctx| self.actor.started(ctx));
    }

    #[inline]
    fn handle(&mut self, msg: A::Msg, ctx: &mut Context<'_, Self>) {
        if let Some(msg) = bounded::taken(ctx.cell(), ctx.mailbox(), msg) {
            ctx.lent_to(|ctx| self.actor.handle(msg, ctx));
        }
    }

    fn is_made(&self) -> bool {
        !Self::DEFERS || self.actor.is_made()
    }

    fn renew(&mut self, new: Self) {
        self.actor.renew(new.actor);
    }
}

impl<A: AsyncBehavior> AsyncBehavior for Bounded<A> {
    type Msg = A::Msg;
    type Inner = A;
    const BOUNDED: bool = true;

    fn inner(&self) -> Option<&A> {
        Some(&self.actor)
    }

    fn inner_mut(&mut self) -> Option<&mut A> {
        Some(&mut self.actor)
    }

    fn wanted_bounds(&self) -> Option<&[Option<Bound>]> {
        Some(&self.wanted)
    }

    async fn started(&mut self, ctx: &mut AsyncContext<'_, Self>) {
        bounded::make_known(ctx.cell(), &self.wanted);
        self.actor.started(ctx.lent_to()).await;
    }

    async fn handle(&mut self, msg: A::Msg, ctx: &mut AsyncContext<'_, Self>) {
        let Some(msg) = bounded::taken(ctx.cell(), ctx.mailbox(), msg) else { return };
        self.actor.handle(msg, ctx.lent_to()).await;
    }
}

impl<A> fmt::Debug for Bounded<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bounded").field("bounds", &self.wanted).finish_non_exhaustive()
    }
}
