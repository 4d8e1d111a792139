//! `bank`: the source of each transfer waits for its destination before it takes the next.

use std::sync::Arc;
use std::time::Instant;

use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};
use tokio::sync::oneshot;
use tokio::task::JoinSet;

use super::mailboxes;
use crate::bank_transfers::{INITIAL_BALANCE, Transfer, Transfers, check_conserved};
use crate::end_signal::EndSignal;
use crate::host::Host;
use crate::params::Bank;
use crate::peer::Sample;

enum TellerMessage {
    Start,
    Done,
}

struct Teller {
    mailbox: UnboundedReceiver<TellerMessage>,
    accounts: Arc<[UnboundedSender<AccountMessage>]>,
    transfers: Transfers,
    missing: usize,
    end: EndSignal<()>,
}

impl Teller {
    async fn run(mut self) {
        while let Some(message) = self.mailbox.recv().await {
            self.handle(message);
        }
    }

    fn handle(&mut self, message: TellerMessage) {
        match message {
            TellerMessage::Start => {
                for Transfer { source, destination, amount } in &mut self.transfers {
                    let transfer = AccountMessage::Transfer { destination, amount };
                    self.accounts[source].send(transfer).expect("every account lives");
                }
            }
            TellerMessage::Done => {
                self.missing -= 1;
                if self.missing == 0 {
                    self.end.send(());
                }
            }
        }
    }
}

enum AccountMessage {
    Transfer { destination: usize, amount: i64 },
    Credit { amount: i64, answer: oneshot::Sender<()> },
    Balance { answer: oneshot::Sender<i64> },
}

struct Account {
    balance: i64,
    mailbox: UnboundedReceiver<AccountMessage>,
    accounts: Arc<[UnboundedSender<AccountMessage>]>,
    teller: UnboundedSender<TellerMessage>,
}

impl Account {
    async fn run(mut self) {
        while let Some(message) = self.mailbox.recv().await {
            self.handle(message).await;
        }
    }

    async fn handle(&mut self, message: AccountMessage) {
        match message {
            AccountMessage::Transfer { destination, amount } => {
                self.balance -= amount;
                let account = &self.accounts[destination];
                ask(account, |answer| AccountMessage::Credit { amount, answer }).await;
                self.teller.send(TellerMessage::Done).expect("the teller lives");
            }
            AccountMessage::Credit { amount, answer } => {
                self.balance += amount;
                reply(answer, ());
            }
            AccountMessage::Balance { answer } => reply(answer, self.balance),
        }
    }
}

fn reply<T>(answer: oneshot::Sender<T>, value: T) {
    // Whoever no longer waits belongs to a sample that has been given up.
    let _ = answer.send(value);
}

async fn ask<T>(
    account: &UnboundedSender<AccountMessage>,
    message: impl FnOnce(oneshot::Sender<T>) -> AccountMessage,
) -> T {
    let (answer, answered) = oneshot::channel();
    account.send(message(answer)).expect("every account lives");
    answered.await.expect("every account answers")
}

pub fn run(host: &Host, params: &Bank) -> Result<Sample, String> {
    let (end, ending) = host.end_signal();
    let mut tasks = JoinSet::new();
    let (accounts, receivers) = mailboxes(params.accounts);
    let accounts: Arc<[_]> = accounts.into();
    let (teller, mailbox) = mpsc::unbounded_channel();
    let teller_actor = Teller {
        mailbox,
        accounts: Arc::clone(&accounts),
        transfers: Transfers::new(params),
        missing: params.transfers,
        end,
    };
    tasks.spawn_on(teller_actor.run(), host.handle());
    for mailbox in receivers {
        let account = Account {
            balance: INITIAL_BALANCE,
            mailbox,
            accounts: Arc::clone(&accounts),
            teller: teller.clone(),
        };
        tasks.spawn_on(account.run(), host.handle());
    }

    let started = Instant::now();
    teller.send(TellerMessage::Start).expect("the teller lives");
    ending.wait()?;
    let elapsed = started.elapsed();

    let balances = host.block_on(async {
        let mut balances = Vec::new();
        for account in accounts.iter() {
            balances.push(ask(account, |answer| AccountMessage::Balance { answer }).await);
        }
        balances
    });
    check_conserved(&balances)?;
    let ops = params.transfers as u64;
    Ok(Sample { ops, elapsed })
}
