//! Two banks that pay each other, each with a log of its own. Their theater ends twice while
//! something is under way: each payment arrives once, and a request that is repeated is answered as
//! it was. With a folder as its argument the program goes on with what is there; without one it has
//! a folder of its own for three lives of the banks.

use odeon::durable::{Answers, Delivery, Forgotten, Incoming, Outgoing, OutgoingEvent, RequestId};
use odeon::prelude::*;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::time::Duration;

#[derive(Clone, Serialize, Deserialize)]
struct Payment {
    to: usize,
    amount: u64,
}

/// Why a payment was not made.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct NotCovered;

/// What is left on the account.
type Paid = Result<u64, NotCovered>;

#[derive(Message)]
enum ToBank {
    /// Where the other bank is, in this life.
    Connect(ActorRef<ToBank>),
    /// To an account of the other bank.
    Pay { id: RequestId, from: usize, payment: Payment, done: Reply<Result<Paid, Forgotten>> },
    /// From an account of the other bank.
    Arrived(Delivery<Payment>),
    /// What becomes of payments to the other bank.
    Heard(OutgoingEvent<Payment>),
    /// The balances, and how many payments are under way.
    #[access(snapshot)]
    Audit(Reply<(Vec<u64>, usize)>),
}

impl From<Delivery<Payment>> for ToBank {
    fn from(delivery: Delivery<Payment>) -> Self {
        Self::Arrived(delivery)
    }
}

impl From<OutgoingEvent<Payment>> for ToBank {
    fn from(event: OutgoingEvent<Payment>) -> Self {
        Self::Heard(event)
    }
}

#[derive(Transactional, Durable)]
struct Bank {
    #[durable(1)]
    accounts: Vec<TVar<u64>>,
    #[durable(2)]
    answers: Answers<Paid>,
    #[durable(3)]
    payments: Outgoing<Payment>,
    #[durable(4)]
    incoming: Incoming,
}

impl Bank {
    /// As it is before there is a log.
    fn new() -> Self {
        Self {
            accounts: (0..2).map(|_| TVar::new(10)).collect(),
            answers: Answers::new(16),
            payments: Outgoing::new(),
            incoming: Incoming::new(),
        }
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
            ToBank::Connect(other) => self.payments.connect(tx, ctx, other)?,
            ToBank::Heard(event) => self.payments.hear(tx, ctx, event)?,
            ToBank::Pay { id, from, payment, done } => {
                let paid = self.answers.once(tx, *id, |tx| {
                    let left = self.accounts[*from].get(tx)?.checked_sub(payment.amount);
                    let Some(left) = left else { return Ok(Err(NotCovered)) };
                    self.accounts[*from].set(tx, left)?;
                    self.payments.send(tx, ctx, payment.to as u64, payment.clone())?;
                    Ok(Ok(left))
                })?;
                ctx.reply(done, paid);
            }
            ToBank::Arrived(delivery) => {
                if let Some(Payment { to, amount }) = self.incoming.receive(tx, ctx, delivery)? {
                    self.accounts[*to].update(tx, |balance| balance + amount)?;
                }
            }
            ToBank::Audit(reply) => {
                let mut balances = Vec::new();
                for account in &self.accounts {
                    balances.push(account.get(tx)?);
                }
                ctx.reply(reply, (balances, self.payments.unconfirmed(tx)?));
            }
        }
        Ok(())
    }
}

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// Waits until all that it has paid has arrived.
fn wait_until_arrived(bank: &DurableRef<ToBank>) -> Outcome<()> {
    while bank.ask(ToBank::Audit).wait()?.1 > 0 {
        std::thread::sleep(Duration::from_millis(1));
    }
    Ok(())
}

/// One life of the banks. Who asks does not know whether it was heard before, and gives its
/// requests the same ids each time.
fn live(folder: &Path, are_connected: bool) -> Outcome<()> {
    let theater = Theater::new()?;
    let store = Store::open(folder)?;
    let open = |name| theater.spawn_durable(&store, name, Bank::new(), Processing::default());
    let (east, west) = (open("east")?, open("west")?);
    println!("they begin, {}", if are_connected { "and are connected" } else { "each alone" });
    if are_connected {
        for (bank, other) in [(&east, &west), (&west, &east)] {
            bank.send(ToBank::Connect(other.actor_ref()))?;
        }
    }
    for (number, name, bank, amount) in
        [(1, "east", &east, 7), (2, "east", &east, 9), (1, "west", &west, 2)]
    {
        let (id, payment) = (RequestId { client: 42, number }, Payment { to: 1, amount });
        let paid = bank.ask(|done| ToBank::Pay { id, from: 0, payment, done }).wait()?;
        println!("  {amount} from {name}: {:?}", paid?);
    }
    if are_connected {
        // Of both: what one has depends on what the other one has paid.
        wait_until_arrived(&east)?;
        wait_until_arrived(&west)?;
        for (name, bank) in [("east", &east), ("west", &west)] {
            println!("  {name} has {:?}", bank.ask(ToBank::Audit).wait()?.0);
        }
    }
    drop(theater.shutdown(Duration::from_secs(10)));
    Ok(())
}

fn main() -> Outcome<()> {
    if let Some(folder) = std::env::args_os().nth(1) {
        return live(&PathBuf::from(folder), true);
    }
    let folder = std::env::temp_dir().join(format!("durable-payments-{}", std::process::id()));
    let lived = [false, true, true].into_iter().try_for_each(|are| live(&folder, are));
    std::fs::remove_dir_all(&folder)?;
    lived
}
