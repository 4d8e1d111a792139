//! Mailboxes as priorities, and a bound on how long the last one waits.
//!
//! cargo run -p odeon --example priorities

use odeon::prelude::*;

#[derive(Mailboxes, Clone, Copy)]
enum Class {
    Express,
    Usual,
}

#[derive(Message)]
#[mailboxes(Class)]
enum Visit {
    Customer(u32),
    Served(Reply<Vec<u32>>),
}

struct Desk {
    served: Vec<u32>,
    /// Whether nobody is passed over more than twice.
    patient: bool,
}

impl Actor for Desk {
    type Msg = Visit;

    fn selection(&self) -> Selection {
        if self.patient { Selection::ageing(2) } else { Selection::priority() }
    }

    fn handle(&mut self, visit: Visit, _ctx: &mut Context<'_, Self>) {
        match visit {
            Visit::Customer(number) => self.served.push(number),
            Visit::Served(reply) => reply.send(self.served.clone()),
        }
    }
}

/// All customers are there when it opens: the handler that lets them in is its first.
struct Door {
    desk: ActorRef<Visit>,
}

#[derive(Message)]
struct Open(Reply<()>);

impl Actor for Door {
    type Msg = Open;

    fn handle(&mut self, Open(reply): Open, _ctx: &mut Context<'_, Self>) {
        for number in 1..=3 {
            // The desk is on the same thread, and gets its turn when this handler returns.
            self.desk.mailbox(Class::Usual).send(Visit::Customer(number)).expect("it is open");
        }
        for number in 11..=16 {
            self.desk.mailbox(Class::Express).send(Visit::Customer(number)).expect("it is open");
        }
        reply.send(());
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let theater = Theater::builder().workers(1).build()?;
    for (name, patient) in [("priority", false), ("ageing", true)] {
        let desk = theater.spawn(Desk { served: Vec::new(), patient });
        let door = theater.spawn(Door { desk: desk.clone() });
        door.ask(Open).wait()?;
        // Behind all customers.
        let served = desk.mailbox(Class::Usual).ask(Visit::Served).wait()?;
        println!("{name}: {served:?}");
    }
    Ok(())
}
