//! A handler that waits for another actor's answer, with a deadline, and blocks no thread.
//!
//! cargo run -p odeon --example ask_from_a_handler

use std::time::Duration;

use odeon::prelude::*;

#[derive(Message)]
enum Stock {
    Take(&'static str, Reply<u32>),
}

/// Knows what things cost; does not answer for what it does not know.
struct Shelf;

impl Actor for Shelf {
    type Msg = Stock;

    fn handle(&mut self, Stock::Take(item, reply): Stock, _ctx: &mut Context<'_, Self>) {
        match item {
            "tea" => reply.send(3),
            "rice" => reply.send(2),
            // Dropped: whoever asked learns it at once.
            _ => drop(reply),
        }
    }
}

#[derive(Message)]
enum Order {
    Buy(Vec<&'static str>, Reply<String>),
}

struct Till {
    shelf: ActorRef<Stock>,
    taken: u32,
}

impl AsyncActor for Till {
    type Msg = Order;

    async fn handle(&mut self, msg: Order, _ctx: &mut AsyncContext<'_, Self>) {
        let Order::Buy(items, reply) = msg;
        let mut bill = Vec::new();
        for item in items {
            let question = |reply| Stock::Take(item, reply);
            // The next order waits meanwhile; its worker does other things.
            bill.push(match self.shelf.ask_within(Duration::from_secs(5), question).await {
                Ok(price) => {
                    self.taken += price;
                    format!("{item} {price}")
                }
                Err(error) => format!("{item}: {error}"),
            });
        }
        reply.send(format!("{} (in the till: {})", bill.join(", "), self.taken));
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let theater = Theater::new()?;
    let till = theater.spawn(Till { shelf: theater.spawn(Shelf), taken: 0 });
    for items in [vec!["tea", "rice"], vec!["gold", "tea"]] {
        println!("{}", till.ask(|reply| Order::Buy(items, reply)).wait()?);
    }
    Ok(())
}
