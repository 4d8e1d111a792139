//! A device actor as an actor of the core: what waits for the next batch, and the session, which
//! may be made anew meanwhile.
//!
//! The core hands messages over one by one; they wait here, put aside, until the batch is full, its
//! window is over, or a message has come that is a batch by itself. On a thread of its own the
//! actor is asked to go on behind what has come (`resumes`) as often as it wants: that is how it
//! looks for messages during a window, and shortly after a batch. Elsewhere a timer wakes it.
//!
//! What is put aside outlives the session: a restart sheds the state and keeps the messages.

mod window;

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use odeon_core::extend::{self, Behavior, NoInner};
use odeon_core::{Clock, Context, Message, Timer};
use odeon_sync::contained::{Apart, drop_quietly};

use crate::batch::Batch;
use crate::batching::Batching;
use crate::device::Device;
use crate::device_actor::DeviceActor;
use crate::error::DeviceError;
use crate::failure::{DeviceFailure, Doing};
use crate::stats::{Called, DeviceStats, DeviceTally};

type MakeDeviceActor<A> =
    dyn Fn() -> Result<(A, <A as DeviceActor>::Device), DeviceError> + Send + Sync;

/// How a device actor comes to be, at first and for each restart, and what is counted of it. A
/// handle: its clones are the same.
///
/// For actors that are spawned otherwise than by [`SpawnOnDevice`](crate::SpawnOnDevice): on the
/// pool, where a handler that waits for its device holds up a worker; with a bound; in a test with
/// virtual time.
///
/// ```
/// # use odeon_core::{Message, Theater, Supervision, Bounded, Bound};
/// # use odeon_device::*;
/// # struct Counter;
/// # impl DeviceActor for Counter {
/// #     type Msg = u32;
/// #     type Device = HostDevice;
/// #     fn handle(&mut self, batch: &mut Batch<'_, u32>, _: &mut HostDevice, _: &mut DeviceContext<'_, Self>) -> Result<(), DeviceError> {
/// #         batch.finish(drop);
/// #         Ok(())
/// #     }
/// # }
/// # let theater = Theater::new()?;
/// let plan = DevicePlan::new(Batching::new(), || Ok((Counter, HostDevice::new(1 << 20))));
/// let make = { let plan = plan.clone(); move || Bounded::new(plan.actor()).mailbox(0, Bound::wait(100)) };
/// let counter = theater.actor().dedicated("counter").supervised(Supervision::new()).spawn(make)?;
/// counter.send(1)?;
/// # while plan.stats().messages == 0 { std::thread::yield_now() }
/// assert_eq!(plan.stats().batches, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct DevicePlan<A: DeviceActor> {
    batching: Batching,
    make: Arc<MakeDeviceActor<A>>,
    tally: Arc<DeviceTally>,
}

impl<A: DeviceActor> DevicePlan<A> {
    /// An actor that `make` makes together with its session, on the actor's own thread.
    pub fn new(
        batching: Batching,
        make: impl Fn() -> Result<(A, A::Device), DeviceError> + Send + Sync + 'static,
    ) -> Self {
        Self { batching, make: Arc::new(make), tally: Arc::default() }
    }

    /// The actor, as it can be spawned. It has no session until it starts.
    pub fn actor(&self) -> OnDevice<A> {
        const {
            assert!(
                A::Msg::MAILBOXES == 1,
                "a device actor has one mailbox: its batches are of one kind"
            )
        };
        OnDevice {
            plan: self.clone(),
            session: None,
            had_session: false,
            waiting: VecDeque::new(),
            under_way: 0,
            first_came: None,
            is_due: false,
            came: 0,
            clock: None,
            has_thread: false,
            is_direct: false,
            is_asked: false,
            awake_until: None,
            alarm: None,
        }
    }

    /// What the actors of this plan have done so far: one, if only one was spawned.
    pub fn stats(&self) -> DeviceStats {
        self.tally.stats()
    }

    pub(crate) fn tally(&self) -> Arc<DeviceTally> {
        self.tally.clone()
    }
}

