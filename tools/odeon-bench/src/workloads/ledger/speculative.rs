//! The ledger as one speculative actor.

use super::entries::Plan;
use super::plain::{ToLedger, drive};
use crate::error::BenchError;
use crate::parameter::Params;
use crate::samples::Measured;
use crate::theater::theater;
use crate::trace;
use odeon_speculative::{
    Access, Processing, SpawnSpeculative, SpeculativeActor, SpeculativeContext, TxResult,
};
use odeon_stm::{Labelled, TVar, Tx};

/// Runs with the messages processed as `mode` says.
pub(super) fn run(plan: &Plan, params: &Params, mode: &str) -> Result<Measured, BenchError> {
    let theater = theater(params)?;
    let processing = match mode {
        "sequential" => Processing::sequential(),
        "concurrent" => Processing::concurrent(),
        _ => Processing::adaptive(),
    };
    let accounts = 0..plan.accounts();
    let ledger = if trace::is_on() {
        let new = |account| Labelled::new(label(account), TVar::new(0));
        let accounts = accounts.map(new).collect();
        theater.spawn_speculative(Speculative { accounts }, processing)
    } else {
        let accounts = accounts.map(|_| TVar::new(0)).collect();
        theater.spawn_speculative(Speculative { accounts }, processing)
    };
    trace::watch(&ledger);
    drive(plan, &theater, &[ledger.actor_ref()])
}

/// What an account is called in a trace.
fn label(account: usize) -> &'static str {
    if account == 0 { "hot account" } else { "account of a sender" }
}

/// An account; with a name it costs more.
trait Account: Send + Sync + 'static {
    fn variable(&self) -> &TVar<u64>;
}

impl Account for TVar<u64> {
    #[inline(always)]
    fn variable(&self) -> &TVar<u64> {
        self
    }
}

impl Account for Labelled<TVar<u64>> {
    fn variable(&self) -> &TVar<u64> {
        self
    }
}

struct Speculative<V> {
    accounts: Vec<V>,
}

impl<V: Account> SpeculativeActor for Speculative<V> {
    type Msg = ToLedger;

    fn access(message: &ToLedger) -> Access {
        match message {
            ToLedger::Enter(entry) if entry.is_read => Access::Snapshot,
            ToLedger::Enter(_) | ToLedger::Done(_) => Access::Update,
            ToLedger::Total(_) => Access::Snapshot,
        }
    }

    fn handle<'t>(
        &'t self,
        message: &'t ToLedger,
        tx: &mut Tx<'t, '_>,
        ctx: &mut SpeculativeContext<'_, Self>,
    ) -> TxResult {
        match message {
            ToLedger::Enter(entry) => {
                let account = self.accounts[entry.account].variable();
                let value = entry.compute(account.get(tx)?);
                if !entry.is_read {
                    account.set(tx, value)?;
                }
            }
            ToLedger::Done(reply) => ctx.reply(reply, ()),
            ToLedger::Total(reply) => {
                let mut total = 0;
                for account in &self.accounts {
                    total += account.variable().get(tx)?;
                }
                ctx.reply(reply, total);
            }
        }
        Ok(())
    }
}
