//! The ledger that is changed and asked.

use odeon::{Message, Reply};
use odeon_example_shared_state::Speculative;
use odeon_example_shared_state::ledger::{Accounts, LedgerEntry};
use odeon_speculative::{Access, SpeculativeActor, SpeculativeContext, TxResult};
use odeon_stm::Tx;

pub(super) enum ToLedger {
    Enter(LedgerEntry),
    /// Behind everything that the asking sender has sent.
    Entered(Reply<()>),
    /// A question; who asks for an answer wants to know when to ask for more.
    Look(LedgerEntry, Option<Reply<()>>),
    Total(Reply<u64>),
}

impl Message for ToLedger {
    fn message_name(&self) -> &'static str {
        match self {
            Self::Enter(_) => "Enter",
            Self::Entered(_) => "Entered",
            Self::Look(..) => "Look",
            Self::Total(_) => "Total",
        }
    }
}

pub(super) struct Ledger(Accounts);

impl Ledger {
    pub(super) fn new(accounts: Accounts) -> Self {
        Self(accounts)
    }
}

impl SpeculativeActor for Ledger {
    type Msg = ToLedger;

    fn access(message: &ToLedger) -> Access {
        match message {
            ToLedger::Enter(_) | ToLedger::Entered(_) => Access::Update,
            ToLedger::Look(..) | ToLedger::Total(_) => Access::Snapshot,
        }
    }

    fn handle<'t>(
        &'t self,
        message: &'t ToLedger,
        tx: &mut Tx<'t>,
        ctx: &mut SpeculativeContext<'_, Self>,
    ) -> TxResult {
        match message {
            ToLedger::Enter(entry) => self.0.apply(*entry, tx)?,
            ToLedger::Entered(reply) => ctx.reply(reply, ()),
            ToLedger::Look(entry, answer) => {
                self.0.apply(*entry, tx)?;
                if let Some(reply) = answer {
                    ctx.reply(reply, ());
                }
            }
            ToLedger::Total(reply) => ctx.reply(reply, self.0.outcome(tx)?),
        }
        Ok(())
    }
}
