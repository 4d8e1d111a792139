//! One actor whose messages run on all cores: transfers between accounts of one bank, with an audit beside them.

use odeon::prelude::*;
use odeon::speculative::fail;

#[derive(Message)]
enum ToBank {
    Transfer {
        from: usize,
        to: usize,
        amount: u64,
    },
    #[access(snapshot)]
    Total(Reply<u64>),
}

struct Bank {
    accounts: Vec<TVar<u64>>,
}

impl SpeculativeActor for Bank {
    type Msg = ToBank;

    fn handle<'t>(
        &'t self,
        msg: &'t ToBank,
        tx: &mut Tx<'t, '_>,
        ctx: &mut SpeculativeContext<'_, Self>,
    ) -> TxResult {
        match msg {
            ToBank::Transfer { from, to, amount } => {
                // Also this is undone if the source is not covered.
                self.accounts[*to].update(tx, |balance| balance + amount)?;
                let left = self.accounts[*from].get(tx)?.checked_sub(*amount);
                let Some(left) = left else { return fail("not covered") };
                self.accounts[*from].set(tx, left)?;
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
                    bank.send(ToBank::Transfer { from, to, amount: 3 }).expect("the bank lives");
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
