//! Actors that handle a message only when the test says so, and the test says which.
//!
//! The words are those of CAF's test fixtures: expect, allow, disallow, bring forward.
//!
//! How the waiting messages are seen: the actor is wrapped in one that lays its messages out
//! instead of handling them, and is given turns until none is left. Then all are sent to it again
//! in that order. So the order is the one that guards and priorities give, made by the mailboxes
//! themselves, and between two calls every message is where it would be without the test.

mod shelf;

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use odeon_core::extend::{Spawnable, dead_letter};
use odeon_core::{ActorRef, Message, Supervision};

use crate::deterministic_scheduler::Deterministic;
use shelf::{OnShelf, Shelf};

/// More turns than this for one message are taken to be endless.
const ENDLESS_TURNS: usize = 1_000_000;

/// An actor in the hand of the test; made by [`Deterministic::spawn_stepped`]. As good as an
/// [`ActorRef`] where messages are sent.
///
/// It gets turns by the methods below alone: [`run_until_idle`](Deterministic::run_until_idle) and
/// its like leave it where it is. Its *next* message is the one that it would handle next by its
/// guards and priorities (S2, S3); messages of closed mailboxes are not seen here. An asynchronous
/// actor has no next message while its handler waits; one that was woken goes on first, whatever is
/// asked.
///
/// The methods look at what waits by having the actor started if need be, and by sending its
/// messages to it again: what a pipe came to is gone on with, and a request by others (a link's
/// failure, a sibling's restart) is heeded, before the messages that wait; and observers see more
/// turns.
///
/// ```
/// # use odeon_core::*;
/// # use odeon_testkit::Deterministic;
/// #[derive(Debug, PartialEq)]
/// enum Door { Open, Close }
/// impl Message for Door {}
///
/// /// Opens the door for a moment.
/// struct Porter { door: ActorRef<Door> }
/// impl Actor for Porter {
///     type Msg = &'static str;
///     fn handle(&mut self, _guest: &'static str, _: &mut Context<'_, Self>) {
///         self.door.send(Door::Open).unwrap();
///         self.door.send(Door::Close).unwrap();
///     }
/// }
/// # struct Leaf;
/// # impl Actor for Leaf { type Msg = Door; fn handle(&mut self, _: Door, _: &mut Context<'_, Self>) {} }
///
/// let run = Deterministic::new(42);
/// let door = run.spawn_stepped(Leaf);
/// let porter = run.spawn_stepped(Porter { door: door.actor_ref() });
/// porter.send("Ada").unwrap();
/// porter.send("Grace").unwrap();
///
/// door.expect_nothing();
/// porter.expect(|guest| *guest == "Ada");
/// door.disallow(|msg| *msg == Door::Close);
/// door.expect(|msg| *msg == Door::Open);
/// assert!(!door.allow(|msg| *msg == Door::Open), "Grace has not come yet");
/// assert!(door.allow(|msg| *msg == Door::Close));
/// assert_eq!(porter.waiting(), [r#""Grace""#]);
/// ```
pub struct Stepped<'r, M: Message> {
    run: &'r Deterministic,
    actor: ActorRef<M>,
    shelf: Arc<Shelf<M>>,
}

/// An actor that a test can step: everything that is [`Spawnable`], but those with bounds.
pub trait Steppable<Kind>: Spawnable<Kind> {
    /// One that lays its messages out.
    type OnShelf: Spawnable<Kind, Msg = Self::Msg>;

    /// Lays its messages out on this shelf when it is asked to.
    fn on_shelf(self, shelf: &Arc<Shelf<Self::Msg>>) -> Self::OnShelf;
}

impl<Kind, A: Spawnable<Kind>> Steppable<Kind> for A
where
    OnShelf<A, A::Msg>: Spawnable<Kind, Msg = A::Msg>,
{
    type OnShelf = OnShelf<A, A::Msg>;

    fn on_shelf(self, shelf: &Arc<Shelf<A::Msg>>) -> Self::OnShelf {
        OnShelf::new(self, shelf)
    }
}

