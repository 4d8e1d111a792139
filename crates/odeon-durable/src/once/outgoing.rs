//! Messages to another actor, until it has confirmed them.

use super::delivery::{Delivery, News, OutgoingEvent};
use super::kept::is_kept;
use super::lanes::{Confirmed, LANES, Looked, OutgoingLane};
use odeon_core::extend::{let_happen, reply_to};
use odeon_core::{ActorRef, Message, Random};
use odeon_macros::Durable;
use odeon_speculative::{SpeculativeActor, SpeculativeContext, TxResult, fail};
use odeon_stm::{Rollback, TMap, TVar, Tx, View};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// How long it takes until an unconfirmed message is sent again, at least; at most twice that.
/// TUNE: guessed; some syncs of two slow disks.
const RESEND_AFTER: Duration = Duration::from_millis(100);

/// How many times as long the pauses get while the receiver confirms nothing.
/// TUNE: guessed; some seconds.
const LONGEST_PAUSE: u32 = 64;

/// Messages in the root of the map of those that wait.
/// TUNE: guessed; 64 KiB.
const WAITING: usize = 1_024;

/// Takes deliveries to their receiver.
type Carrier<T> = Arc<dyn Fn(Delivery<T>) + Send + Sync>;

/// Messages to another durable actor that arrive exactly once, whatever crashes when: a field of a
/// durable state.
///
/// [`send`](Self::send) puts a message into the state. When that is on the disk the message leaves,
/// and it stays in the state until the receiver has confirmed that what it has done is on its disk.
/// Until then it is sent again: after a pause, and by [`connect`](Self::connect) in the next life
/// of the sender. The receiver has an [`Incoming`](crate::Incoming), which knows what it has
/// handled.
///
/// Messages with the same *order key* are handled in the order in which they were sent. Others may
/// be as well: there are 64 lanes for all keys.
///
/// | who | has |
/// |---|---|
/// | the sender's state | this field |
/// | the sender's messages | `From<OutgoingEvent<T>>`, which is for [`hear`](Self::hear) |
/// | `started`, or a message | [`connect`](Self::connect) |
/// | the receiver's state | an [`Incoming`](crate::Incoming) |
/// | the receiver's messages | `From<Delivery<T>>`, which is for [`Incoming::receive`] |
///
/// [`Incoming::receive`]: crate::Incoming::receive
///
/// ```
/// use odeon_core::{ActorRef, Message, Reply, Theater};
/// use odeon_durable::{Delivery, Incoming, Outgoing, OutgoingEvent, SpawnDurable, Store};
/// use odeon_macros::Durable;
/// use odeon_speculative::{Processing, SpeculativeActor, SpeculativeContext, TxResult, fail};
/// use odeon_stm::{TVar, Tx};
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Clone, Serialize, Deserialize)]
/// struct Payment {
///     account: u64,
///     amount: u64,
/// }
///
/// #[derive(Durable)]
/// # #[durable(crate = odeon_durable)]
/// struct Bank {
///     #[durable(1)]
///     balance: TVar<u64>,
///     #[durable(2)]
///     payments: Outgoing<Payment>,
///     #[durable(3)]
///     incoming: Incoming,
/// }
///
/// enum ToBank {
///     Connect(ActorRef<ToBank>),
///     Pay(Payment, Reply<()>),
///     Balance(Reply<u64>),
///     Paid(Delivery<Payment>),
///     Heard(OutgoingEvent<Payment>),
/// }
///
/// impl Message for ToBank {}
///
/// impl From<Delivery<Payment>> for ToBank {
///     fn from(delivery: Delivery<Payment>) -> Self {
///         Self::Paid(delivery)
///     }
/// }
///
/// impl From<OutgoingEvent<Payment>> for ToBank {
///     fn from(event: OutgoingEvent<Payment>) -> Self {
///         Self::Heard(event)
///     }
/// }
///
/// impl SpeculativeActor for Bank {
///     type Msg = ToBank;
///     fn handle<'t>(
///         &'t self,
///         message: &'t ToBank,
///         tx: &mut Tx<'t>,
///         ctx: &mut SpeculativeContext<'_, Self>,
///     ) -> TxResult {
///         match message {
///             ToBank::Connect(other) => self.payments.connect(tx, ctx, other),
///             ToBank::Heard(event) => self.payments.hear(tx, ctx, event),
///             ToBank::Pay(payment, done) => {
///                 let Some(left) = self.balance.get(tx)?.checked_sub(payment.amount) else {
///                     return fail("it is not covered");
///                 };
///                 self.balance.set(tx, left)?;
///                 self.payments.send(tx, ctx, payment.account, payment.clone())?;
///                 ctx.reply(done, ());
///                 Ok(())
///             }
///             ToBank::Paid(delivery) => {
///                 if let Some(payment) = self.incoming.receive(tx, ctx, delivery)? {
///                     self.balance.update(tx, |balance| balance + payment.amount)?;
///                 }
///                 Ok(())
///             }
///             ToBank::Balance(reply) => {
///                 ctx.reply(reply, self.balance.get(tx)?);
///                 Ok(())
///             }
///         }
///     }
/// }
///
/// # let folder = std::env::temp_dir().join(format!("odeon-outgoing-{}", std::process::id()));
/// let (theater, store) = (Theater::new()?, Store::open(&folder)?);
/// let bank = |name| {
///     let state = Bank {
///         balance: TVar::new(10),
///         payments: Outgoing::new(),
///         incoming: Incoming::new(),
///     };
///     theater.spawn_durable(&store, name, state, Processing::default())
/// };
/// let (east, west) = (bank("east")?, bank("west")?);
/// east.send(ToBank::Connect(west.actor_ref()))?;
/// east.ask(|done| ToBank::Pay(Payment { account: 3, amount: 4 }, done)).wait()?;
/// while west.ask(ToBank::Balance).wait()? != 14 {
///     std::thread::yield_now();
/// }
/// assert_eq!(east.ask(ToBank::Balance).wait()?, 6);
/// # theater.shutdown(std::time::Duration::from_secs(10));
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Limits
///
/// One `Outgoing` has one receiver, whose log is always the same: what another one, or one whose
/// log begins anew, is sent is not the first, and is handled by none. For several receivers there
/// are several of them ([`at_place`](Self::at_place)). While it is connected it keeps its receiver
/// alive (S11).
///
/// A receiver with `Ordering::Unordered` may handle a message before the one that it comes behind,
/// and gets it again after a pause.
#[derive(Durable)]
#[durable(crate = crate)]
pub struct Outgoing<T: Send + Sync + 'static> {
    /// By which receivers know it; 0: nothing was sent yet.
    #[durable(1)]
    id: TVar<u128>,
    #[durable(2)]
    lanes: Vec<OutgoingLane>,
    /// By lane and number: what is not confirmed.
    #[durable(3)]
    waiting: TMap<(u32, u64), T>,
    /// The id of a log that begins.
    #[durable(skip)]
    first_id: u128,
    #[durable(skip)]
    place: u32,
    #[durable(skip)]
    resend_after: Duration,
    #[durable(skip)]
    receiver: TVar<Option<Carrier<T>>>,
    #[durable(skip)]
    timer: TVar<LookTimer>,
}

