//! A bounded buffer by declared guards: it takes nothing while it is full and gives nothing while
//! it is empty. No locks, no conditions, no lists of those who wait, no message put back.
//!
//! cargo run -p odeon --example bounded_buffer

use std::collections::VecDeque;

use odeon::prelude::*;

#[derive(Mailboxes, Clone, Copy)]
enum Port {
    Peek,
    Put,
    Get,
}

#[derive(Message)]
enum Request {
    /// Goes before everything else.
    #[mailbox(Port::Peek)]
    Peek(Reply<Vec<u32>>),
    #[mailbox(Port::Put)]
    Put(u32, Reply<()>),
    #[mailbox(Port::Get)]
    Get(Reply<u32>),
}

struct Buffer {
    room: usize,
    items: VecDeque<u32>,
}

#[guards]
impl Actor for Buffer {
    type Msg = Request;

    #[guard(Port::Put)]
    fn has_room(&self) -> bool {
        self.items.len() < self.room
    }

    #[guard(Port::Get)]
    fn has_items(&self) -> bool {
        !self.items.is_empty()
    }

    fn handle(&mut self, msg: Request, _ctx: &mut Context<'_, Self>) {
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
