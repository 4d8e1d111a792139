//! State that many senders share, and the ways to share it: one actor, speculative or plain; several plain actors; or
//! a struct behind a lock. A workload that implements [`Shared`] gets all of them.

mod actors;
mod lasting;
mod speculative;
mod threads;
mod work;

use crate::error::BenchError;
use crate::parameter::{Parameter, Params};
use crate::samples::Measured;
use odeon_speculative::{Access, TxResult};
use odeon_stm::Tx;

pub(super) use actors::{ToState, enter};
pub(super) use lasting::Runs;
pub(super) use speculative::{processing, spawn};
pub(super) use work::Work;

/// Actors of the mode `sharded`.
const SHARDS: usize = 16;

/// How the state is shared.
pub(super) const MODE: Parameter = Parameter::word(
    "mode",
    "how the state is shared: a speculative actor (adaptive, concurrent, sequential), a plain one, 16 plain ones, a lock",
    &["adaptive", "concurrent", "sequential", "plain", "sharded", "mutex", "rwlock"],
)
.outside_floor();

/// How long it goes on, if not once.
pub(super) const SECONDS: Parameter = Parameter::number(
    "seconds",
    "repeat the run for so long and look at the memory; 0 for once",
    0,
    1_000_000,
    0,
)
.outside_floor();

/// The computing of each message.
pub(super) const HANDLER_NS: Parameter =
    Parameter::number("handler_ns", "computing of each message, in ns", 0, 1_000_000, 2000);

/// Who sends.
pub(super) const SENDERS: Parameter =
    Parameter::number("senders", "actors or threads that send", 1, 10_000, 16);

/// What is sent to the state.
pub(super) trait Deed: Copy + Send + Sync + 'static {
    /// Whether it changes nothing.
    fn is_read(&self) -> bool;
}

/// The state as a plain struct.
pub(super) trait Plain<D, O>: Send + Sync + 'static {
    /// Does it, or only looks.
    fn apply(&mut self, deed: D);
    /// Does one that only looks.
    fn look(&self, deed: D);
    /// What is there at the end.
    fn outcome(&self) -> O;
}

/// The state in transactional variables.
pub(super) trait Speculative<D, O>: Send + Sync + 'static {
    fn apply<'t>(&'t self, deed: D, tx: &mut Tx<'t>) -> TxResult;
    fn outcome<'t>(&'t self, tx: &mut Tx<'t>) -> TxResult<O>;
}

/// Who does what to the state, and what must come out.
pub(super) trait Shared: Sync + 'static {
    type Deed: Deed;
    type Deeds: Iterator<Item = Self::Deed> + Clone + Send + 'static;
    type Plain: Plain<Self::Deed, Self::Outcome>;
    type Speculative: Speculative<Self::Deed, Self::Outcome>;
    type Outcome: Send + 'static;

    fn senders(&self) -> usize;
    /// Of one sender; the same each time.
    fn deeds_of(&self, sender: usize) -> Self::Deeds;
    /// Of all senders, each with as many.
    fn deeds(&self) -> u64;
    /// Sends the parts of a deed to the shards that they concern.
    fn parts(deed: Self::Deed, shards: usize, send: impl FnMut(usize, Self::Deed));
    fn plain(&self) -> Self::Plain;
    fn speculative(&self) -> Self::Speculative;
    /// Whether the state, or its shards, are right after so many runs of each sender.
    fn check(&self, outcomes: Vec<Self::Outcome>, runs: &[u64]) -> Result<(), BenchError>;
}

/// How a message uses the state.
fn access(deed: &impl Deed) -> Access {
    if deed.is_read() { Access::Snapshot } else { Access::Update }
}

/// One run in the mode that `params` names.
pub(super) fn run<S: Shared>(shared: &S, params: &Params) -> Result<Measured, BenchError> {
    match params.word("mode") {
        "plain" => actors::run_plain(shared, params, 1),
        "sharded" => actors::run_plain(shared, params, SHARDS),
        "mutex" => threads::with_mutex(shared, params),
        "rwlock" => threads::with_rwlock(shared, params),
        mode => speculative::run(shared, params, processing(mode)),
    }
}

/// One thread that does everything to the plain struct.
pub(super) fn floor<S: Shared>(shared: &S) -> Result<Measured, BenchError> {
    let mut state = shared.plain();
    let (measured, ()) = Measured::time(shared.deeds(), || {
        for sender in 0..shared.senders() {
            shared.deeds_of(sender).for_each(|deed| state.apply(deed));
        }
    });
    shared.check(vec![state.outcome()], &vec![1; shared.senders()]).map(|()| measured)
}

#[cfg(test)]
mod tests;