/// The timer by which the lanes are looked at. There is one while something is unconfirmed and the
/// receiver is known.
#[derive(Clone, Copy, Default)]
struct LookTimer {
    is_armed: bool,
    /// Those with other numbers are void.
    number: u64,
    delay: Duration,
}

impl<T: Send + Sync + 'static> Outgoing<T> {
    /// Nothing was sent yet.
    pub fn new() -> Self {
        Self::at_place(0)
    }

    /// One of several in the same state, with messages of the same type: each has a number, which
    /// its [events](OutgoingEvent::place) have.
    pub fn at_place(place: u32) -> Self {
        let [high, low] = [(); 2].map(|()| u128::from(Random::fresh_seed()));
        Self {
            id: TVar::new(0),
            lanes: (0..LANES).map(|_| OutgoingLane::default()).collect(),
            waiting: TMap::with_capacity(WAITING),
            first_id: ((high << 64) | low).max(1),
            place,
            resend_after: RESEND_AFTER,
            receiver: TVar::new(None),
            timer: TVar::new(LookTimer::default()),
        }
    }

    /// After which pause a message that was not confirmed is sent again, at least; 100 ms without
    /// this. While the receiver confirms nothing the pauses get up to 64 times as long.
    pub fn resend_after(self, pause: Duration) -> Self {
        Self { resend_after: pause, ..self }
    }

    /// How many messages are not confirmed. They may have been handled, or not.
    ///
    /// # Errors
    /// [`Rollback`] if the attempt cannot go on.
    pub fn unconfirmed<'t, V: View<'t>>(&'t self, view: &mut V) -> Result<usize, Rollback> {
        self.waiting.len(view)
    }

    /// Says where the receiver is in this life of the actor, and sends what it has not confirmed.
    /// To be called in `started`, or by a message; again whenever the receiver has come back as
    /// another actor.
    ///
    /// # Errors
    /// [`Rollback`] if the attempt cannot go on.
    pub fn connect<'t, A, M>(
        &'t self,
        tx: &mut Tx<'t>,
        ctx: &mut SpeculativeContext<'_, A>,
        receiver: &ActorRef<M>,
    ) -> TxResult
    where
        A: SpeculativeActor<Msg: From<OutgoingEvent<T>>>,
        M: Message + From<Delivery<T>>,
        T: Clone,
    {
        let receiver = receiver.clone();
        // Refused it is dropped, and answers that it was not taken.
        let carrier: Carrier<T> = Arc::new(move |delivery| drop(receiver.send(M::from(delivery))));
        self.receiver.set(tx, Some(carrier.clone()))?;
        let mut due = Vec::new();
        for (lane, of_lane) in (0..).zip(&self.lanes) {
            for number in of_lane.under_way(tx)? {
                self.add_waiting(tx, lane, number, &mut due)?;
            }
        }
        if due.is_empty() {
            return Ok(());
        }
        self.post(tx, ctx, &carrier, due)?;
        self.arm(tx, ctx, self.resend_after)
    }

    /// Sends a message: when this commit is on the disk, or once the receiver is known, and so
    /// often that it arrives once.
    ///
    /// # Errors
    /// [`Rollback`] if the attempt cannot go on.
    pub fn send<'t, A>(
        &'t self,
        tx: &mut Tx<'t>,
        ctx: &mut SpeculativeContext<'_, A>,
        order_key: u64,
        message: T,
    ) -> TxResult
    where
        A: SpeculativeActor<Msg: From<OutgoingEvent<T>>>,
        T: Clone,
    {
        let lane = (order_key % u64::from(LANES)) as u32;
        let (number, is_due) = self.lanes[lane as usize].next(tx)?;
        if let (true, Some(carrier)) = (is_due, self.receiver.read(tx)?) {
            self.post(tx, ctx, carrier, [(lane, number, message.clone())])?;
            if !self.timer.get(tx)?.is_armed {
                self.arm(tx, ctx, self.resend_after)?;
            }
        }
        self.waiting.put(tx, (lane, number), message)?;
        Ok(())
    }

    /// Takes what the actor is told of its messages: that they have arrived, or that it is time to
    /// send them again. To be called with all that comes as an [`OutgoingEvent`].
    ///
    /// # Errors
    /// If it is for another one. [`Rollback`] if the attempt cannot go on.
    pub fn hear<'t, A>(
        &'t self,
        tx: &mut Tx<'t>,
        ctx: &mut SpeculativeContext<'_, A>,
        event: &OutgoingEvent<T>,
    ) -> TxResult
    where
        A: SpeculativeActor<Msg: From<OutgoingEvent<T>>>,
        T: Clone,
    {
        if event.sender != self.id.get(tx)? {
            return fail("an event of another `Outgoing`: `place` says of which one it is");
        }
        match event.news {
            News::Handled { lane, up_to } => self.confirmed(tx, ctx, lane, up_to),
            News::Look { timer } => self.look(tx, ctx, timer),
            News::NotTaken => Ok(()),
        }
    }

    fn confirmed<'t, A>(
        &'t self,
        tx: &mut Tx<'t>,
        ctx: &mut SpeculativeContext<'_, A>,
        lane: u32,
        up_to: u64,
    ) -> TxResult
    where
        A: SpeculativeActor<Msg: From<OutgoingEvent<T>>>,
        T: Clone,
    {
        let Some(Confirmed { handled, due }) = self.lanes[lane as usize].confirm(tx, up_to)? else {
            return Ok(());
        };
        for number in handled {
            self.waiting.remove(tx, &(lane, number))?;
        }
        let mut messages = Vec::new();
        for number in due {
            self.add_waiting(tx, lane, number, &mut messages)?;
        }
        match self.receiver.read(tx)? {
            Some(carrier) if !messages.is_empty() => self.post(tx, ctx, carrier, messages),
            _ => Ok(()),
        }
    }

    /// Of each lane that stands still the first message is sent again.
    fn look<'t, A>(
        &'t self,
        tx: &mut Tx<'t>,
        ctx: &mut SpeculativeContext<'_, A>,
        number: u64,
    ) -> TxResult
    where
        A: SpeculativeActor<Msg: From<OutgoingEvent<T>>>,
        T: Clone,
    {
        let timer = self.timer.get(tx)?;
        if timer.number != number {
            return Ok(());
        }
        let mut has_moved = false;
        let mut lost = Vec::new();
        for (lane, of_lane) in (0..).zip(&self.lanes) {
            match of_lane.look(tx)? {
                Looked::Empty => {}
                Looked::Moves => has_moved = true,
                Looked::Stands(first) => {
                    of_lane.probe(tx)?;
                    self.add_waiting(tx, lane, first, &mut lost)?;
                }
            }
        }
        if !has_moved && lost.is_empty() {
            return Ok(self.timer.set(tx, LookTimer { is_armed: false, ..timer })?);
        }
        let delay = if has_moved {
            self.resend_after
        } else {
            timer.delay.saturating_mul(2).min(self.resend_after.saturating_mul(LONGEST_PAUSE))
        };
        if let (false, Some(carrier)) = (lost.is_empty(), self.receiver.read(tx)?) {
            self.post(tx, ctx, carrier, lost)?;
        }
        self.arm(tx, ctx, delay)
    }

    /// Adds a message that waits for its confirmation.
    fn add_waiting<'t>(
        &'t self,
        tx: &mut Tx<'t>,
        lane: u32,
        number: u64,
        to: &mut Vec<(u32, u64, T)>,
    ) -> Result<(), Rollback>
    where
        T: Clone,
    {
        let message = self.waiting.get(tx, &(lane, number))?;
        to.push((lane, number, message.expect("what is not confirmed is kept").clone()));
        Ok(())
    }

    /// Has messages of this state leave.
    fn post<'t, A>(
        &'t self,
        tx: &mut Tx<'t>,
        ctx: &mut SpeculativeContext<'_, A>,
        carrier: &Carrier<T>,
        messages: impl IntoIterator<Item = (u32, u64, T)> + Send + 'static,
    ) -> TxResult
    where
        A: SpeculativeActor<Msg: From<OutgoingEvent<T>>>,
    {
        let (place, sender, me) = (self.place, self.id(tx)?, ctx.actor_ref());
        let carrier = carrier.clone();
        let is_kept = is_kept(tx);
        let_happen(move || {
            if !is_kept() {
                return;
            }
            for (lane, number, message) in messages {
                let confirm = reply_to(me.clone(), move |up_to| {
                    let news = match up_to {
                        Ok(up_to) => News::Handled { lane, up_to },
                        Err(_) => News::NotTaken,
                    };
                    A::Msg::from(OutgoingEvent::new(place, sender, news))
                });
                carrier(Delivery { message, sender, lane, number, confirm });
            }
        });
        Ok(())
    }

    fn arm<'t, A>(
        &'t self,
        tx: &mut Tx<'t>,
        ctx: &mut SpeculativeContext<'_, A>,
        delay: Duration,
    ) -> TxResult
    where
        A: SpeculativeActor<Msg: From<OutgoingEvent<T>>>,
    {
        let number = self.timer.get(tx)?.number + 1;
        self.timer.set(tx, LookTimer { is_armed: true, number, delay })?;
        let news = News::Look { timer: number };
        ctx.send_after(delay, A::Msg::from(OutgoingEvent::new(self.place, self.id(tx)?, news)));
        Ok(())
    }

    /// The id, which is in the log with the first message.
    fn id<'t>(&'t self, tx: &mut Tx<'t>) -> Result<u128, Rollback> {
        let id = self.id.get(tx)?;
        if id != 0 {
            return Ok(id);
        }
        self.id.set(tx, self.first_id)?;
        Ok(self.first_id)
    }
}

impl<T: Send + Sync + 'static> Default for Outgoing<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Send + Sync + 'static> fmt::Debug for Outgoing<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Outgoing").field("place", &self.place).finish_non_exhaustive()
    }
}
