//! `front`: many call one actor, and wait for the answer.

use ractor::{Actor, ActorProcessingErr, ActorRef, RpcReplyPort};

use super::{start, stop};
use crate::balance_askers::{Account, Balance, ask, gone};
use crate::host::Host;
use crate::params::Front;
use crate::peer::Sample;

struct Deposit(RpcReplyPort<u64>);

struct Keeper;

impl Actor for Keeper {
    type Msg = Deposit;
    type State = Balance;
    type Arguments = Balance;

    async fn pre_start(
        &self,
        _: ActorRef<Self::Msg>,
        balance: Self::Arguments,
    ) -> Result<Self::State, ActorProcessingErr> {
        Ok(balance)
    }

    async fn handle(
        &self,
        _: ActorRef<Self::Msg>,
        Deposit(answer): Self::Msg,
        balance: &mut Self::State,
    ) -> Result<(), ActorProcessingErr> {
        answer.send(balance.deposit())?;
        Ok(())
    }
}

/// A call is a future also where a thread waits for it: there is no other form.
impl Account for ActorRef<Deposit> {
    async fn deposit(&self) -> Result<u64, String> {
        ractor::call!(self, Deposit).map_err(gone)
    }
}

pub fn run(host: &Host, params: &Front) -> Result<Sample, String> {
    let account = host.block_on(start(Keeper, Balance::new(params)));
    let sample = ask(host, params, &account);
    stop(&[account]);
    sample
}
