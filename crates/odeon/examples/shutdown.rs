//! The end of a theater: what can be handled is handled, what cannot comes back.
//!
//! cargo run -p odeon --example shutdown

use std::time::Duration;

use odeon::prelude::*;

#[derive(Debug, Message)]
enum Letter {
    #[mailbox(0)]
    Close,
    #[mailbox(0)]
    MoveOut,
    #[mailbox(0)]
    Plain(&'static str),
    #[mailbox(1)]
    Registered(&'static str),
}

struct PostOffice;

impl Actor for PostOffice {
    type Msg = Letter;

    fn handle(&mut self, letter: Letter, ctx: &mut Context<'_, Self>) {
        match letter {
            Letter::Close => ctx.close(1),
            Letter::MoveOut => ctx.stop(),
            Letter::Plain(to) | Letter::Registered(to) => println!("delivered to {to}"),
        }
    }

    fn stopped(&mut self) {
        println!("closed");
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let theater = Theater::builder()
        .on_dead_letter(|letter| println!("dead letter: {:?}", letter.reason))
        .build()?;

    // An actor that stops leaves what waits to the hook.
    let branch = theater.spawn(PostOffice);
    branch.send(Letter::Close)?;
    branch.send(Letter::Registered("nobody"))?;
    let (tell, told) = std::sync::mpsc::channel();
    branch.on_end(move |_| {
        let _ = tell.send(());
    });
    branch.send(Letter::MoveOut)?;
    told.recv()?;

    // A theater that is shut down gives it back.
    let office = theater.spawn(PostOffice);
    office.send(Letter::Close)?;
    office.send(Letter::Registered("Ada"))?;
    office.send(Letter::Plain("Grace"))?;
    let report = theater.shutdown(Duration::from_secs(5));
    println!("drained: {}, stuck: {}", report.drained, report.stuck);
    for letter in report.leftovers {
        let reason = letter.reason;
        if let Ok(letter) = letter.message.downcast::<Letter>() {
            println!("came back ({reason:?}): {letter:?}");
        }
    }
    Ok(())
}