impl Deterministic {
    /// Creates an actor that handles a message only when the test says so. One with bounds
    /// ([`Bounded`](odeon_core::Bounded)) is refused when the program is compiled: what waits is
    /// laid out, and would not count.
    pub fn spawn_stepped<Kind, A: Steppable<Kind>>(&self, actor: A) -> Stepped<'_, A::Msg> {
        self.step(|shelf| self.theater().spawn(actor.on_shelf(shelf)))
    }

    /// As [`spawn_stepped`](Self::spawn_stepped), supervised: what waits outlives a restart.
    ///
    /// # Panics
    /// If `make` does when it is called for the first time.
    pub fn spawn_stepped_supervised<Kind, A: Steppable<Kind>>(
        &self,
        supervision: Supervision,
        mut make: impl FnMut() -> A + Send + 'static,
    ) -> Stepped<'_, A::Msg> {
        self.step(|shelf| {
            let shelf = shelf.clone();
            let make = move || make().on_shelf(&shelf);
            self.theater().actor().supervised(supervision).spawn(make)
        })
    }

    fn step<M: Message>(
        &self,
        spawn: impl FnOnce(&Arc<Shelf<M>>) -> ActorRef<M>,
    ) -> Stepped<'_, M> {
        let shelf = Arc::new(Shelf::new());
        let actor = spawn(&shelf);
        self.stage().hold(actor.id());
        Stepped { run: self, actor, shelf }
    }
}

impl<M: Message> Stepped<'_, M> {
    /// A reference to pass on.
    pub fn actor_ref(&self) -> ActorRef<M> {
        self.actor.clone()
    }

    /// How many messages it has begun to handle, across restarts.
    pub fn handled(&self) -> u64 {
        self.shelf.begun()
    }

    /// Whether a handler of this asynchronous actor has begun and waits.
    pub fn is_handling(&self) -> bool {
        self.shelf.is_handling()
    }

    /// Lets a handler that was woken go on, as far as it gets, and the actor see that it was
    /// stopped. Begins no message.
    pub fn go_on(&self) {
        drop(self.lay_out());
    }

    /// From here on the actor handles its messages like any other, when the seed chooses it.
    pub fn release(self) -> ActorRef<M> {
        self.run.stage().release(self.actor.id());
        self.actor
    }

    /// All messages that wait in open mailboxes, the next first; the actor has nothing left to do
    /// but them.
    fn lay_out(&self) -> LaidOut<'_, M> {
        let laid_out = self.shelf.collect(|| self.turns_while(|| true));
        let (mailboxes, messages) = laid_out.into_iter().unzip();
        LaidOut { stepped: self, mailboxes, messages }
    }

    /// Gives all messages back to their mailboxes, in order.
    fn put_back(&self, messages: impl IntoIterator<Item = (usize, M)>) {
        for (mailbox, message) in messages {
            if let Err(returned) = self.actor.mailbox(mailbox).send(message) {
                dead_letter(&self.actor, returned.into_message());
            }
        }
    }

    /// Has one of `messages` handled before those in front of it, and gives the others back.
    fn handle(&self, mut laid_out: LaidOut<'_, M>, at: usize) {
        let mut messages = laid_out.take();
        messages[..=at].rotate_right(1);
        // Those of higher mailboxes would go first all the same.
        let mailbox = messages[0].0;
        let (withheld, ready): (Vec<_>, Vec<_>) =
            messages.into_iter().partition(|(other, _)| *other < mailbox);
        self.put_back(ready);
        let before = self.shelf.begun();
        self.turns_while(|| self.shelf.begun() == before);
        // A handler that wakes itself is let go on: until it returns nothing else can begin.
        self.turns_while(|| self.shelf.is_handling());
        self.put_back(withheld);
    }

    fn turns_while(&self, wanted: impl Fn() -> bool) {
        let turns = (0..ENDLESS_TURNS)
            .take_while(|_| wanted() && self.run.stage().step_actor(self.actor.id()))
            .count();
        assert!(turns < ENDLESS_TURNS, "{:?} is busy after {turns} turns", self.actor);
    }
}

