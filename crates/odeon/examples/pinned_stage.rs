//! A thread that owns its actors, and one that belongs to a single actor, which may block.
//!
//! cargo run -p odeon --example pinned_stage

use std::sync::mpsc::{Receiver, channel};

use odeon::prelude::*;

#[derive(Message)]
enum Ball {
    Play { rallies: u32, partner: ActorRef<Ball>, done: Reply<String> },
}

/// Plays with a partner on the same thread: their messages need no atomic operations.
struct Player;

impl Actor for Player {
    type Msg = Ball;

    fn handle(&mut self, msg: Ball, ctx: &mut Context<'_, Self>) {
        let Ball::Play { rallies, partner, done } = msg;
        if rallies == 0 {
            let thread = std::thread::current();
            return done.send(thread.name().unwrap_or("a thread without a name").into());
        }
        let back = Ball::Play { rallies: rallies - 1, partner: ctx.actor_ref(), done };
        // The partner cannot have stopped: whoever plays holds a reference to it.
        let _ = partner.send(back);
    }
}

/// Reads from something that blocks. On the pool that would hold up other actors.
struct Keyboard {
    keys: Receiver<char>,
}

#[derive(Message)]
struct ReadLine(Reply<String>);

impl Actor for Keyboard {
    type Msg = ReadLine;

    fn handle(&mut self, ReadLine(reply): ReadLine, _ctx: &mut Context<'_, Self>) {
        reply.send(self.keys.iter().take_while(|key| *key != '\n').collect());
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let theater = Theater::builder().name("hall").build()?;
    let court = theater.pinned("court")?;
    let [one, other] = [(); 2].map(|()| theater.actor().on(&court).spawn(Player));
    let thread = one.ask(|done| Ball::Play { rallies: 1_000, partner: other, done }).wait()?;
    println!("they played on the thread {thread}");

    let (press, keys) = channel();
    let keyboard = theater.actor().dedicated("keyboard").spawn(Keyboard { keys })?;
    let line = keyboard.ask(ReadLine);
    "hello\n".chars().try_for_each(|key| press.send(key))?;
    println!("the keyboard says {}", line.wait()?);
    Ok(())
}
