//! A price list that is asked much more often than it is changed: reads run at once, a write runs
//! alone.
//!
//! cargo run -p odeon --example readers_and_writers

use std::collections::BTreeMap;
use std::time::Duration;

use odeon::prelude::*;

/// What only looks.
#[derive(Message)]
enum Question {
    Price(&'static str, Reply<Option<u64>>),
    /// What a whole basket comes to.
    Basket(Vec<&'static str>, Reply<u64>),
}

/// What changes the list.
#[derive(Message)]
enum Change {
    Set(&'static str, u64),
    /// Computes all prices anew, on other workers.
    RaiseAll {
        percent: u64,
        done: Reply<usize>,
    },
}

struct Prices(BTreeMap<&'static str, u64>);

impl ReadWriteActor for Prices {
    type Read = Question;
    type Write = Change;

    /// Gets `&self`: the compiler lets it change nothing, so any number may run at once.
    fn read(&self, question: Question, _ctx: &mut ReadContext<'_, Self>) {
        match question {
            Question::Price(item, reply) => reply.send(self.0.get(item).copied()),
            Question::Basket(items, reply) => {
                reply.send(items.iter().filter_map(|item| self.0.get(item)).sum());
            }
        }
    }

    /// Gets `&mut self`: nobody reads meanwhile.
    fn write(&mut self, change: Change, ctx: &mut WriteContext<'_, Self>) {
        match change {
            Change::Set(item, price) => {
                self.0.insert(item, price);
            }
            Change::RaiseAll { percent, done } => {
                let prices: Vec<_> = self.0.iter().map(|(&item, &price)| (item, price)).collect();
                let tasks = prices
                    .into_iter()
                    .map(move |(item, price)| move || (item, price + price * percent / 100));
                ctx.fork_all(tasks, |prices, raised, _ctx| {
                    done.send(raised.len());
                    prices.0.extend(raised);
                });
            }
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let theater = Theater::new()?;
    // In the order of arrival: a sender's question sees its own changes, and nobody starves.
    let make = || ReadWriting::new(Prices(BTreeMap::new()), ReadWritePolicy::ArrivalOrder);
    let prices = theater.actor().supervised(Supervision::new()).spawn(make);

    for (item, price) in [("tea", 400), ("rice", 200), ("beans", 150)] {
        prices.write(Change::Set(item, price))?;
    }
    let tea = prices.ask_read(|reply| Question::Price("tea", reply)).wait()?;
    println!("tea costs {tea:?}");

    // A hundred questions, which several workers may answer at once.
    let basket = || vec!["tea", "rice", "beans"];
    let asked: Vec<_> =
        (0..100).map(|_| prices.ask_read(|reply| Question::Basket(basket(), reply))).collect();
    let answers = asked.into_iter().map(|answer| answer.wait()).collect::<Result<Vec<_>, _>>()?;
    println!(
        "{} answers, all of them 750: {}",
        answers.len(),
        answers.iter().all(|&sum| sum == 750)
    );

    let raised = prices.ask_write(|done| Change::RaiseAll { percent: 10, done }).wait()?;
    println!("{raised} prices were raised");
    let sum = prices.ask_read(|reply| Question::Basket(basket(), reply)).wait()?;
    println!("the basket comes to {sum}");

    println!("drained: {}", theater.shutdown(Duration::from_secs(5)).drained);
    Ok(())
}
