//! What each actor has had a device draw.

use super::{ActorJoules, Attribution, told};
use crate::Estimate;
use crate::attribution::busy::Busy;
use odeon_core::ActorId;
use std::time::Duration;

/// How long an actor had a device work for it, in the span: the differences of what `DeviceStats`
/// of `odeon-device` tells at both ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeviceUse {
    /// The actor.
    pub id: ActorId,
    /// The time in its handlers (`DeviceStats::in_handler`).
    pub in_handlers: Duration,
    /// Messages that these have taken (`DeviceStats::messages`).
    pub messages: u64,
}

/// What each has had a device draw; together it is what was divided.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct DividedDevice {
    /// The users that were alive at the end, most joules first. Their `busy` is the time in their
    /// handlers.
    pub actors: Vec<ActorJoules>,
    /// What it has drawn besides: for actors that have ended, for who is not named, for nobody.
    pub rest: Estimate,
}

impl Attribution {
    /// Divides the joules of one device among the actors that use it, by the time in their
    /// handlers. `peak_watts`: what it draws at most
    /// ([`Domain::peak_watts`](crate::Domain::peak_watts)).
    ///
    /// How much of a handler's time the device has worked is not known, and who else uses it
    /// neither. So each part is between nothing and what is possible: the peak for all of that
    /// time, with [`turns_up_to`](Self::turns_up_to), and not more than there is. That holds for
    /// handlers that wait for what they launch, as those do that take their messages when it is
    /// done.
    ///
    /// ```
    /// # use odeon_core::*;
    /// # use odeon_energy::{Attribution, DeviceUse, Estimate};
    /// # use std::time::Duration;
    /// # struct OnDevice;
    /// # impl Actor for OnDevice {
    /// #     type Msg = ();
    /// #     fn handle(&mut self, _: (), _: &mut Context<'_, Self>) {}
    /// # }
    /// # let theater = Theater::builder().stats(true).build()?;
    /// # let (one, other) = (theater.spawn(OnDevice), theater.spawn(OnDevice));
    /// # let (before, after) = (theater.stats().unwrap(), theater.stats().unwrap());
    /// let used = |id, ms| DeviceUse { id, in_handlers: Duration::from_millis(ms), messages: 10 };
    /// let joules = Estimate::new(90.0, 0.0, 0.0, "GPU 0");
    /// let divided = Attribution::of(&before, &after)
    ///     .divide_device(&joules, 700.0, &[used(one.id(), 100), used(other.id(), 200)]);
    /// assert_eq!(divided.actors[0].joules.value, 60.0);
    /// // 700 W for 100 ms would be 70 J.
    /// assert_eq!((divided.actors[1].joules.low, divided.actors[1].joules.high), (0.0, 70.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn divide_device(
        &self,
        joules: &Estimate,
        peak_watts: f64,
        users: &[DeviceUse],
    ) -> DividedDevice {
        let all: f64 = users.iter().map(|user| user.in_handlers.as_secs_f64()).sum();
        let mut rest = Estimate { low: joules.low.min(0.0), ..joules.clone() };
        let mut actors = Vec::new();
        for user in users {
            let Some(known) = self.busy.iter().find(|busy| busy.whose.id == user.id) else {
                continue;
            };
            let time = user.in_handlers.as_secs_f64();
            let part = if all > 0.0 { joules.value * (time / all) } else { 0.0 };
            let high = (peak_watts * (time + self.turn.as_secs_f64())).min(joules.high.max(0.0));
            let value = part.min(high);
            let source = joules.source.clone();
            rest.value -= value;
            let joules = Estimate { value, low: joules.low.min(0.0), high, source };
            let (time, messages) = (user.in_handlers, user.messages);
            actors.push(told(&Busy { time, messages, ..known.clone() }, joules));
        }
        actors.sort_by(|one, other| other.joules.value.total_cmp(&one.joules.value));
        DividedDevice { actors, rest }
    }
}
