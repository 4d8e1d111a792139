//! Mailboxes with priorities and guards: a buffer that takes nothing while it is full and gives
//! nothing while it is empty. No locks, no conditions, no message put back.
//!
//! cargo run -p odeon --example bounded_buffer

use std::collections::VecDeque;

use odeon::prelude::*;

#[derive(Message)]
enum Request {
    /// Goes before everything else.
    #[mailbox(0)]
    Peek(Reply<Vec<u32>>),
    #[mailbox(1)]
    Put(u32, Reply<()>),
    #[mailbox(2)]
    Get(Reply<u32>),
}

const PUT: usize = 1;
const GET: usize = 2;

struct Buffer {
    room: usize,
    items: VecDeque<u32>,
}

impl Buffer {
    fn set_guards(&self, ctx: &mut Context<'_, Self>) {
        match self.items.len() {
            0 => ctx.close(GET),
            full if full == self.room => ctx.close(PUT),
            _ => {
                ctx.open(PUT);
                ctx.open(GET);
            }
        }
    }
}

impl Actor for Buffer {
    type Msg = Request;

    fn started(&mut self, ctx: &mut Context<'_, Self>) {
        self.set_guards(ctx);
    }

    fn handle(&mut self, msg: Request, ctx: &mut Context<'_, Self>) {
        match msg {
            Request::Peek(reply) => reply.send(self.items.iter().copied().collect()),
            Request::Put(item, reply) => {
                self.items.push_back(item);
                reply.send(());
            }
            Request::Get(reply) => {
                let item = self.items.pop_front().expect("the mailbox is closed while it is empty");
                reply.send(item);
            }
        }
        self.set_guards(ctx);
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let theater = Theater::new()?;
    let buffer = theater.spawn(Buffer { room: 2, items: VecDeque::new() });

    // Five producers at once: two get in, three wait.
    let puts: Vec<_> = (1..=5).map(|item| buffer.ask(|reply| Request::Put(item, reply))).collect();
    println!("in the buffer: {:?}", {
        // Behind the five, from the same thread, but of a higher priority: wait for the first two.
        let mut puts = puts.into_iter();
        puts.next().expect("the first").wait()?;
        puts.next().expect("the second").wait()?;
        buffer.ask(Request::Peek).wait()?
    });
    for _ in 0..5 {
        println!("got {}", buffer.ask(Request::Get).wait()?);
    }
    println!("in the buffer: {:?}", buffer.ask(Request::Peek).wait()?);

    // One consumer that is too early waits for the next producer.
    let early = buffer.ask(Request::Get);
    buffer.ask(|reply| Request::Put(6, reply)).wait()?;
    println!("got {}", early.wait()?);
    Ok(())
}
