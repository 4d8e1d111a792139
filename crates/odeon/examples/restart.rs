//! A supervised actor that fails is made anew; what waits in its mailbox is kept.
//!
//! cargo run -p odeon --example restart

use std::time::Duration;

use odeon::prelude::*;

#[derive(Message)]
enum Text {
    Number(&'static str),
    Total(Reply<(u32, i64)>),
}

/// Adds up numbers, and panics at what is none.
struct Adder {
    life: u32,
    total: i64,
}

impl Actor for Adder {
    type Msg = Text;

    fn handle(&mut self, msg: Text, _ctx: &mut Context<'_, Self>) {
        match msg {
            Text::Number(text) => {
                let number: i64 = text.parse().unwrap_or_else(|_| panic!("{text} is no number"));
                self.total += number;
            }
            Text::Total(reply) => reply.send((self.life, self.total)),
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let theater = Theater::new()?;
    let policy = Supervision::new().restarts(2, Duration::from_secs(60)).decide(|failure| {
        println!("failed: {}", failure.text().unwrap_or("without a text"));
        Directive::Restart
    });
    let mut life = 0;
    let adder = theater.actor().supervised(policy).spawn(move || {
        life += 1;
        Adder { life, total: 0 }
    });
    let (tell, told) = std::sync::mpsc::channel();
    adder.on_end(move |ended| {
        let _ = tell.send(ended.failure().map(String::from));
    });

    for text in ["1", "2", "three", "4", "5"] {
        adder.send(Text::Number(text))?;
    }
    let (life, total) = adder.ask(Text::Total).wait()?;
    println!("in life {life} the total is {total}");

    // The first restart comes at once, the second after a pause, and a third is one too many.
    for text in ["six", "seven"] {
        adder.send(Text::Number(text))?;
    }
    println!("ended by: {}", told.recv()?.as_deref().unwrap_or("nobody"));
    Ok(())
}