impl<A: DeviceActor> Clone for DevicePlan<A> {
    fn clone(&self) -> Self {
        let (batching, make, tally) =
            (self.batching.clone(), self.make.clone(), self.tally.clone());
        Self { batching, make, tally }
    }
}

impl<A: DeviceActor> fmt::Debug for DevicePlan<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DevicePlan").field("batching", &self.batching).finish_non_exhaustive()
    }
}

/// A [`DeviceActor`] as an [`Actor`](odeon_core::Actor), to be spawned wherever one can be.
/// [`DevicePlan::actor`] makes it.
///
/// Inside another actor that does not know what to do with messages that are put aside (members of
/// a worker pool that counts loads, actors of `odeon-testkit` that are stepped or fail) each
/// message is a batch by itself, and one that fails counts as handled, as with any other actor.
pub struct OnDevice<A: DeviceActor> {
    plan: DevicePlan<A>,
    session: Option<DeviceSession<A>>,
    /// Whether there has been one.
    had_session: bool,
    /// Oldest first.
    waiting: VecDeque<A::Msg>,
    /// How many of these have been given to the handler, and not been taken.
    under_way: usize,
    /// When the first one came, if a window is open.
    first_came: Option<Duration>,
    /// The batch is not to wait for more.
    is_due: bool,
    /// Messages since the last look.
    came: usize,
    /// Known once it has a place; so are the next two.
    clock: Option<Arc<dyn Clock>>,
    has_thread: bool,
    /// Nobody asks it to go on.
    is_direct: bool,
    /// It will be asked to go on.
    is_asked: bool,
    awake_until: Option<Duration>,
    alarm: Option<Timer>,
}

/// The order is that in which they are dropped: buffers before the device. If both destructors
/// panic, since the device is lost, the first one counts.
struct DeviceSession<A: DeviceActor> {
    actor: Apart<A>,
    device: Apart<A::Device>,
}

impl<A: DeviceActor> OnDevice<A> {
    /// The actor and its session, for what goes on with a pipe. `None`: there is none at this
    /// moment.
    pub fn session(&mut self) -> Option<(&mut A, &mut A::Device)> {
        self.session.as_mut().map(|session| (&mut *session.actor, &mut *session.device))
    }

    fn open(&mut self, ctx: &mut Context<'_, Self>) -> Result<DeviceSession<A>, DeviceFailure> {
        let (actor, device) =
            (self.plan.make)().map_err(|error| self.failure(Doing::Opening, error))?;
        let mut session = DeviceSession { actor: Apart::new(actor), device: Apart::new(device) };
        let started = session.actor.started(&mut session.device, ctx);
        started.map_err(|error| self.failure(Doing::Starting, error))?;
        Ok(session)
    }

    fn failure(&self, doing: Doing, error: DeviceError) -> DeviceFailure {
        DeviceFailure::new(doing, error, self.had_session)
    }

    /// How many of those that wait make the next batch.
    fn next_batch(&self) -> usize {
        let most = self.waiting.len().min(self.plan.batching.most);
        let alone = self.waiting.iter().take(most).position(A::is_alone);
        alone.map_or(most, |position| position.max(1))
    }

    /// Gives the oldest messages to the handler. Those that it leaves when it fails stay where they
    /// are.
    fn handle_batch(&mut self, ctx: &mut Context<'_, Self>) {
        self.close_window();
        let (size, redone) = (self.next_batch(), self.under_way);
        let Self { session, waiting, under_way, clock, plan, .. } = self;
        let DeviceSession { actor, device } =
            session.as_mut().expect("an actor in its turn has a session");
        let clock = clock.as_deref().expect("known since the start");
        *under_way = size;
        // Whatever it comes to, what is left does not wait for more.
        self.is_due = true;
        let call =
            HandlerCall { tally: &plan.tally, clock, begun: clock.now(), size, redone, under_way };
        let mut batch = Batch::new(waiting, call.under_way);
        let outcome = actor.handle(&mut batch, device, ctx);
        let left = batch.len();
        let outcome = outcome.and_then(|()| {
            if left < size {
                return Ok(());
            }
            let what =
                format!("the handler has taken none of {size} messages, and says that all is well");
            Err(DeviceError::Invalid(what))
        });
        let now = call.over(outcome.is_err());
        if let Err(error) = outcome {
            extend::fail_with(self.failure(Doing::Handling { size, left }, error));
        }
        self.under_way = 0;
        self.is_due = !self.waiting.is_empty();
        self.stay_awake(now);
    }
}

