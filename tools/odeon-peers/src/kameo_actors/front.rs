//! `front`: many ask one actor, and wait for the answer.

use kameo::prelude::*;
use tokio::runtime::Handle;

use super::{start, stop};
use crate::balance_askers::{Account, Balance, ask, gone};
use crate::host::Host;
use crate::params::Front;
use crate::peer::Sample;

struct Deposit;

#[derive(Actor)]
struct Keeper(Balance);

impl Message<Deposit> for Keeper {
    type Reply = u64;

    async fn handle(&mut self, _: Deposit, _: &mut Context<Self, Self::Reply>) -> u64 {
        self.0.deposit()
    }
}

impl Account for ActorRef<Keeper> {
    async fn deposit(&self) -> Result<u64, String> {
        self.ask(Deposit).send().await.map_err(gone)
    }

    fn deposit_in_thread(&self, _: &Handle) -> Result<u64, String> {
        self.ask(Deposit).blocking_send().map_err(gone)
    }
}

pub fn run(host: &Host, params: &Front) -> Result<Sample, String> {
    let account = host.block_on(start(Keeper(Balance::new(params))));
    let sample = ask(host, params, &account);
    host.block_on(stop(&[account]));
    sample
}
