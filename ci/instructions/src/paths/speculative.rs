//! An actor sends to a speculative one, a few at a time; an operation is a message that updates.

use super::{text, theater, wait};
use odeon::prelude::*;
use std::sync::mpsc::{Sender, channel};

/// Messages before the sender lets the other one work.
const AT_ONCE: u64 = 16;

#[derive(Message)]
struct Go;

#[derive(Message)]
enum ToHot {
    Deposit(u64),
    Flush(ActorRef<Go>),
}

#[derive(Transactional)]
struct Hot {
    balance: TVar<u64>,
}

impl SpeculativeActor for Hot {
    type Msg = ToHot;

    fn handle<'t>(
        &'t self,
        message: &'t ToHot,
        tx: &mut Tx<'t>,
        _ctx: &mut SpeculativeContext<'_, Self>,
    ) -> TxResult {
        match message {
            ToHot::Deposit(amount) => {
                self.balance.update(tx, |balance| balance + amount)?;
            }
            ToHot::Flush(source) => {
                let _ = source.send(Go);
            }
        }
        Ok(())
    }
}

struct DepositSource {
    left: u64,
    account: ActorRef<ToHot>,
    end: Sender<()>,
}

impl Actor for DepositSource {
    type Msg = Go;

    fn handle(&mut self, _go: Go, ctx: &mut Context<'_, Self>) {
        if self.left == 0 {
            let _ = self.end.send(());
            return;
        }
        for _ in 1..AT_ONCE {
            let _ = self.account.send(ToHot::Deposit(1));
        }
        let _ = self.account.send(ToHot::Flush(ctx.actor_ref()));
        self.left = self.left.saturating_sub(AT_ONCE);
    }
}

pub(super) fn run(messages: u64) -> Result<(), String> {
    let theater = theater()?;
    let (end, ended) = channel();
    let account =
        theater.spawn_speculative(Hot { balance: TVar::new(0) }, Processing::default()).actor_ref();
    let source = theater.spawn(DepositSource { left: messages, account, end });
    source.send(Go).map_err(text)?;
    wait(&ended)
}
