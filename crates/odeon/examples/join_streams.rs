//! Three streams into one: the sum of the first items, of the second ones, and so on. Each stream
//! has a mailbox of its own, which is closed while its item waits for the others. No numbers in
//! messages, no dictionary.
//!
//! cargo run -p odeon --example join_streams

use std::sync::mpsc::{Sender, channel};

use odeon::patterns::Join;
use odeon::prelude::*;

#[derive(Mailboxes, Clone, Copy, Debug)]
enum Source {
    Left,
    Middle,
    Right,
}

/// Sources decide where it goes.
#[derive(Message)]
#[mailboxes(Source)]
struct Item(u64);

struct Adder {
    join: Join<u64>,
    sums: Sender<u64>,
}

impl Actor for Adder {
    type Msg = Item;

    fn started(&mut self, ctx: &mut Context<'_, Self>) {
        self.join.begin(ctx);
    }

    fn handle(&mut self, Item(n): Item, ctx: &mut Context<'_, Self>) {
        if let Some(row) = self.join.put(n, ctx) {
            // Whoever wanted the sums may be gone.
            let _ = self.sums.send(row.sum());
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let theater = Theater::new()?;
    let sources = || Source::ALL.iter().copied();
    for (name, join) in [
        ("in any order", Join::any_order(sources())),
        ("round robin", Join::round_robin(sources())),
    ] {
        let (sums, results) = channel();
        let adder = theater.spawn(Adder { join, sums });
        // One source is far ahead, one far behind.
        for (source, factor) in [(Source::Left, 1), (Source::Right, 100), (Source::Middle, 10)] {
            for n in 1..=4 {
                adder.mailbox(source).send(Item(n * factor))?;
            }
        }
        let sums: Vec<u64> = results.iter().take(4).collect();
        println!("{name}: {sums:?}");
    }
    Ok(())
}
