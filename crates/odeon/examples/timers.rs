//! Messages later, once and over and over; a timer that is put off; one that is cancelled.
//!
//! cargo run -p odeon --example timers

use std::time::{Duration, Instant};

use odeon::prelude::*;

const PERIOD: Duration = Duration::from_millis(20);
const PATIENCE: Duration = Duration::from_secs(2);

#[derive(Message)]
enum Event {
    Tick,
    TimedOut,
}

/// Reads what is typed at every tick; ends a while after the last input.
struct Session {
    typed: std::vec::IntoIter<&'static str>,
    ticks: Option<Timer>,
    timeout: Option<Timer>,
    last_input: Instant,
}

impl Session {
    /// Cancels the timeout that is pending, if there is one, and arms a new one.
    fn put_off(&mut self, ctx: &Context<'_, Self>) {
        self.last_input = Instant::now();
        let timeout = ctx.send_after(PATIENCE, Event::TimedOut);
        if let Some(before) = self.timeout.replace(timeout) {
            println!("put off: {}", before.cancel());
        }
    }
}

impl Actor for Session {
    type Msg = Event;

    fn started(&mut self, ctx: &mut Context<'_, Self>) {
        self.ticks = Some(ctx.send_every(PERIOD, || Event::Tick));
    }

    fn handle(&mut self, msg: Event, ctx: &mut Context<'_, Self>) {
        match msg {
            Event::Tick => match self.typed.next() {
                Some(text) => {
                    println!("input: {text}");
                    self.put_off(ctx);
                }
                None => {
                    println!("no more input");
                    self.ticks.take().map(Timer::cancel);
                }
            },
            Event::TimedOut => {
                assert!(self.last_input.elapsed() >= PATIENCE, "a timer is never early");
                println!("timed out");
                ctx.stop();
            }
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let theater = Theater::new()?;
    let session = theater.spawn(Session {
        typed: vec!["h", "he", "hello"].into_iter(),
        ticks: None,
        timeout: None,
        last_input: Instant::now(),
    });
    let (tell, told) = std::sync::mpsc::channel();
    session.on_end(move |_| {
        let _ = tell.send(());
    });
    told.recv()?;
    println!("timers left: {}", theater.pending_timers());
    Ok(())
}
