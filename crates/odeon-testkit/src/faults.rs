//! Panics on purpose, at chosen or random messages.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, Mutex};

use odeon_core::extend::{AsyncBehavior, Behavior, lend, lend_async};
use odeon_core::{AsyncContext, Context, Random};

use crate::silent_panic;

/// What an injected panic says.
pub const INJECTED: &str = "an injected failure";

/// At which messages an actor fails: counted over all its lives, since a clone goes into each.
///
/// The actor is wrapped, and panics before it handles the message (or
/// [afterwards](Self::after_handling)). The rest is its supervision's business (S15); without any
/// it ends as failed (S5). The message counts as handled (S4). An actor with bounds (S18) goes
/// around it, `Bounded::new(faults.plain(actor))`.
///
/// ```
/// # use odeon_core::*;
/// # use odeon_testkit::{Deterministic, Faults};
/// struct Counter(u32);
/// enum Count { Up, Read(Reply<u32>) }
/// # impl Message for Count {}
/// impl Actor for Counter {
///     type Msg = Count;
///     fn handle(&mut self, msg: Count, _: &mut Context<'_, Self>) {
///         match msg { Count::Up => self.0 += 1, Count::Read(reply) => reply.send(self.0) }
///     }
/// }
///
/// let run = Deterministic::new(42);
/// let faults = Faults::at([3]);
/// let wrap = faults.clone();
/// let counter =
///     run.theater().actor().supervised(Supervision::new()).spawn(move || wrap.plain(Counter(0)));
/// (0..5).for_each(|_| counter.send(Count::Up).unwrap());
/// let count = counter.ask(Count::Read);
/// run.run_until_idle();
/// assert_eq!(count.wait(), Ok(2), "the first two were forgotten, the third was lost");
/// assert_eq!((faults.messages(), faults.injected()), (6, 1));
/// ```
#[derive(Clone)]
pub struct Faults {
    plan: Arc<Mutex<FaultPlan>>,
    after_handling: bool,
}

struct FaultPlan {
    positions: Positions,
    messages: u64,
    injected: u64,
}

enum Positions {
    Chosen(BTreeSet<u64>),
    Random { random: Random, one_in: usize },
}

impl Faults {
    /// Fails at the messages with these numbers, the first being number 1.
    pub fn at(messages: impl IntoIterator<Item = u64>) -> Self {
        Self::new(Positions::Chosen(messages.into_iter().collect()))
    }

    /// Fails at about one of so many messages; which ones follows from the seed and from nothing
    /// else.
    ///
    /// # Panics
    /// If `one_in` is zero.
    #[track_caller]
    pub fn one_in(one_in: usize, seed: u64) -> Self {
        assert!(one_in > 0, "one in zero messages");
        Self::new(Positions::Random { random: Random::from_seed(seed), one_in })
    }

    /// Fails at none, but counts them.
    pub fn none() -> Self {
        Self::at([])
    }

    fn new(positions: Positions) -> Self {
        let plan = FaultPlan { positions, messages: 0, injected: 0 };
        Self { plan: Arc::new(Mutex::new(plan)), after_handling: false }
    }

    /// The panics come when the message has been handled and its effects have happened; of an
    /// asynchronous actor, when its handler has returned.
    #[must_use]
    pub fn after_handling(mut self) -> Self {
        self.after_handling = true;
        self
    }

    /// An actor that fails as planned here. Bounds go around it:
    /// `Bounded::new(faults.plain(actor))`; the other way round is refused when the program is
    /// compiled.
    pub fn plain<A: Behavior>(&self, actor: A) -> Faulty<A> {
        const {
            assert!(
                !A::BOUNDED,
                "bounds go around injected failures: Bounded::new(faults.plain(actor))"
            )
        };
        Faulty { actor, faults: self.clone() }
    }

    /// As [`plain`](Self::plain), for an asynchronous actor:
    /// `Bounded::new_async(faults.waiting(actor))`.
    pub fn waiting<A: AsyncBehavior>(&self, actor: A) -> AsyncFaulty<A> {
        const {
            assert!(
                !A::BOUNDED,
                "bounds go around injected failures: Bounded::new_async(faults.waiting(actor))"
            )
        };
        AsyncFaulty { actor, faults: self.clone() }
    }

    /// How many messages the actor has begun to handle so far.
    pub fn messages(&self) -> u64 {
        self.plan.lock().expect("no panic happens under the plan's lock").messages
    }

    /// How many panics were injected so far.
    pub fn injected(&self) -> u64 {
        self.plan.lock().expect("as above").injected
    }

    /// Counts a message; whether the actor is to fail at it.
    fn next(&self) -> bool {
        let mut plan = self.plan.lock().expect("as above");
        plan.messages += 1;
        let number = plan.messages;
        let fails = match &mut plan.positions {
            Positions::Chosen(numbers) => numbers.contains(&number),
            Positions::Random { random, one_in } => random.below(*one_in) == 0,
        };
        plan.injected += u64::from(fails);
        fails
    }
}

impl fmt::Debug for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Faults({} in {} messages)", self.injected(), self.messages())
    }
}

/// An actor with injected failures; made by [`Faults::plain`].
#[derive(Debug)]
pub struct Faulty<A> {
    actor: A,
    faults: Faults,
}

impl<A: Behavior> Behavior for Faulty<A> {
    type Msg = A::Msg;
    type Inner = A;

    fn inner(&self) -> Option<&A> {
        Some(&self.actor)
    }

    fn inner_mut(&mut self) -> Option<&mut A> {
        Some(&mut self.actor)
    }

    fn handle(&mut self, msg: A::Msg, ctx: &mut Context<'_, Self>) {
        let fails = self.faults.next();
        if fails && !self.faults.after_handling {
            silent_panic(INJECTED);
        }
        lend(ctx, |ctx| self.actor.handle(msg, ctx));
        if fails {
            silent_panic(INJECTED);
        }
    }
}

/// An asynchronous actor with injected failures; made by [`Faults::waiting`].
#[derive(Debug)]
pub struct AsyncFaulty<A> {
    actor: A,
    faults: Faults,
}

impl<A: AsyncBehavior> AsyncBehavior for AsyncFaulty<A> {
    type Msg = A::Msg;
    type Inner = A;

    fn inner(&self) -> Option<&A> {
        Some(&self.actor)
    }

    fn inner_mut(&mut self) -> Option<&mut A> {
        Some(&mut self.actor)
    }

    async fn started(&mut self, ctx: &mut AsyncContext<'_, Self>) {
        self.actor.started(lend_async(ctx)).await;
    }

    async fn handle(&mut self, msg: A::Msg, ctx: &mut AsyncContext<'_, Self>) {
        let fails = self.faults.next();
        if fails && !self.faults.after_handling {
            silent_panic(INJECTED);
        }
        self.actor.handle(msg, lend_async(ctx)).await;
        if fails {
            silent_panic(INJECTED);
        }
    }
}
