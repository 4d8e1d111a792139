//! As `speculative`, with room for two messages at once; an operation is a message, which changes a
//! number or asks for it.

use super::{text, theater, wait};
use odeon::prelude::*;
use std::hint::black_box;
use std::sync::mpsc::{Sender, channel};

/// Messages before the sender lets the other one work.
const AT_ONCE: u64 = 16;

#[derive(Message)]
struct Go;

enum ToShared {
    Add(u64),
    Look,
    Flush(ActorRef<Go>),
}

impl Message for ToShared {}

#[derive(Transactional)]
struct Shared {
    number: TVar<u64>,
}

impl SpeculativeActor for Shared {
    type Msg = ToShared;

    fn access(message: &ToShared) -> Access {
        match message {
            ToShared::Add(_) | ToShared::Flush(_) => Access::Update,
            ToShared::Look => Access::Snapshot,
        }
    }

    fn handle<'t>(
        &'t self,
        message: &'t ToShared,
        tx: &mut Tx<'t>,
        _ctx: &mut SpeculativeContext<'_, Self>,
    ) -> TxResult {
        match message {
            ToShared::Add(more) => self.number.update(tx, |number| number + more)?,
            ToShared::Look => _ = black_box(self.number.get(tx)?),
            ToShared::Flush(source) => _ = source.send(Go),
        }
        Ok(())
    }
}

struct Source {
    message: fn() -> ToShared,
    left: u64,
    shared: ActorRef<ToShared>,
    end: Sender<()>,
}

impl Actor for Source {
    type Msg = Go;

    fn handle(&mut self, _go: Go, ctx: &mut Context<'_, Self>) {
        if self.left == 0 {
            let _ = self.end.send(());
            return;
        }
        for _ in 1..AT_ONCE {
            let _ = self.shared.send((self.message)());
        }
        let _ = self.shared.send(ToShared::Flush(ctx.actor_ref()));
        self.left = self.left.saturating_sub(AT_ONCE);
    }
}

pub(super) fn changes(messages: u64) -> Result<(), String> {
    run(messages, || ToShared::Add(1))
}

pub(super) fn questions(messages: u64) -> Result<(), String> {
    run(messages, || ToShared::Look)
}

fn run(messages: u64, message: fn() -> ToShared) -> Result<(), String> {
    let theater = theater()?;
    let (end, ended) = channel();
    let processing = Processing::concurrent().width(2);
    let shared = theater.spawn_speculative(Shared { number: TVar::new(0) }, processing).actor_ref();
    let source = theater.spawn(Source { message, left: messages, shared, end });
    source.send(Go).map_err(text)?;
    wait(&ended)
}
