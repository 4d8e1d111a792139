//! `bank`: the source of each transfer waits for its destination before it takes the next.

use std::sync::Arc;
use std::time::Instant;

use kameo::prelude::*;

use super::{prepare, start, start_prepared, stop};
use crate::bank_transfers::{INITIAL_BALANCE, Transfers, check_conserved};
use crate::end_signal::EndSignal;
use crate::host::Host;
use crate::params::Bank;
use crate::peer::Sample;

struct Start;
struct Done;

#[derive(Actor)]
struct Teller {
    accounts: Arc<[ActorRef<Account>]>,
    transfers: Transfers,
    missing: usize,
    end: EndSignal<()>,
}

impl Message<Start> for Teller {
    type Reply = ();

    async fn handle(&mut self, _: Start, _: &mut Context<Self, Self::Reply>) {
        for transfer in &mut self.transfers {
            let source = &self.accounts[transfer.source];
            let transfer = Transfer { destination: transfer.destination, amount: transfer.amount };
            source.tell(transfer).send().await.expect("every account lives");
        }
    }
}

impl Message<Done> for Teller {
    type Reply = ();

    async fn handle(&mut self, _: Done, _: &mut Context<Self, Self::Reply>) {
        self.missing -= 1;
        if self.missing == 0 {
            self.end.send(());
        }
    }
}

struct Transfer {
    destination: usize,
    amount: i64,
}
struct Credit {
    amount: i64,
}
struct Balance;

#[derive(Actor)]
struct Account {
    balance: i64,
    accounts: Arc<[ActorRef<Account>]>,
    teller: ActorRef<Teller>,
}

impl Message<Transfer> for Account {
    type Reply = ();

    async fn handle(&mut self, transfer: Transfer, _: &mut Context<Self, Self::Reply>) {
        let Transfer { destination, amount } = transfer;
        self.balance -= amount;
        let asked = self.accounts[destination].ask(Credit { amount }).send().await;
        asked.expect("every account answers");
        self.teller.tell(Done).send().await.expect("the teller lives");
    }
}

impl Message<Credit> for Account {
    type Reply = ();

    async fn handle(&mut self, Credit { amount }: Credit, _: &mut Context<Self, Self::Reply>) {
        self.balance += amount;
    }
}

impl Message<Balance> for Account {
    type Reply = i64;

    async fn handle(&mut self, _: Balance, _: &mut Context<Self, Self::Reply>) -> i64 {
        self.balance
    }
}

pub fn run(host: &Host, params: &Bank) -> Result<Sample, String> {
    let (end, ending) = host.end_signal();
    let (teller, accounts) = host.block_on(async {
        let prepared = Vec::from_iter((0..params.accounts).map(|_| prepare::<Account>()));
        let accounts: Arc<[_]> = prepared.iter().map(|one| one.actor_ref().clone()).collect();
        let teller_actor = Teller {
            accounts: Arc::clone(&accounts),
            transfers: Transfers::new(params),
            missing: params.transfers,
            end,
        };
        let teller = start(teller_actor).await;
        for one in prepared {
            let accounts = Arc::clone(&accounts);
            let account = Account { balance: INITIAL_BALANCE, accounts, teller: teller.clone() };
            start_prepared(one, account).await;
        }
        (teller, accounts)
    });

    let started = Instant::now();
    teller.tell(Start).blocking_send().expect("the teller lives");
    ending.wait()?;
    let elapsed = started.elapsed();

    let balances = host.block_on(async {
        let mut balances = Vec::new();
        for account in accounts.iter() {
            balances.push(account.ask(Balance).send().await.expect("every account answers"));
        }
        stop(&accounts).await;
        stop(&[teller]).await;
        balances
    });
    check_conserved(&balances)?;
    let ops = params.transfers as u64;
    Ok(Sample { ops, elapsed })
}