/// A call of the handler. Dropped, it has panicked.
struct HandlerCall<'a> {
    tally: &'a DeviceTally,
    clock: &'a dyn Clock,
    begun: Duration,
    size: usize,
    /// How many of these were in a batch that has failed.
    redone: usize,
    /// How many are left.
    under_way: &'a mut usize,
}

impl HandlerCall<'_> {
    /// It has returned. Says what time it is.
    fn over(self, failed: bool) -> Duration {
        let now = self.note(failed);
        std::mem::forget(self);
        now
    }

    fn note(&self, failed: bool) -> Duration {
        let (size, taken) = (self.size, self.size - *self.under_way);
        let redone = self.redone.min(size);
        let now = self.clock.now();
        let time = now.saturating_sub(self.begun);
        self.tally.called(&Called { size, taken, redone, time, failed });
        now
    }
}

impl Drop for HandlerCall<'_> {
    fn drop(&mut self) {
        self.note(true);
    }
}

impl<A: DeviceActor> Behavior for OnDevice<A> {
    type Msg = A::Msg;
    type Inner = NoInner<A::Msg>;
    const DEFERS: bool = true;
    const DEFERS_ANYWHERE: bool = true;

    fn started(&mut self, ctx: &mut Context<'_, Self>) {
        self.settle_in(ctx);
        match self.open(ctx) {
            Ok(session) => {
                self.plan.tally.opened(session.device.memory());
                self.session = Some(session);
                self.had_session = true;
            }
            Err(failure) => {
                self.plan.tally.refused();
                extend::fail_with(failure);
            }
        }
    }

    fn handle(&mut self, message: A::Msg, ctx: &mut Context<'_, Self>) {
        let is_alone = A::is_alone(&message);
        if self.is_direct {
            // One that has failed counts as handled: nobody asks for it again, or gives it back.
            self.waiting.drain(..).for_each(drop_quietly);
            self.under_way = 0;
        }
        self.waiting.push_back(message);
        self.came += 1;
        self.is_due |= is_alone;
        if self.is_direct {
            while !self.waiting.is_empty() {
                self.handle_batch(ctx);
            }
        } else if is_alone || self.waiting.len() >= self.plan.batching.most {
            self.handle_batch(ctx);
        } else {
            self.open_window();
        }
    }

    fn stopped(&mut self) {
        if let Some(DeviceSession { actor, device }) = &mut self.session {
            actor.stopped(device);
        }
    }

    fn handle_deferred(&mut self, ctx: &mut Context<'_, Self>) -> bool {
        self.go_on(ctx)
    }

    fn resumes(&mut self) -> bool {
        let wants = !self.waiting.is_empty() || self.awake_until.is_some();
        let asks = wants && !self.is_asked;
        self.is_asked |= asks;
        asks
    }

    fn has_deferred(&self) -> bool {
        !self.waiting.is_empty()
    }

    fn deferred(&self) -> usize {
        self.waiting.len()
    }

    /// A batch that forms is no sign that the actor cannot keep up.
    fn pressing(&self) -> usize {
        0
    }

    fn is_made(&self) -> bool {
        self.session.is_some()
    }

    fn shed(&mut self) -> bool {
        self.close_window();
        self.awake_until = None;
        self.is_due = !self.waiting.is_empty();
        drop(self.session.take());
        true
    }

    fn renew(&mut self, new: Self) {
        self.plan = new.plan;
    }

    fn give_back(&mut self, take: &mut dyn FnMut(A::Msg)) {
        self.waiting.drain(..).for_each(take);
    }
}

impl<A: DeviceActor> fmt::Debug for OnDevice<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OnDevice")
            .field("batching", &self.plan.batching)
            .field("waiting", &self.waiting.len())
            .field("has_session", &self.session.is_some())
            .finish()
    }
}
