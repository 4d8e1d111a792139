//! A bounded buffer in one hot actor: several puts and gets at once, as transactions. The guards of
//! its mailboxes look at the transactional state: puts wait while it is full, gets while it is
//! empty. Nobody asks again, and no thread waits.
//!
//! cargo run -p odeon --example hot_buffer

use odeon::prelude::*;

#[derive(Clone, Copy, Mailboxes)]
enum Port {
    Look,
    Put,
    Get,
}

#[derive(Message)]
#[mailboxes(Port)]
enum Request {
    #[mailbox(Look)]
    #[access(snapshot)]
    Look(Reply<Vec<u32>>),
    /// Answers when it is in.
    #[mailbox(Put)]
    Put(u32, Option<Reply<()>>),
    #[mailbox(Get)]
    Get(Reply<u32>),
}

#[derive(Transactional)]
struct Buffer {
    room: usize,
    items: TQueue<u32>,
}

#[guards]
impl SpeculativeActor for Buffer {
    type Msg = Request;

    #[guard(Port::Put)]
    fn has_room<'t>(&'t self, tx: &mut Tx<'t>) -> TxResult<bool> {
        Ok(self.items.len(tx)? < self.room)
    }

    #[guard(Port::Get)]
    fn has_items<'t>(&'t self, tx: &mut Tx<'t>) -> TxResult<bool> {
        Ok(!self.items.is_empty(tx)?)
    }

    fn handle<'t>(
        &'t self,
        msg: &'t Request,
        tx: &mut Tx<'t>,
        ctx: &mut SpeculativeContext<'_, Self>,
    ) -> TxResult {
        match msg {
            Request::Look(reply) => {
                let items = self.items.fold(tx, Vec::new(), |mut items, item| {
                    items.push(*item);
                    items
                })?;
                ctx.reply(reply, items);
            }
            Request::Put(item, reply) => {
                self.items.push(tx, *item)?;
                if let Some(reply) = reply {
                    ctx.reply(reply, ());
                }
            }
            Request::Get(reply) => {
                let item = self.items.pop(tx)?.expect("the guard has seen an item");
                ctx.reply(reply, *item);
            }
        }
        Ok(())
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let theater = Theater::new()?;
    let [buffer, other] = [2, 1].map(|room| {
        theater.spawn_speculative(Buffer { room, items: TQueue::new() }, Processing::default())
    });

    // Five puts of one sender: two get in, three wait. What the same sender sends to other
    // mailboxes does not wait behind them.
    let mut puts: Vec<_> =
        (1..=5).map(|item| buffer.ask(|reply| Request::Put(item, Some(reply)))).collect();
    let waiting = puts.split_off(2);
    puts.into_iter().try_for_each(Ask::wait)?;
    println!("in the buffer: {:?}", buffer.ask(Request::Look).wait()?);
    for _ in 0..5 {
        println!("got {}", buffer.ask(Request::Get).wait()?);
    }
    waiting.into_iter().try_for_each(Ask::wait)?;
    println!("in the buffer: {:?}", buffer.ask(Request::Look).wait()?);

    // Two that are too early wait, until a transaction puts something into both buffers at once.
    let early = [&buffer, &other].map(|buffer| buffer.ask(Request::Get));
    let both = theater.coordinate(|co| {
        co.send(&buffer, Request::Put(6, None));
        co.send(&other, Request::Put(7, None));
    });
    both.wait()?;
    for early in early {
        println!("got {}", early.wait()?);
    }
    Ok(())
}
