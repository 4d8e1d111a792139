//! Whose joules they were.
//!
//! | question | file |
//! |---|---|
//! | what share has who was busy for so long? | `attribution/shares.rs` |
//! | what was each actor busy with? | `attribution/busy.rs` |
//! | what has each had a device draw? | `attribution/devices.rs` |
//! | what did other programs do meanwhile? | `attribution/machine_load.rs` |
//!
//! METHOD. Counters tell of a package, not of an actor: all that is measured is divided by busy
//! time. Who was busy for a share of all busy time has that share of the joules. That is right if a
//! core draws the same whatever it does, and it does not: frequencies change, vector units and
//! memory draw more than waiting for a cache line. So each share has bounds, which hold if any two
//! busy seconds differ by a factor of [`PowerSpread`] at most in what they draw: then who was busy
//! for `b` of `b + o` seconds has at least `b / (b + r o)` of the joules, and at most
//! `r b / (r b + o)`.

mod busy;
mod devices;
mod machine_load;
mod shares;

use crate::unavailable::Unavailable;
use crate::{Estimate, Figure};
use busy::{Busy, Whose, busy};
use odeon_core::{ActorId, Stats};
use std::sync::Arc;
use std::time::Duration;

pub use devices::{DeviceUse, DividedDevice};
pub use machine_load::MachineLoad;
pub use shares::{PowerSpread, Share, shares};

/// Attributes joules to the actors of a theater, by what its [`Stats`] tell of a span of time.
///
/// ```
/// use odeon_core::*;
/// use odeon_energy::{Attribution, Gauge, Machine};
/// # struct Adder(u64);
/// # impl Actor for Adder {
/// #     type Msg = u64;
/// #     fn handle(&mut self, n: u64, _: &mut Context<'_, Self>) { self.0 += n }
/// # }
///
/// let theater = Theater::builder().stats(true).build()?;
/// let adder = theater.spawn(Adder(0));
/// let mut gauge = Gauge::new(Machine::look().meter);
///
/// let (before, span) = (theater.stats().unwrap(), gauge.start());
/// (0..1000).try_for_each(|n| adder.send(n))?;
/// // .. until the work is done ..
/// let (reading, after) = (gauge.stop(span), theater.stats().unwrap());
///
/// match reading.processor_joules() {
///     Ok(joules) => {
///         for actor in Attribution::of(&before, &after).divide(&joules).actors {
///             println!("{}: {} J", actor.actor_type, actor.joules);
///         }
///     }
///     Err(why) => println!("energy is {why}"),
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// What devices take is not among it: [`divide_device`](Self::divide_device) divides that by the
/// time in device actors' handlers, and [`shares`] by whatever else whoever uses one measures.
///
/// # What the bounds assume
///
/// * Two busy seconds differ in what they draw by the factor of [`spread`](Self::spread) at most, 3
///   unless said otherwise.
/// * Nothing else runs on the machine, unless [`machine`](Self::machine) says how busy it was; and
///   threads that have work have a core to do it on.
/// * Turns that are under way when the numbers are taken are not longer than
///   [`turns_up_to`](Self::turns_up_to) says: their time is counted when they end. Of a theater
///   that is quiet at both moments the numbers are exact.
/// * If idle power is included, it is divided as the rest is.
///
/// Actors of a pinned stage are not timed one by one: its busy time is divided among them by
/// messages, and the bounds of each reach from nothing to all of it, unless it is alone there.
#[derive(Debug, Clone)]
pub struct Attribution {
    busy: Vec<Busy>,
    theater: Duration,
    machine: Option<(Duration, Duration)>,
    spread: PowerSpread,
    turn: Duration,
}

/// What each has taken; together it is what was divided.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Divided {
    /// The actors that were alive at the end, most joules first. What works for an actor is in that
    /// actor's.
    pub actors: Vec<ActorJoules>,
    /// What the theater's threads have taken besides while they had work: handing it on, actors
    /// that have ended meanwhile.
    pub theater: Estimate,
    /// What the rest of the machine has taken, with threads of the theater that looked for work and
    /// had none; `None` if it was taken to be quiet.
    pub others: Option<Estimate>,
}

