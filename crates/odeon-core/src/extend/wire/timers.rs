//! Timers in the state of an actor that moves, whose own timers go with it.

use serde::de::Error as _;
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::error::WireError;
use super::passage;
use crate::extend::{self, LetterName};
use crate::lifecycle::timer::Timer;

/// Written as the name of the timer, within what goes to other theaters.
///
/// # Errors
/// Anywhere else; and if it is none that a mobile actor has begun for itself by
/// [`send_after`](crate::Context::send_after): what others have begun, and what is periodic, stays
/// in its theater.
impl Serialize for Timer {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let stays = WireError::Refused("a timer that stays in its theater");
        let name = passage::with(|_| extend::name_of_timer(self).ok_or(stays));
        let LetterName { theater, number } = name.map_err(S::Error::custom)?;
        (theater, number).serialize(serializer)
    }
}

/// Read within what comes from other theaters: the timer of this name, once it has come here with
/// its actor.
///
/// # Errors
/// Anywhere else.
impl<'de> Deserialize<'de> for Timer {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (theater, number) = Deserialize::deserialize(deserializer)?;
        let stage = passage::with(|passage| passage.stage()).map_err(D::Error::custom)?;
        Ok(extend::timer_named(&*stage, LetterName { theater, number }))
    }
}
