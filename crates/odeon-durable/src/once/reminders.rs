//! Timers that survive.

use odeon_macros::Durable;
use odeon_speculative::{SpeculativeActor, SpeculativeContext, TxResult, fail};
use odeon_stm::{Rollback, TMap, TVar, Tx, View};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::hash::Hash;
use std::time::{Duration, SystemTime};

/// Why nothing can be armed.
const NOT_RESUMED: &str = "`Reminders::resume` is to be called in `started`: what was armed in an \
                           earlier life of the actor would not fire";

/// What an actor is to be reminded of, each under a key: timers that survive, as a field of a
/// durable state.
///
/// A reminder fires once: at its time, or when the actor begins if that has passed meanwhile. The
/// actor gets a message, for its message type implements `From<ReminderDue<K>>`, and
/// [`due`](Self::due) has what it was reminded of, for one message and no more.
///
/// Times are those of the machine's clock ([`SystemTime`]); how long to wait is seen when a
/// reminder is armed, and when the actor begins.
///
/// ```
/// use odeon_core::{Message, Reply, Theater};
/// use odeon_durable::{ReminderDue, Reminders, SpawnDurable, Store};
/// use odeon_macros::Durable;
/// use odeon_speculative::{Processing, SpeculativeActor, SpeculativeContext, TxResult};
/// use odeon_stm::{TVar, Tx};
/// use std::time::Duration;
///
/// #[derive(Durable, Default)]
/// # #[durable(crate = odeon_durable)]
/// struct Account {
///     #[durable(1)]
///     balance: TVar<u64>,
///     #[durable(2)]
///     standing_orders: Reminders<u32, u64>,
/// }
///
/// enum ToAccount {
///     /// Some days later, say.
///     DepositLater(u64),
///     Due(ReminderDue<u32>),
///     Balance(Reply<u64>),
/// }
///
/// impl Message for ToAccount {}
///
/// impl From<ReminderDue<u32>> for ToAccount {
///     fn from(due: ReminderDue<u32>) -> Self {
///         Self::Due(due)
///     }
/// }
///
/// impl SpeculativeActor for Account {
///     type Msg = ToAccount;
///     fn started<'t>(
///         &'t self,
///         tx: &mut Tx<'t>,
///         ctx: &mut SpeculativeContext<'_, Self>,
///     ) -> TxResult {
///         self.standing_orders.resume(tx, ctx)
///     }
///
///     fn handle<'t>(
///         &'t self,
///         message: &'t ToAccount,
///         tx: &mut Tx<'t>,
///         ctx: &mut SpeculativeContext<'_, Self>,
///     ) -> TxResult {
///         match message {
///             ToAccount::DepositLater(amount) => {
///                 let after = Duration::from_millis(10);
///                 self.standing_orders.arm_after(tx, ctx, 1, after, *amount)?;
///             }
///             ToAccount::Due(due) => {
///                 if let Some(amount) = self.standing_orders.due(tx, due)? {
///                     self.balance.update(tx, |balance| balance + amount)?;
///                 }
///             }
///             ToAccount::Balance(reply) => ctx.reply(reply, self.balance.get(tx)?),
///         }
///         Ok(())
///     }
/// }
///
/// # let folder = std::env::temp_dir().join(format!("odeon-reminders-{}", std::process::id()));
/// let (theater, store) = (Theater::new()?, Store::open(&folder)?);
/// let account = Account::default();
/// let account = theater.spawn_durable(&store, "account", account, Processing::default())?;
/// account.send(ToAccount::DepositLater(5))?;
/// while account.ask(ToAccount::Balance).wait()? != 5 {
///     std::thread::yield_now();
/// }
/// # theater.shutdown(Duration::from_secs(10));
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// A pending reminder does not keep its actor alive. One that is cancelled, or replaced, leaves a
/// timer behind until its time: its message has nothing to say then.
#[derive(Durable)]
#[durable(crate = crate)]
pub struct Reminders<K, T>
where
    K: Send + Sync + 'static,
    T: Send + Sync + 'static,
{
    /// By key: when, and of what.
    #[durable(1)]
    armed: TMap<K, (u64, T)>,
    /// Whether those of earlier lives have timers.
    #[durable(skip)]
    is_resumed: TVar<bool>,
}

/// A reminder's time has come: a message to its own actor, for [`Reminders::due`].
#[derive(Clone, Debug, Serialize, Deserialize)]
#[must_use = "`Reminders::due` has what it reminds of"]
pub struct ReminderDue<K> {
    key: K,
    at: u64,
}

impl<K> ReminderDue<K> {
    /// The key under which it was armed.
    pub fn key(&self) -> &K {
        &self.key
    }
}