impl<M: Message + fmt::Debug> Stepped<'_, M> {
    /// The next message matches, and is handled at once.
    ///
    /// # Panics
    /// If it does not match, or there is none; says what waits.
    #[track_caller]
    pub fn expect(&self, matches: impl FnOnce(&M) -> bool) {
        let messages = self.lay_out();
        if !messages.first().is_some_and(matches) {
            self.refuse("the next message is not the expected one", &messages);
        }
        self.handle(messages, 0);
    }

    /// If the next message matches it is handled at once; otherwise nothing happens. Returns which.
    #[must_use = "an `allow` whose outcome does not matter is written `let _ =`"]
    pub fn allow(&self, matches: impl FnOnce(&M) -> bool) -> bool {
        let messages = self.lay_out();
        let allowed = messages.first().is_some_and(matches);
        if allowed {
            self.handle(messages, 0);
        }
        allowed
    }

    /// The next message does not match, or there is none.
    ///
    /// # Panics
    /// If it matches; says what waits.
    #[track_caller]
    pub fn disallow(&self, matches: impl FnOnce(&M) -> bool) {
        let messages = self.lay_out();
        if messages.first().is_some_and(matches) {
            self.refuse("the next message is one that is not allowed", &messages);
        }
    }

    /// No message waits.
    ///
    /// # Panics
    /// If one does; says which.
    #[track_caller]
    pub fn expect_nothing(&self) {
        let messages = self.lay_out();
        if !messages.is_empty() {
            self.refuse("no message was expected", &messages);
        }
    }

    /// The first waiting message that matches is handled at once, before those that wait in front
    /// of it in other mailboxes: as if they had come later.
    ///
    /// ```
    /// # use odeon_core::*;
    /// # use odeon_testkit::Deterministic;
    /// #[derive(Debug)]
    /// enum Job { Urgent(u32), Ordinary(u32) }
    /// impl Message for Job {
    ///     const MAILBOXES: usize = 2;
    ///     fn mailbox(&self) -> usize { match self { Job::Urgent(_) => 0, Job::Ordinary(_) => 1 } }
    /// }
    /// # struct Worker;
    /// # impl Actor for Worker { type Msg = Job; fn handle(&mut self, _: Job, _: &mut Context<'_, Self>) {} }
    /// let run = Deterministic::new(42);
    /// let worker = run.spawn_stepped(Worker);
    /// worker.send(Job::Urgent(1)).unwrap();
    /// worker.send(Job::Ordinary(2)).unwrap();
    /// worker.bring_forward(|job| matches!(job, Job::Ordinary(_)));
    /// worker.expect(|job| matches!(job, Job::Urgent(1)));
    /// ```
    ///
    /// # Panics
    /// If no message matches, or one of the same mailbox waits in front of it: if they come from
    /// one sender no run has them in another order (S2).
    #[track_caller]
    pub fn bring_forward(&self, matches: impl FnMut(&M) -> bool) {
        let messages = self.lay_out();
        let at = self.position(&messages, matches);
        let mailbox = messages.mailboxes[at];
        if messages.mailboxes[..at].contains(&mailbox) {
            self.refuse(
                "a message of the same mailbox waits in front of the wanted one",
                &messages,
            );
        }
        self.handle(messages, at);
    }

    /// As [`bring_forward`](Self::bring_forward), also past messages of the same mailbox. That they
    /// come from other senders is for the test to know: between senders there is no order (S2).
    ///
    /// # Panics
    /// If no message matches.
    #[track_caller]
    pub fn bring_forward_past_other_senders(&self, matches: impl FnMut(&M) -> bool) {
        let messages = self.lay_out();
        let at = self.position(&messages, matches);
        self.handle(messages, at);
    }

    /// The waiting messages of open mailboxes as `{:?}` prints them, the next first.
    pub fn waiting(&self) -> Vec<String> {
        let messages = self.lay_out();
        messages.iter().map(|message| format!("{message:?}")).collect()
    }

    #[track_caller]
    fn position(&self, messages: &[M], matches: impl FnMut(&M) -> bool) -> usize {
        let at = messages.iter().position(matches);
        at.unwrap_or_else(|| self.refuse("no waiting message is the wanted one", messages))
    }

    #[track_caller]
    fn refuse(&self, what: &str, messages: &[M]) -> ! {
        let seed = self.run.seed();
        let state = match (self.actor.is_stopped(), self.shelf.is_handling()) {
            (true, _) => " (it has ended)",
            (false, true) => " (its handler waits)",
            (false, false) => "",
        };
        panic!("actor {}{state}: {what}; waiting: {messages:?}; seed {seed}", self.actor.id());
    }
}

/// A stepped actor's messages in the hand of the test; the actor gets them back, also from a check
/// that panics.
struct LaidOut<'s, M: Message> {
    stepped: &'s Stepped<'s, M>,
    /// Of the messages, one by one.
    mailboxes: Vec<usize>,
    messages: Vec<M>,
}

impl<M: Message> LaidOut<'_, M> {
    /// Takes all messages, each with its mailbox.
    fn take(&mut self) -> Vec<(usize, M)> {
        let mailboxes = std::mem::take(&mut self.mailboxes);
        mailboxes.into_iter().zip(std::mem::take(&mut self.messages)).collect()
    }
}

impl<M: Message> Deref for LaidOut<'_, M> {
    type Target = [M];
    fn deref(&self) -> &[M] {
        &self.messages
    }
}

impl<M: Message> Drop for LaidOut<'_, M> {
    fn drop(&mut self) {
        let messages = self.take();
        self.stepped.put_back(messages);
    }
}

impl<M: Message> Deref for Stepped<'_, M> {
    type Target = ActorRef<M>;
    fn deref(&self) -> &ActorRef<M> {
        &self.actor
    }
}

impl<M: Message> fmt::Debug for Stepped<'_, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Stepped({})", self.actor.id())
    }
}
