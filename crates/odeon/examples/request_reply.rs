//! Synchronous request and reply without blocking a thread: an account that waits for another one
//! handles nothing else until the answer is there. A thousand of them may wait, on two threads.
//!
//! cargo run -p odeon --example request_reply

use std::time::Duration;

use odeon::prelude::*;

#[derive(Mailboxes, Clone, Copy)]
enum Port {
    /// For answers alone: while one is awaited nothing else is open.
    Answer,
    Usual,
}

#[derive(Message)]
#[mailboxes(Port)]
enum Request {
    #[mailbox(Usual)]
    Pay { amount: u64, to: ActorRef<Till> },
    #[mailbox(Usual)]
    Balance(Reply<u64>),
    #[mailbox(Answer)]
    Paid(u64, Result<(), AskError>),
}

#[derive(Message)]
enum Till {
    Receive(u64, Reply<()>),
    Total(Reply<u64>),
}

struct Account {
    balance: u64,
}

impl Actor for Account {
    type Msg = Request;

    fn handle(&mut self, msg: Request, ctx: &mut Context<'_, Self>) {
        match msg {
            Request::Pay { amount, to } => {
                self.balance -= amount;
                let limit = Duration::from_secs(2);
                let reply = ctx.reply_blocked_within(limit, Port::Answer, move |answer| {
                    Request::Paid(amount, answer)
                });
                // If it is refused the reply is dropped, and says so.
                let _ = to.send(Till::Receive(amount, reply));
            }
            // Nothing has come in between: the balance is what it was.
            Request::Paid(_, Ok(())) => {}
            Request::Paid(amount, Err(error)) => {
                println!("  {amount} come back: {error}");
                self.balance += amount;
            }
            Request::Balance(reply) => reply.send(self.balance),
        }
    }
}

/// Takes payments; or only keeps those who pay waiting.
struct Merchant {
    total: u64,
    asleep: Option<Vec<Reply<()>>>,
}

impl Actor for Merchant {
    type Msg = Till;

    fn handle(&mut self, msg: Till, _ctx: &mut Context<'_, Self>) {
        match msg {
            Till::Receive(amount, reply) => match &mut self.asleep {
                Some(waiting) => waiting.push(reply),
                None => {
                    self.total += amount;
                    reply.send(());
                }
            },
            Till::Total(reply) => reply.send(self.total),
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let theater = Theater::new()?;
    let account = theater.spawn(Account { balance: 100 });
    let awake = theater.spawn(Merchant { total: 0, asleep: None });
    let asleep = theater.spawn(Merchant { total: 0, asleep: Some(Vec::new()) });
    let gone = theater.spawn(Merchant { total: 0, asleep: None });
    gone.stop();
    gone.ended().wait();

    let pay = |amount, to: &ActorRef<Till>| Request::Pay { amount, to: to.clone() };
    println!("two payments:");
    account.send(pay(30, &awake))?;
    account.send(pay(20, &awake))?;
    // Sent at once, handled when both have been answered.
    let balance = account.ask(Request::Balance);
    println!("  balance {}, received {}", balance.wait()?, awake.ask(Till::Total).wait()?);

    println!("to one who has closed:");
    account.send(pay(7, &gone))?;
    println!("  balance {}", account.ask(Request::Balance).wait()?);

    println!("to one who sleeps:");
    account.send(pay(9, &asleep))?;
    println!("  balance {}", account.ask(Request::Balance).wait()?);
    Ok(())
}