impl<K, T> Reminders<K, T>
where
    K: Hash + Eq + Clone + Send + Sync + 'static,
    T: Send + Sync + 'static,
{
    /// Nothing is armed.
    pub fn new() -> Self {
        Self { armed: TMap::new(), is_resumed: TVar::new(false) }
    }

    /// Has all that was armed in earlier lives of the actor fire when it is due, or at once. To be
    /// called in `started`.
    ///
    /// # Errors
    /// [`Rollback`] if the attempt cannot go on.
    pub fn resume<'t, A>(&'t self, tx: &mut Tx<'t>, ctx: &mut SpeculativeContext<'_, A>) -> TxResult
    where
        A: SpeculativeActor<Msg: From<ReminderDue<K>>>,
    {
        self.is_resumed.set(tx, true)?;
        for (key, (at, _)) in self.armed.entries(tx)? {
            begin_timer(ctx, key.clone(), *at);
        }
        Ok(())
    }

    /// Reminds of `value` at a time; instead of what there is under this key.
    ///
    /// # Errors
    /// If [`resume`](Self::resume) was not called. [`Rollback`] if the attempt cannot go on.
    pub fn arm<'t, A>(
        &'t self,
        tx: &mut Tx<'t>,
        ctx: &mut SpeculativeContext<'_, A>,
        key: K,
        at: SystemTime,
        value: T,
    ) -> TxResult
    where
        A: SpeculativeActor<Msg: From<ReminderDue<K>>>,
    {
        if !self.is_resumed.get(tx)? {
            return fail(NOT_RESUMED);
        }
        let at = nanos(at);
        begin_timer(ctx, key.clone(), at);
        self.armed.put(tx, key, (at, value))?;
        Ok(())
    }

    /// As [`arm`](Self::arm), at a time from now.
    ///
    /// # Errors
    /// As [`arm`](Self::arm).
    ///
    /// # Panics
    /// If [`SystemTime`] knows no such time.
    pub fn arm_after<'t, A>(
        &'t self,
        tx: &mut Tx<'t>,
        ctx: &mut SpeculativeContext<'_, A>,
        key: K,
        after: Duration,
        value: T,
    ) -> TxResult
    where
        A: SpeculativeActor<Msg: From<ReminderDue<K>>>,
    {
        self.arm(tx, ctx, key, SystemTime::now() + after, value)
    }

    /// Does not remind any more of what there is under this key, and answers it.
    ///
    /// # Errors
    /// [`Rollback`] if the attempt cannot go on.
    pub fn cancel<'t>(&'t self, tx: &mut Tx<'t>, key: &K) -> Result<Option<&'t T>, Rollback> {
        Ok(self.armed.remove(tx, key)?.map(|(_, value)| value))
    }

    /// Answers what it is time for; `None` if that was cancelled, replaced, or answered before.
    ///
    /// # Errors
    /// [`Rollback`] if the attempt cannot go on.
    pub fn due<'t>(
        &'t self,
        tx: &mut Tx<'t>,
        due: &ReminderDue<K>,
    ) -> Result<Option<&'t T>, Rollback> {
        match self.armed.get(tx, &due.key)? {
            Some((at, _)) if *at == due.at => self.cancel(tx, &due.key),
            _ => Ok(None),
        }
    }

    /// How many are armed.
    ///
    /// # Errors
    /// [`Rollback`] if the attempt cannot go on.
    pub fn len<'t, V: View<'t>>(&'t self, view: &mut V) -> Result<usize, Rollback> {
        self.armed.len(view)
    }

    /// Whether none is.
    ///
    /// # Errors
    /// [`Rollback`] if the attempt cannot go on.
    pub fn is_empty<'t, V: View<'t>>(&'t self, view: &mut V) -> Result<bool, Rollback> {
        self.armed.is_empty(view)
    }
}

/// Of what is replaced, or undone, it finds nothing: a reminder is known by its key and its time.
fn begin_timer<K, A>(ctx: &SpeculativeContext<'_, A>, key: K, at: u64)
where
    A: SpeculativeActor<Msg: From<ReminderDue<K>>>,
{
    let delay = at.saturating_sub(nanos(SystemTime::now()));
    ctx.send_after(Duration::from_nanos(delay), A::Msg::from(ReminderDue { key, at }));
}

/// Since 1970; up to 2554.
fn nanos(time: SystemTime) -> u64 {
    let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}

impl<K, T> Default for Reminders<K, T>
where
    K: Hash + Eq + Clone + Send + Sync + 'static,
    T: Send + Sync + 'static,
{
    fn default() -> Self {
        Self::new()
    }
}

impl<K, T> fmt::Debug for Reminders<K, T>
where
    K: Send + Sync + 'static,
    T: Send + Sync + 'static,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reminders").finish_non_exhaustive()
    }
}
