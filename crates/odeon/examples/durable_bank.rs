//! A bank that survives: what it has answered is on the disk. With a folder as its argument the
//! program goes on with what is there; without one it has a folder of its own for two lives of the
//! bank.

use odeon::prelude::*;
use std::path::{Path, PathBuf};
use std::time::Duration;

#[derive(Message)]
enum ToBank {
    Transfer {
        from: usize,
        to: usize,
        amount: u64,
        done: Reply<Result<(), NotCovered>>,
    },
    #[access(snapshot)]
    Balances(Reply<Vec<u64>>),
}

/// Why a transfer was not made.
#[derive(Debug)]
struct NotCovered;

/// The numbers name the fields in the log, and never change.
#[derive(Transactional, Durable)]
struct Bank {
    #[durable(1)]
    accounts: Vec<TVar<u64>>,
    #[durable(2)]
    transfers: TCounter,
}

impl Bank {
    /// As it is before there is a log.
    fn new() -> Self {
        Self { accounts: (0..4).map(|_| TVar::new(10)).collect(), transfers: TCounter::new(0) }
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
                self.accounts[*to].update(tx, |balance| balance + amount)?;
                let left = self.accounts[*from].get(tx)?.checked_sub(*amount);
                let Some(left) = left else { return ctx.reject(tx, done, Err(NotCovered)) };
                self.accounts[*from].set(tx, left)?;
                self.transfers.add(tx, 1)?;
                ctx.reply(done, Ok(()));
            }
            ToBank::Balances(reply) => {
                let mut balances = Vec::new();
                for account in &self.accounts {
                    balances.push(account.get(tx)?);
                }
                ctx.reply(reply, balances);
            }
        }
        Ok(())
    }
}

/// One life of the bank: from `spawn_durable` to the end of its theater.
fn live(folder: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let theater = Theater::new()?;
    let store = Store::open(folder)?;
    let bank = theater.spawn_durable(&store, "bank", Bank::new(), Processing::default())?;
    println!("found {:?}", bank.ask(ToBank::Balances).wait()?);
    for (from, to, amount) in [(0, 1, 3), (1, 2, 1), (3, 0, 99)] {
        let answer = bank.ask(|done| ToBank::Transfer { from, to, amount, done }).wait()?;
        println!("{amount} from {from} to {to}: {answer:?}");
    }
    // The last commits are on the disk when this is over, also those that nobody has waited for.
    drop(theater.shutdown(Duration::from_secs(10)));
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    if let Some(folder) = std::env::args_os().nth(1) {
        return live(&PathBuf::from(folder));
    }
    let folder = std::env::temp_dir().join(format!("durable-bank-{}", std::process::id()));
    let lived = (0..2).try_for_each(|_| live(&folder));
    std::fs::remove_dir_all(&folder)?;
    lived
}
