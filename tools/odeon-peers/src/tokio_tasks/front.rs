//! `front`: many ask one task, each with a channel for the answer.

use tokio::runtime::Handle;
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};
use tokio::sync::oneshot;

use crate::balance_askers::{Account, Balance, ask, gone};
use crate::host::Host;
use crate::params::Front;
use crate::peer::Sample;

struct Deposit(oneshot::Sender<u64>);

async fn keep(mut balance: Balance, mut mailbox: UnboundedReceiver<Deposit>) {
    while let Some(Deposit(answer)) = mailbox.recv().await {
        // Who has given up waiting needs no answer.
        let _ = answer.send(balance.deposit());
    }
}

impl Account for UnboundedSender<Deposit> {
    async fn deposit(&self) -> Result<u64, String> {
        let (answer, answered) = oneshot::channel();
        self.send(Deposit(answer)).map_err(gone)?;
        answered.await.map_err(gone)
    }

    fn deposit_in_thread(&self, _: &Handle) -> Result<u64, String> {
        let (answer, answered) = oneshot::channel();
        self.send(Deposit(answer)).map_err(gone)?;
        answered.blocking_recv().map_err(gone)
    }
}

pub fn run(host: &Host, params: &Front) -> Result<Sample, String> {
    let (account, mailbox) = mpsc::unbounded_channel();
    host.handle().spawn(keep(Balance::new(params), mailbox));
    ask(host, params, &account)
}
