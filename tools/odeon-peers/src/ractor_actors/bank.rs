//! `bank`: the source of each transfer waits for its destination before it takes the next.

use std::sync::Arc;
use std::time::Instant;

use ractor::{Actor, ActorProcessingErr, ActorRef, RpcReplyPort};

use super::{start, stop};
use crate::bank_transfers::{INITIAL_BALANCE, Transfer, Transfers, check_conserved};
use crate::end_signal::EndSignal;
use crate::host::Host;
use crate::params::Bank;
use crate::peer::Sample;

type Accounts = Arc<[ActorRef<AccountMessage>]>;

enum TellerMessage {
    Start(Accounts),
    Done,
}

struct Teller;

struct TellerState {
    transfers: Transfers,
    missing: usize,
    end: EndSignal<()>,
}

impl Actor for Teller {
    type Msg = TellerMessage;
    type State = TellerState;
    type Arguments = TellerState;

    async fn pre_start(
        &self,
        _: ActorRef<Self::Msg>,
        state: Self::Arguments,
    ) -> Result<Self::State, ActorProcessingErr> {
        Ok(state)
    }

    async fn handle(
        &self,
        _: ActorRef<Self::Msg>,
        message: Self::Msg,
        state: &mut Self::State,
    ) -> Result<(), ActorProcessingErr> {
        match message {
            TellerMessage::Start(accounts) => {
                for Transfer { source, destination, amount } in &mut state.transfers {
                    accounts[source]
                        .cast(AccountMessage::Transfer { destination, amount })
                        .expect("every account lives");
                }
            }
            TellerMessage::Done => {
                state.missing -= 1;
                if state.missing == 0 {
                    state.end.send(());
                }
            }
        }
        Ok(())
    }
}

enum AccountMessage {
    Connect(Accounts, RpcReplyPort<()>),
    Transfer { destination: usize, amount: i64 },
    Credit(i64, RpcReplyPort<()>),
    Balance(RpcReplyPort<i64>),
}

struct Account;

struct AccountState {
    balance: i64,
    accounts: Accounts,
    teller: ActorRef<TellerMessage>,
}

impl Actor for Account {
    type Msg = AccountMessage;
    type State = AccountState;
    type Arguments = AccountState;

    async fn pre_start(
        &self,
        _: ActorRef<Self::Msg>,
        state: Self::Arguments,
    ) -> Result<Self::State, ActorProcessingErr> {
        Ok(state)
    }

    async fn handle(
        &self,
        _: ActorRef<Self::Msg>,
        message: Self::Msg,
        state: &mut Self::State,
    ) -> Result<(), ActorProcessingErr> {
        match message {
            AccountMessage::Connect(accounts, connected) => {
                state.accounts = accounts;
                connected.send(())?;
            }
            AccountMessage::Transfer { destination, amount } => {
                state.balance -= amount;
                let called =
                    ractor::call!(state.accounts[destination], AccountMessage::Credit, amount);
                called.expect("every account answers");
                state.teller.cast(TellerMessage::Done).expect("the teller lives");
            }
            AccountMessage::Credit(amount, answer) => {
                state.balance += amount;
                answer.send(())?;
            }
            AccountMessage::Balance(answer) => answer.send(state.balance)?,
        }
        Ok(())
    }
}

pub fn run(host: &Host, params: &Bank) -> Result<Sample, String> {
    let (end, ending) = host.end_signal();
    let (teller, accounts) = host.block_on(async {
        let transfers = Transfers::new(params);
        let state = TellerState { transfers, missing: params.transfers, end };
        let teller = start(Teller, state).await;
        let mut accounts = Vec::new();
        for _ in 0..params.accounts {
            let state = AccountState {
                balance: INITIAL_BALANCE,
                accounts: Arc::new([]),
                teller: teller.clone(),
            };
            accounts.push(start(Account, state).await);
        }
        let accounts: Accounts = accounts.into();
        for account in accounts.iter() {
            let accounts = Arc::clone(&accounts);
            let connected = ractor::call!(account, AccountMessage::Connect, accounts);
            connected.expect("every account lives");
        }
        (teller, accounts)
    });

    let started = Instant::now();
    teller.cast(TellerMessage::Start(Arc::clone(&accounts))).expect("the teller lives");
    ending.wait()?;
    let elapsed = started.elapsed();

    let balances = host.block_on(async {
        let mut balances = Vec::new();
        for account in accounts.iter() {
            let called = ractor::call!(account, AccountMessage::Balance);
            balances.push(called.expect("every account answers"));
        }
        balances
    });
    stop(&accounts);
    stop(&[teller]);
    check_conserved(&balances)?;
    let ops = params.transfers as u64;
    Ok(Sample { ops, elapsed })
}
