//! The ledger as one speculative actor.

use super::entries::Plan;
use super::plain::{ToLedger, drive};
use crate::error::BenchError;
use crate::parameter::Params;
use crate::samples::Measured;
use crate::theater::theater;
use odeon_speculative::{
    Access, Processing, SpawnSpeculative, SpeculativeActor, SpeculativeContext, TxResult,
};
use odeon_stm::{TVar, Tx};

/// Runs with the messages processed as `mode` says.
pub(super) fn run(plan: &Plan, params: &Params, mode: &str) -> Result<Measured, BenchError> {
    let theater = theater(params)?;
    let processing = match mode {
        "sequential" => Processing::sequential(),
        "concurrent" => Processing::concurrent(),
        _ => Processing::adaptive(),
    };
    let accounts = (0..plan.accounts()).map(|_| TVar::new(0)).collect();
    let ledger = theater.spawn_speculative(Speculative { accounts }, processing);
    drive(plan, &theater, &[ledger.actor_ref()])
}

struct Speculative {
    accounts: Vec<TVar<u64>>,
}

impl SpeculativeActor for Speculative {
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
                let account = &self.accounts[entry.account];
                let value = entry.compute(account.get(tx)?);
                if !entry.is_read {
                    account.set(tx, value)?;
                }
            }
            ToLedger::Done(reply) => ctx.reply(reply, ()),
            ToLedger::Total(reply) => {
                let mut total = 0;
                for account in &self.accounts {
                    total += account.get(tx)?;
                }
                ctx.reply(reply, total);
            }
        }
        Ok(())
    }
}