/// What one actor has taken.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ActorJoules {
    /// The actor.
    pub id: ActorId,
    /// Its name, if it has one.
    pub name: Option<Arc<str>>,
    /// Its Rust type.
    pub actor_type: &'static str,
    /// Messages that it has handled in the span.
    pub messages: u64,
    /// How long it was busy in the span.
    pub busy: Duration,
    /// J.
    pub joules: Estimate,
    /// J for each message that it has handled.
    pub per_message: Figure,
}

impl Attribution {
    /// For the span between two collections of one theater's numbers.
    pub fn of(before: &Stats, after: &Stats) -> Self {
        let (busy, theater) = busy(before, after);
        let spread = PowerSpread::default();
        Self { busy, theater, machine: None, spread, turn: Duration::ZERO }
    }

    /// Other programs ran, too: how busy the machine was in the span.
    #[must_use]
    pub fn machine(mut self, before: &MachineLoad, after: &MachineLoad) -> Self {
        self.machine = Some((after.busy_since(before), MachineLoad::error()));
        self
    }

    /// By what factor busy seconds may differ in what they draw.
    #[must_use]
    pub fn spread(mut self, spread: PowerSpread) -> Self {
        self.spread = spread;
        self
    }

    /// The theater was not quiet when its numbers were taken: a turn then was not longer than this.
    #[must_use]
    pub fn turns_up_to(mut self, turn: Duration) -> Self {
        self.turn = turn;
        self
    }

    /// Divides `joules`, those of the processor.
    pub fn divide(&self, joules: &Estimate) -> Divided {
        let seconds = |time: Duration| time.as_secs_f64();
        let turn = seconds(self.turn);
        let mut parts: Vec<Share> = Vec::new();
        for busy in &self.busy {
            let slack = turn * busy.runners as f64;
            let share = Share::between(
                (seconds(busy.least) - slack).max(0.0),
                seconds(busy.time),
                seconds(busy.most) + slack,
            );
            parts.push(share);
        }
        let actors: f64 = parts.iter().map(|part| part.seconds).sum();
        let slack = turn * parts.len() as f64;
        let rest = (seconds(self.theater) - actors).max(0.0);
        parts.push(Share::between((rest - slack).max(0.0), rest, rest + slack));
        if let Some((machine, error)) = self.machine {
            let others = seconds(machine) - seconds(self.theater).max(actors);
            let (others, error) = (others.max(0.0), seconds(error) + slack);
            parts.push(Share::between((others - error).max(0.0), others, others + error));
        }
        let is_quiet = parts.iter().all(|part| part.seconds == 0.0);
        if is_quiet {
            // WHY: who has done nothing has taken nothing; what was drawn was drawn by the machine
            // around.
            let around = parts.len() - 1;
            parts[around] = Share::between(1.0, 1.0, 1.0);
        }
        let mut divided = shares(joules, &parts, self.spread).into_iter();
        let mut actors: Vec<ActorJoules> =
            self.busy.iter().zip(&mut divided).map(|(busy, joules)| told(busy, joules)).collect();
        actors.sort_by(|one, other| other.joules.value.total_cmp(&one.joules.value));
        let theater = divided.next().expect("there is a part for the theater");
        Divided { actors, theater, others: divided.next() }
    }
}

fn told(busy: &Busy, joules: Estimate) -> ActorJoules {
    let Whose { id, name, actor_type } = busy.whose.clone();
    let per_message = joules.per(busy.messages).map_err(|why| {
        Unavailable::new(why.cause().clone(), "the actor has handled no message in the span")
    });
    let (messages, busy) = (busy.messages, busy.time);
    ActorJoules { id, name, actor_type, messages, busy, joules, per_message }
}
