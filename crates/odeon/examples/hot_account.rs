//! One actor whose messages run on all cores: transfers between accounts of one bank, with an audit
//! beside them. A transfer that is not covered is rejected: it leaves nothing, and who has asked
//! for it is told.

use odeon::prelude::*;

#[derive(Message)]
enum ToBank {
    Transfer {
        from: usize,
        to: usize,
        amount: u64,
        done: Reply<Result<(), NotCovered>>,
    },
    #[access(snapshot)]
    Total(Reply<u64>),
}

/// Why a transfer was not made.
struct NotCovered;

#[derive(Transactional)]
struct Bank {
    accounts: Vec<TVar<u64>>,
}

impl Bank {
    /// A part of a handler takes `'t` with it: the transaction borrows the variables for as long as
    /// it runs.
    fn pay_in<'t>(&'t self, tx: &mut Tx<'t>, account: usize, amount: u64) -> TxResult {
        Ok(self.accounts[account].update(tx, |balance| balance + amount)?)
    }
}

impl SpeculativeActor for Bank {
    type Msg = ToBank;

    fn handle<'t>(
        &'t self,
        msg: &'t ToBank,
        tx: &mut Tx<'t>,
        ctx: &mut SpeculativeContext<'_, Self>,
    ) -> TxResult {
        match msg {
            ToBank::Transfer { from, to, amount, done } => {
                self.pay_in(tx, *to, *amount)?;
                let left = self.accounts[*from].get(tx)?.checked_sub(*amount);
                // Undoes the payment as well.
                let Some(left) = left else { return ctx.reject(tx, done, Err(NotCovered)) };
                self.accounts[*from].set(tx, left)?;
                ctx.reply(done, Ok(()));
            }
            ToBank::Total(reply) => {
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

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let theater = Theater::new()?;
    let accounts = (0..100).map(|_| TVar::new(10)).collect();
    let bank = theater.spawn_speculative(Bank { accounts }, Processing::default());

    std::thread::scope(|scope| {
        for sender in 0..4 {
            let bank = bank.clone();
            scope.spawn(move || {
                for n in 0..1000 {
                    let (from, to) = ((sender * 7 + n) % 100, (sender + n * 3) % 100);
                    let transfer = |done| ToBank::Transfer { from, to, amount: 3, done };
                    let (Ok(()) | Err(NotCovered)) = bank.ask(transfer).wait().expect("it answers");
                    if n % 100 == 0 {
                        let total = bank.ask(ToBank::Total).wait().expect("the bank answers");
                        assert_eq!(total, 1000, "seen half of a transfer");
                    }
                }
            });
        }
    });
    println!("total {}", bank.ask(ToBank::Total).wait()?);
    Ok(())
}
