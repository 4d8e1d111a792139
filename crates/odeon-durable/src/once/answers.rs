//! What was answered to requests with an id.

use odeon_macros::Durable;
use odeon_speculative::TxResult;
use odeon_stm::{Rollback, TMap, TVar, Tx};
use serde::{Deserialize, Serialize};
use std::error::Error;
use std::fmt;

/// Which request of which client it is. A client numbers its requests one by one, and gives a
/// request that it repeats its number again.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct RequestId {
    /// The client: a number that no other one has, a random one say.
    pub client: u128,
    /// Its request.
    pub number: u64,
}

/// The request is so old that nothing is known of it any more: it may have been handled or not, and
/// is not handled now.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Forgotten;

impl fmt::Display for Forgotten {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the request is too old: whether it was handled is not known any more")
    }
}

impl Error for Forgotten {}

/// What was answered to requests with an id: a field of a durable state, by which each request is
/// handled once, however often it comes, and is answered the same each time, also after a crash.
///
/// Of each client it keeps the answers of a *window* of numbers: request `n` takes the place of
/// request `n - window`. So a client has at most `window` requests unanswered at a time. Requests
/// of other clients, or with other numbers, do not conflict.
///
/// ```
/// use odeon_core::{Message, Reply, Theater};
/// use odeon_durable::{Answers, Forgotten, RequestId, SpawnDurable, Store};
/// use odeon_macros::Durable;
/// use odeon_speculative::{Processing, SpeculativeActor, SpeculativeContext, TxResult};
/// use odeon_stm::{TVar, Tx};
///
/// #[derive(Durable)]
/// # #[durable(crate = odeon_durable)]
/// struct Account {
///     #[durable(1)]
///     balance: TVar<u64>,
///     #[durable(2)]
///     answers: Answers<u64>,
/// }
///
/// struct Deposit(RequestId, u64, Reply<Result<u64, Forgotten>>);
/// impl Message for Deposit {}
///
/// impl SpeculativeActor for Account {
///     type Msg = Deposit;
///     fn handle<'t>(
///         &'t self,
///         Deposit(id, amount, done): &'t Deposit,
///         tx: &mut Tx<'t>,
///         ctx: &mut SpeculativeContext<'_, Self>,
///     ) -> TxResult {
///         let balance = self.answers.once(tx, *id, |tx| {
///             let balance = self.balance.get(tx)? + amount;
///             self.balance.set(tx, balance)?;
///             Ok(balance)
///         })?;
///         ctx.reply(done, balance);
///         Ok(())
///     }
/// }
///
/// # let folder = std::env::temp_dir().join(format!("odeon-answers-{}", std::process::id()));
/// let (theater, store) = (Theater::new()?, Store::open(&folder)?);
/// let account = Account { balance: TVar::new(0), answers: Answers::new(16) };
/// let account = theater.spawn_durable(&store, "account", account, Processing::default())?;
/// let deposit = |number, amount| {
///     let id = RequestId { client: 7, number };
///     account.ask(move |done| Deposit(id, amount, done)).wait()
/// };
/// assert_eq!(deposit(1, 5)?, Ok(5));
/// assert_eq!(deposit(2, 5)?, Ok(10));
/// assert_eq!(deposit(1, 5)?, Ok(5)); // the answer was lost, say
/// assert_eq!(deposit(17, 5)?, Ok(15));
/// assert_eq!(deposit(1, 5)?, Err(Forgotten));
/// # theater.shutdown(std::time::Duration::from_secs(10));
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # A request that is refused
///
/// A no is an answer as well: `T` may be a `Result`. Where the closure has written something before
/// it knows, [`Tx::undo`] undoes that, and the no is kept; effects that it has asked for remain.
/// [`SpeculativeContext::reject`](odeon_speculative::SpeculativeContext::reject), called after
/// [`once`](Self::once), undoes the answer too: the same request is handled anew when it comes
/// again, which is as well, for nothing has come of it.
#[derive(Durable)]
#[durable(crate = crate)]
pub struct Answers<T: Send + Sync + 'static> {
    /// Of the log, since answers lie where it says; 0: nothing was answered.
    #[durable(1)]
    window: TVar<u64>,
    /// By client, and number modulo the window: the number, and its answer.
    #[durable(2)]
    given: TMap<(u128, u64), (u64, T)>,
    /// The window of a log that begins.
    #[durable(skip)]
    first_window: u64,
}

impl<T: Send + Sync + 'static> Answers<T> {
    /// Nothing was answered yet. A state that has answered goes on with the window that it had.
    ///
    /// # Panics
    /// If the window is 0.
    #[track_caller]
    pub fn new(window: u64) -> Self {
        assert!(window > 0, "a client has at least one request unanswered");
        Self { window: TVar::new(0), given: TMap::new(), first_window: window }
    }

    /// Answers what `handle` answers, which is called if the request comes for the first time. The
    /// answer is kept by the commit that has what `handle` writes.
    ///
    /// The inner error is for the one who asks; the handler has nothing to undo.
    ///
    /// # Errors
    /// As `handle`, with which the request counts as not handled. [`Rollback`] if the attempt
    /// cannot go on.
    pub fn once<'t>(
        &'t self,
        tx: &mut Tx<'t>,
        request: RequestId,
        handle: impl FnOnce(&mut Tx<'t>) -> TxResult<T>,
    ) -> TxResult<Result<T, Forgotten>>
    where
        T: Clone,
    {
        let RequestId { client, number } = request;
        let window = match self.window.get(tx)? {
            0 => self.first_window,
            window => window,
        };
        let place = (client, number % window);
        match self.given.get(tx, &place)? {
            Some((there, answer)) if *there == number => return Ok(Ok(answer.clone())),
            Some((there, _)) if *there > number => return Ok(Err(Forgotten)),
            _ => {}
        }
        let answer = handle(tx)?;
        if self.window.get(tx)? == 0 {
            self.window.set(tx, window)?;
        }
        self.given.put(tx, place, (number, answer.clone()))?;
        Ok(Ok(answer))
    }

    /// Forgets a client that is gone. What it has asked would be handled again.
    ///
    /// # Errors
    /// [`Rollback`] if the attempt cannot go on.
    pub fn forget<'t>(&'t self, tx: &mut Tx<'t>, client: u128) -> Result<(), Rollback> {
        for place in 0..self.window.get(tx)? {
            self.given.remove(tx, &(client, place))?;
        }
        Ok(())
    }
}

impl<T: Send + Sync + 'static> fmt::Debug for Answers<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Answers").field("window", &self.first_window).finish_non_exhaustive()
    }
}
