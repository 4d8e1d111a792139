//! A pool of workers: messages of one customer go to one worker, in order, those of different ones
//! to different workers.
//!
//! cargo run -p odeon --example workers_by_key

use std::collections::HashMap;

use odeon::prelude::*;

#[derive(Message)]
enum Job {
    Buy { customer: u64, item: &'static str },
    Basket { customer: u64, reply: Reply<(usize, String)> },
}

fn customer(job: &Job) -> u64 {
    match job {
        Job::Buy { customer, .. } | Job::Basket { customer, .. } => *customer,
    }
}

/// Has the baskets of its customers to itself: no lock, nobody else sees them.
struct Worker {
    number: usize,
    baskets: HashMap<u64, Vec<&'static str>>,
}

impl Actor for Worker {
    type Msg = Job;

    fn handle(&mut self, job: Job, _ctx: &mut Context<'_, Self>) {
        match job {
            Job::Buy { customer, item } => self.baskets.entry(customer).or_default().push(item),
            Job::Basket { customer, reply } => {
                let basket = self.baskets.get(&customer).map_or(String::new(), |b| b.join(" "));
                reply.send((self.number, basket));
            }
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let theater = Theater::new()?;
    let workers = theater.actor().supervised(Supervision::new()).pool(
        4,
        Routing::ByKey(customer),
        |number| Worker { number, baskets: HashMap::new() },
    );
    for item in ["tea", "rice", "beans"] {
        for customer in 1..=6 {
            workers.send(Job::Buy { customer, item })?;
        }
    }
    let mut busy = Vec::new();
    for customer in 1..=6 {
        let (worker, basket) = workers.ask(|reply| Job::Basket { customer, reply }).wait()?;
        println!("customer {customer}: {basket}");
        busy.push(worker);
    }
    busy.sort();
    busy.dedup();
    println!("several workers were busy: {}", busy.len() > 1);
    Ok(())
}
