//! An actor that only receives, for the test to look at what it was sent.

use std::collections::VecDeque;
use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use odeon_core::{Actor, ActorRef, Context, Message};

use crate::deterministic_scheduler::Deterministic;

/// Stands in for an actor that others send to, and hands what it receives to the test; made by
/// [`Deterministic::probe`]. As good as an [`ActorRef`] where messages are sent.
///
/// ```
/// # use odeon_core::*;
/// # use odeon_testkit::Deterministic;
/// # use std::time::Duration;
/// /// Reminds somebody, twice.
/// struct Alarm { wake: ActorRef<&'static str> }
/// impl Actor for Alarm {
///     type Msg = ();
///     fn started(&mut self, ctx: &mut Context<'_, Self>) {
///         ctx.send_after(Duration::from_secs(60), ());
///     }
///     fn handle(&mut self, (): (), ctx: &mut Context<'_, Self>) {
///         self.wake.send("get up").unwrap();
///         self.wake.send_after(Duration::from_secs(5), "really");
///     }
/// }
///
/// let run = Deterministic::new(42);
/// let sleeper = run.probe();
/// let alarm = run.theater().spawn(Alarm { wake: sleeper.actor_ref() });
/// sleeper.expect_silence(Duration::from_secs(59));
/// assert_eq!(sleeper.next(Duration::from_secs(1)), "get up");
/// assert_eq!(sleeper.next(Duration::from_secs(10)), "really");
/// assert_eq!(sleeper.try_next(), None);
/// ```
pub struct Probe<'r, M: Message> {
    run: &'r Deterministic,
    actor: ActorRef<M>,
    received: Arc<Mutex<VecDeque<M>>>,
}

struct ProbeReceiver<M>(Arc<Mutex<VecDeque<M>>>);

impl<M: Message> Actor for ProbeReceiver<M> {
    type Msg = M;
    fn handle(&mut self, msg: M, _: &mut Context<'_, Self>) {
        self.0.lock().expect("no panic happens under the probe's lock").push_back(msg);
    }
}

impl Deterministic {
    /// A new actor that keeps what it is sent for the test.
    pub fn probe<M: Message>(&self) -> Probe<'_, M> {
        let received = Arc::default();
        let actor = self.theater().spawn(ProbeReceiver(Arc::clone(&received)));
        Probe { run: self, actor, received }
    }
}

impl<M: Message> Probe<'_, M> {
    /// A reference to pass on.
    pub fn actor_ref(&self) -> ActorRef<M> {
        self.actor.clone()
    }

    /// The next message if it has been received already. Runs nothing.
    pub fn try_next(&self) -> Option<M> {
        self.received.lock().expect("as in `ProbeReceiver`").pop_front()
    }

    /// The next message. Runs the theater until it has been received, and lets time pass for it, at
    /// most for `limit` of virtual time.
    ///
    /// # Panics
    /// If none comes in time.
    #[track_caller]
    pub fn next(&self, limit: Duration) -> M {
        let mut next = None;
        let came = self.run.run_until(limit, || {
            next = self.try_next();
            next.is_some()
        });
        assert!(came, "seed {}: no message within {limit:?}", self.run.seed());
        next.expect("just received")
    }

    /// Lets `time` pass, during which nothing is received.
    ///
    /// # Panics
    /// If something is, or was before.
    #[track_caller]
    pub fn expect_silence(&self, time: Duration)
    where
        M: fmt::Debug,
    {
        let heard =
            self.run.run_until(time, || !self.received.lock().expect("as above").is_empty());
        assert!(!heard, "seed {}: received {:?}", self.run.seed(), self.try_next());
    }
}

impl<M: Message> Deref for Probe<'_, M> {
    type Target = ActorRef<M>;
    fn deref(&self) -> &ActorRef<M> {
        &self.actor
    }
}

impl<M: Message> fmt::Debug for Probe<'_, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Probe({})", self.actor.id())
    }
}
