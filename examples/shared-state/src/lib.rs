//! State that many senders share, and the ways to share it: one actor, speculative or plain;
//! several plain actors; or a struct behind a lock. A state that implements [`SharedState`] gets
//! all of them.
//!
//! | what | file |
//! |---|---|
//! | entries into a ledger | `ledger.rs` |
//! | transfers between accounts | `accounts.rs` |
//! | a directory of sessions | `directory.rs` |
//! | the state as plain actors, and those who send | `actors.rs` |
//! | as a speculative actor | `speculative.rs` |
//! | behind a lock | `threads.rs` |
//! | a run once, or for some time | `lasting.rs` |
//! | what a handler computes beside | `work.rs` |

#![deny(unsafe_code)]

pub mod accounts;
mod actors;
pub mod directory;
mod lasting;
pub mod ledger;
mod speculative;
mod threads;
mod work;

use odeon::Message;
use odeon_example_run::{RunError, Timed};
use odeon_speculative::{Access, SpeculativeRef, TxResult};
use odeon_stm::Tx;
use std::time::Duration;

pub use actors::{StateRef, ToState, enter};
pub use lasting::Runs;
pub use speculative::{processing, spawn};
pub use work::Work;

/// Actors of the mode `sharded`.
const SHARDS: usize = 16;

/// The ways to share a state: a speculative actor (the first three), a plain one, 16 plain ones, a
/// lock.
pub const MODES: &[&str] =
    &["adaptive", "concurrent", "sequential", "plain", "sharded", "mutex", "rwlock"];

/// How a state is shared, and for how long.
#[derive(Debug, Clone, Copy)]
pub struct Sharing<'a> {
    /// One of [`MODES`].
    pub mode: &'a str,
    /// Worker threads of the theater, or threads without one.
    pub workers: usize,
    /// How long senders begin again; nothing for once.
    pub lasting: Duration,
}

/// Who looks at a run.
pub trait Looks: Send {
    /// A run begins with this speculative actor.
    fn begins<M: Message>(&mut self, actor: &SpeculativeRef<M>);

    /// So much time of a run that lasts has passed.
    fn passes(&mut self, elapsed: Duration);
}

/// What is sent to the state.
pub trait Deed: Copy + Send + Sync + 'static {
    /// Whether it changes nothing.
    fn is_read(&self) -> bool;
}

/// The state as a plain struct.
pub trait Plain<D, O>: Send + Sync + 'static {
    /// Does it, or only looks.
    fn apply(&mut self, deed: D);
    /// Does one that only looks.
    fn look(&self, deed: D);
    /// What is there at the end.
    fn outcome(&self) -> O;
}

/// The state in transactional variables.
pub trait Speculative<D, O>: Send + Sync + 'static {
    /// Does it, or only looks.
    ///
    /// # Errors
    /// Those of the transaction.
    fn apply<'t>(&'t self, deed: D, tx: &mut Tx<'t>) -> TxResult;
    /// What is there at the end.
    ///
    /// # Errors
    /// Those of the transaction.
    fn outcome<'t>(&'t self, tx: &mut Tx<'t>) -> TxResult<O>;
}

/// Who does what to the state, and what must come out.
pub trait SharedState: Sync + 'static {
    /// What is sent.
    type Deed: Deed;
    /// Those of one sender.
    type Deeds: Iterator<Item = Self::Deed> + Clone + Send + 'static;
    /// As a struct.
    type Plain: Plain<Self::Deed, Self::Outcome>;
    /// In variables.
    type Speculative: Speculative<Self::Deed, Self::Outcome>;
    /// What is there at the end.
    type Outcome: Send + 'static;

    /// How many send.
    fn senders(&self) -> usize;
    /// Of one sender; the same each time.
    fn deeds_of(&self, sender: usize) -> Self::Deeds;
    /// Of all senders, each with as many.
    fn deeds(&self) -> u64;
    /// Sends the parts of a deed to the shards that they concern.
    fn parts(deed: Self::Deed, shards: usize, send: impl FnMut(usize, Self::Deed));
    /// At first.
    fn plain(&self) -> Self::Plain;
    /// At first.
    fn speculative(&self) -> Self::Speculative;
    /// Whether the state, or its shards, are right after so many runs of each sender.
    ///
    /// # Errors
    /// If they are not, with what is wrong.
    fn check(&self, outcomes: Vec<Self::Outcome>, runs: &[u64]) -> Result<(), RunError>;
}

/// How a message uses the state.
fn access(deed: &impl Deed) -> Access {
    if deed.is_read() { Access::Snapshot } else { Access::Update }
}

/// One run, checked.
///
/// # Errors
/// If the state is not what it should be.
pub fn run<S: SharedState>(
    shared: &S,
    sharing: Sharing<'_>,
    looks: &mut impl Looks,
) -> Result<Timed, RunError> {
    match sharing.mode {
        "plain" => actors::run_plain(shared, sharing, 1, looks),
        "sharded" => actors::run_plain(shared, sharing, SHARDS, looks),
        "mutex" => threads::with_mutex(shared, sharing, looks),
        "rwlock" => threads::with_rwlock(shared, sharing, looks),
        mode => speculative::run(shared, sharing, processing(mode), looks),
    }
}

/// One thread that does everything to the plain struct.
///
/// # Errors
/// If the state is not what it should be.
pub fn floor<S: SharedState>(shared: &S) -> Result<Timed, RunError> {
    let mut state = shared.plain();
    let (timed, ()) = Timed::of(shared.deeds(), || {
        for sender in 0..shared.senders() {
            shared.deeds_of(sender).for_each(|deed| state.apply(deed));
        }
    });
    shared.check(vec![state.outcome()], &vec![1; shared.senders()]).map(|()| timed)
}
