//! An actor with accounts.

use odeon::prelude::*;

#[derive(Message)]
pub(super) enum ToBank {
    /// One side of a transfer.
    Add { account: usize, amount: i64 },
    /// Outside the measured part: by how much all accounts have changed.
    Gained(Reply<i64>),
}

/// What each account has gained; none is ever refused.
pub(super) struct Bank(Vec<TVar<i64>>);

impl Bank {
    pub(super) fn new(accounts: usize) -> Self {
        Self((0..accounts).map(|_| TVar::new(0)).collect())
    }
}

impl SpeculativeActor for Bank {
    type Msg = ToBank;

    fn access(message: &ToBank) -> Access {
        match message {
            ToBank::Add { .. } => Access::Update,
            ToBank::Gained(_) => Access::Snapshot,
        }
    }

    fn handle<'t>(
        &'t self,
        message: &'t ToBank,
        tx: &mut Tx<'t>,
        ctx: &mut SpeculativeContext<'_, Self>,
    ) -> TxResult {
        match message {
            ToBank::Add { account, amount } => {
                let account = &self.0[*account];
                let gained = account.get(tx)?;
                account.set(tx, gained + amount)?;
            }
            ToBank::Gained(reply) => {
                let mut gained = 0;
                for account in &self.0 {
                    gained += account.get(tx)?;
                }
                ctx.reply(reply, gained);
            }
        }
        Ok(())
    }
}
