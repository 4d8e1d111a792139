//! The facade's `energy` feature: joules of a run and its actors, or the reason why there are none.
#![cfg(feature = "energy")]

use odeon::energy::{Attribution, Gauge, Machine};
use odeon::prelude::*;

#[derive(Message)]
struct Add(u64);

struct Sum(u64);

impl Actor for Sum {
    type Msg = Add;
    fn handle(&mut self, Add(n): Add, _: &mut Context<'_, Self>) {
        self.0 += n;
    }
}

#[test]
fn a_run_is_measured_through_the_facade() -> Result<(), Box<dyn std::error::Error>> {
    let theater = Theater::builder().stats(true).build()?;
    let sum = theater.spawn(Sum(0));
    let machine = Machine::look();
    let mut gauge = Gauge::new(machine.meter);
    let (before, span) = (theater.stats().ok_or("stats are on")?, gauge.start());
    (0..1000).try_for_each(|n| sum.send(Add(n)))?;
    let (reading, after) = (gauge.stop(span), theater.stats().ok_or("stats are on")?);
    match reading.processor_joules() {
        Ok(joules) => {
            let divided = Attribution::of(&before, &after).divide(&joules);
            assert_eq!(divided.actors.len(), 1);
            assert!(divided.actors[0].joules.high <= joules.high);
        }
        Err(why) => {
            eprintln!("skipped: {why}");
            assert!(!machine.missing.is_empty() || !reading.parts.is_empty());
        }
    }
    Ok(())
}
