//! Speculative actors that move from theater to theater.

mod guest;

use std::sync::Arc;

use odeon_core::ActorRef;
use odeon_speculative::{HillClimb, Processing, SpeculativeActor, TxResult, WidthPolicy};
use odeon_stm::Tx;
use odeon_theater::extend::{register_kind, spawn_guest};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::Coordination;
use guest::{Inside, KindOf};

/// A speculative actor that may move to other theaters (S34): created by
/// [`Coordination::spawn_mobile`], where it may come to [`Coordination::register_mobile`] is
/// called.
///
/// ```
/// use odeon_coordination::{Coordination, MobileSpeculative};
/// use odeon_core::{Message, Reply, Theater};
/// use odeon_speculative::*;
/// use odeon_stm::{TVar, Tx};
/// use odeon_theater::{InMemoryNetwork, LinkConfig, Migrate, Network, TheaterId};
/// use serde::{Deserialize, Serialize};
/// # use std::sync::{Arc, atomic::{AtomicBool, Ordering::Relaxed}};
/// # use std::time::{Duration, Instant};
///
/// #[derive(Serialize, Deserialize)]
/// enum Account { Deposit(u64), Balance(Reply<u64>) }
/// impl Message for Account {}
///
/// struct Hot { balance: TVar<u64> }
///
/// impl SpeculativeActor for Hot {
///     type Msg = Account;
///     fn handle<'t>(&'t self, msg: &'t Account, tx: &mut Tx<'t>, ctx: &mut SpeculativeContext<'_, Self>) -> TxResult {
///         match msg {
///             Account::Deposit(n) => self.balance.update(tx, |b| b + n)?,
///             Account::Balance(reply) => ctx.reply(reply, self.balance.get(tx)?),
///         }
///         Ok(())
///     }
/// }
///
/// impl MobileSpeculative for Hot {
///     const KIND: &'static str = "hot account";
///     type State = u64;
///     fn state<'t>(&'t self, tx: &mut Tx<'t>) -> TxResult<u64> {
///         Ok(self.balance.get(tx)?)
///     }
///     fn of(balance: u64) -> Self {
///         Self { balance: TVar::new(balance) }
///     }
/// }
/// # let net = InMemoryNetwork::new(1);
/// # let (clock, ends) = (net.clone(), Arc::new(AtomicBool::new(false)));
/// # let over = ends.clone();
/// # let begun = Instant::now();
/// # let driver = std::thread::spawn(move || while !over.load(Relaxed) {
/// #     clock.step(begun.elapsed());
/// #     std::thread::sleep(Duration::from_micros(200));
/// # });
/// # let join = |theater: &Theater, id: u128| Network::join(theater, TheaterId::from_bits(id), LinkConfig::new("shop", 65_000), |id, listener| {
/// #     Ok::<_, std::convert::Infallible>(Arc::new(net.join(id, listener)))
/// # });
///
/// // Two theaters, in two processes perhaps:
/// let (here, there) = (Theater::new()?, Theater::new()?);
/// let networks = [join(&here, 1)?, join(&there, 2)?];
/// let take_part = [Coordination::join(&here, &networks[0]), Coordination::join(&there, &networks[1])];
/// take_part[1].register_mobile::<Hot>();
///
/// let account = take_part[0].spawn_mobile(Hot { balance: TVar::new(1) }, Processing::concurrent().non_blocking());
/// account.send(Account::Deposit(2))?;
/// account.migrate(networks[1].id()).wait()??;
/// account.send(Account::Deposit(3))?;
/// assert_eq!(account.ask(Account::Balance).wait()?, 6);
/// # ends.store(true, Relaxed);
/// # driver.join().unwrap();
/// # drop(take_part);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no speculative actor that moves",
    note = "a speculative actor moves if it implements `MobileSpeculative`, and its messages serde's `Serialize` and `Deserialize`"
)]
pub trait MobileSpeculative: SpeculativeActor<Msg: Serialize + DeserializeOwned> {
    /// What actors of this type are called between theaters: the same in all programs that they
    /// move between.
    const KIND: &'static str;

    /// How the state is written: theaters that have another one refuse it.
    const VERSION: u32 = 0;

    /// The state as it travels.
    type State: Serialize + DeserializeOwned;

    /// The state, while nothing else is at it.
    ///
    /// # Errors
    /// As those of a handler: the actor stays where it is. So it does if this panics or asks to
    /// [`retry`](Tx::retry): a move waits for nothing.
    fn state<'t>(&'t self, tx: &mut Tx<'t>) -> TxResult<Self::State>;

    /// The actor with this state, in the theater where it has come.
    fn of(state: Self::State) -> Self;

    /// The policy of one that was created with a policy of its own ([`Processing::adaptive_with`]),
    /// where it has come.
    fn policy() -> Box<dyn WidthPolicy> {
        Box::new(HillClimb::new())
    }
}

impl Coordination {
    /// Creates a speculative actor that may move to other theaters, on the pool of this one. A
    /// message that fails vanishes, and the actor goes on with its last good state.
    ///
    /// # Panics
    /// If the theater has been dropped, or its messages have several mailboxes and are to be
    /// handled in the [order of arrival](odeon_speculative::Ordering::Mailbox).
    #[track_caller]
    pub fn spawn_mobile<A: MobileSpeculative>(
        &self,
        actor: A,
        processing: Processing,
    ) -> ActorRef<A::Msg> {
        let surroundings = self.surroundings().clone();
        spawn_guest(self.network(), Inside::new(actor, processing, surroundings))
    }

    /// Lets actors of this type come here.
    pub fn register_mobile<A: MobileSpeculative>(&self) {
        register_kind(self.network(), Arc::new(KindOf::<A>::new(self.surroundings().clone())));
    }
}
