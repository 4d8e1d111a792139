//! Join patterns: something happens when several mailboxes have a message each. A workshop makes a
//! bicycle of a frame and wheels, a scooter of wheels and a motor, and gives back what waits for
//! too long.
//!
//! cargo run -p odeon --example join_patterns

use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

use odeon::patterns::Joins;
use odeon::prelude::*;

#[derive(Mailboxes, Clone, Copy, Debug)]
enum Port {
    /// Takes part in no pattern.
    Control,
    Frames,
    Wheels,
    Motors,
}

#[derive(Message, Debug)]
#[mailboxes(Port)]
enum Part {
    TooLate(u64),
    #[mailbox(Frames)]
    Frame(u32),
    #[mailbox(Wheels)]
    Wheels(u32),
    #[mailbox(Motors)]
    Motor(u32),
}

struct Workshop {
    parts: Joins<Part>,
    made: Sender<String>,
}

impl Workshop {
    fn deliver(&self, what: String) {
        // Whoever ordered may be gone.
        let _ = self.made.send(what);
    }
}

impl Actor for Workshop {
    type Msg = Part;

    fn handle(&mut self, part: Part, ctx: &mut Context<'_, Self>) {
        if let Part::TooLate(wait) = part {
            for (mailbox, part) in self.parts.time_out(wait, ctx) {
                self.deliver(format!("{part:?} back from {:?}", Port::ALL[mailbox]));
            }
            return;
        }
        when!(self.parts.hold(part, ctx),
            (Part::Frame(frame) from Port::Frames, Part::Wheels(wheels) from Port::Wheels) => {
                self.deliver(format!("bicycle of frame {frame} and wheels {wheels}"));
            }
            (Part::Wheels(wheels) from Port::Wheels, Part::Motor(motor) from Port::Motors) => {
                self.deliver(format!("scooter of wheels {wheels} and motor {motor}"));
            }
        );
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let theater = Theater::new()?;
    let (made, delivered) = channel();
    let parts = Joins::within(Duration::from_secs(2), Part::TooLate);
    let workshop = theater.spawn(Workshop { parts, made });

    // A frame waits; so does a motor. Whichever wheels come first complete the first pattern that
    // can be.
    workshop.send(Part::Frame(1))?;
    workshop.send(Part::Motor(1))?;
    workshop.send(Part::Wheels(1))?;
    workshop.send(Part::Wheels(2))?;
    println!("{}", delivered.recv()?);
    println!("{}", delivered.recv()?);

    // Frames are joined in their order, and one is left.
    (2..=4).try_for_each(|frame| workshop.send(Part::Frame(frame)))?;
    (3..=4).try_for_each(|wheels| workshop.send(Part::Wheels(wheels)))?;
    for what in delivered.iter().take(3) {
        println!("{what}");
    }
    Ok(())
}
