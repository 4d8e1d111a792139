//! Stash and become as guards: what an actor does not want yet stays in its mailbox, in order, and
//! one call changes what it listens to. A connection that logs in first: requests that come too
//! early wait, in no list of its own.
//!
//! cargo run -p odeon --example stash_and_become

use odeon::prelude::*;

#[derive(Mailboxes, Clone, Copy)]
enum Port {
    Session,
    Requests,
}

#[derive(Message)]
#[mailboxes(Port)]
enum Event {
    LoggedIn(&'static str),
    LoggedOut,
    #[mailbox(Requests)]
    Get(&'static str, Reply<String>),
}

struct Connection {
    user: &'static str,
}

impl Connection {
    /// Requests are stashed.
    fn become_anonymous(ctx: &mut Context<'_, Self>) {
        ctx.close_all_except([Port::Session]);
    }

    /// They are handled again, in the order in which they came.
    fn become_known(ctx: &mut Context<'_, Self>) {
        ctx.open_all();
    }
}

impl Actor for Connection {
    type Msg = Event;

    fn started(&mut self, ctx: &mut Context<'_, Self>) {
        Self::become_anonymous(ctx);
    }

    fn handle(&mut self, event: Event, ctx: &mut Context<'_, Self>) {
        match event {
            Event::LoggedIn(user) => {
                self.user = user;
                Self::become_known(ctx);
            }
            Event::LoggedOut => Self::become_anonymous(ctx),
            Event::Get(what, reply) => reply.send(format!("{what} for {}", self.user)),
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let theater = Theater::new()?;
    let connection = theater.spawn(Connection { user: "nobody" });
    let get = |what| connection.ask(move |reply| Event::Get(what, reply));

    let early = [get("mail"), get("news")];
    connection.send(Event::LoggedIn("Ada"))?;
    for answer in early {
        println!("{}", answer.wait()?);
    }
    connection.send(Event::LoggedOut)?;
    let late = get("mail");
    connection.send(Event::LoggedIn("Grace"))?;
    println!("{}", late.wait()?);
    Ok(())
}
