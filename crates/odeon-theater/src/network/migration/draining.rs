//! A theater is emptied before it leaves: its mobile actors move to others, and nobody's way leads
//! by it any more.

mod drainer;

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use odeon_core::{Ask, extend};
use serde::{Deserialize, Serialize};

use self::drainer::Drainer;
use crate::network::handle::Network;
use crate::network::inner::Inner;
use crate::network::references::mobile_actor::MobileActor;
use crate::{MigrateError, MobileId, TheaterId};

/// What has come of a [`Network::drain`].
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Drained {
    /// The actors that have moved, and to where.
    pub moved: Vec<(MobileId, TheaterId)>,
    /// Those that are still here, and why.
    pub kept: Vec<(MobileId, Kept)>,
    /// Those that were lost with the theater to which they were on their way.
    pub lost: Vec<(MobileId, TheaterId)>,
    /// How many other actors of this theater others refer to: they do not move, and end with it.
    /// Those with which a theater serves others are among them, as name servers.
    pub immobile: usize,
    /// By how many seats of actors that have moved others' ways still lead. Zero unless the time
    /// was up: then references that lead by this theater end with it.
    pub led_by: usize,
    /// How many of the actors that have moved still expect something of this theater: an answer, or
    /// messages that actors here have just sent. Zero unless the time was up: then it is lost when
    /// the theater goes.
    pub expecting: usize,
    /// How many answers to questions of other theaters still come by this one, on their way from
    /// actors that have moved. Zero unless the time was up: then their askers are told that there
    /// is none when the theater goes.
    pub passing: usize,
}

impl Drained {
    /// Whether all mobile actors have moved, nobody's way leads by this theater, nothing here is
    /// still to go on to them, and no answer comes by it: nobody loses anything when it leaves but
    /// those who refer to other actors of it.
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty() && self.led_by == 0 && self.expecting == 0 && self.passing == 0
    }
}

/// Why an actor is still in a theater that was drained.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Kept {
    /// There was no other theater for it: none at all, or none that has registered any kind of
    /// mobile actor.
    NoTheater,
    /// It cannot move, or all theaters have refused it: the last reason.
    Refused(MigrateError),
    /// It has not come to moving within the time: it is still busy with what was sent to it before.
    /// It may still move.
    Busy,
}

impl fmt::Display for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoTheater => f.write_str("there is no theater for it"),
            Self::Refused(error) => error.fmt(f),
            Self::Busy => f.write_str("it has been busy all the time"),
        }
    }
}

/// Says where an actor is to go, of these theaters.
type Choose = Box<dyn FnMut(&MobileActor, &[TheaterId]) -> Option<TheaterId> + Send>;

impl Network {
    /// Empties this theater: its mobile actors move to the others that are there, to each of them
    /// equally many. From here on no actor may come ([`MigrateError::Drained`]), nor be created
    /// from elsewhere, until it is [reopened](Self::reopen).
    ///
    /// The answer comes when all have moved that can, all theaters that have sent to them by this
    /// one send to where they are, and all questions that they have asked here, and all that others
    /// have asked them by this theater, are answered; at the latest when the time `within` is up.
    /// Then the theater can [leave](Self::leave), and all references to them go on.
    ///
    /// The timers that an actor has begun for itself go with it. Messages of other timers come from
    /// here also after it has moved, and are lost when the theater goes (S34).
    ///
    /// ```
    /// # use odeon_core::*;
    /// # use odeon_theater::*;
    /// # use std::time::Duration;
    /// # let theater = Theater::new()?;
    /// # let net = InMemoryNetwork::new(1);
    /// # let network = Network::join(&theater, TheaterId::random(), LinkConfig::new("shop", 65_000), |id, listener| {
    /// #     Ok::<_, std::convert::Infallible>(std::sync::Arc::new(net.join(id, listener)))
    /// # })?;
    /// let drained = network.drain(Duration::from_secs(30)).wait()?;
    /// assert!(drained.is_empty());
    /// network.leave(Duration::from_secs(2));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn drain(&self, within: Duration) -> Ask<Drained> {
        let mut given = HashMap::<TheaterId, usize>::new();
        self.drain_by(within, move |_, theaters| {
            let fewest = |theater: &&TheaterId| (given.get(theater).copied(), **theater);
            let to = *theaters.iter().min_by_key(fewest)?;
            *given.entry(to).or_default() += 1;
            Some(to)
        })
    }

    /// As [`drain`](Self::drain), to where `choose` says: it is given an actor and the theaters
    /// that have not refused it, and may be asked again for the same one. `None`: it stays.
    pub fn drain_by(
        &self,
        within: Duration,
        choose: impl FnMut(&MobileActor, &[TheaterId]) -> Option<TheaterId> + Send + 'static,
    ) -> Ask<Drained> {
        let (reply, ask) = extend::question();
        self.inner.migrations.refuse_arrivals(true);
        let drainer = Drainer::new(self.downgrade(), self.clock(), within, Box::new(choose), reply);
        // If the theater has ended nobody answers.
        if let Some(drainer) = self.spawn(drainer) {
            drainer::begin(&drainer);
        }
        ask
    }

    /// Actors may come to this theater again, and be created from elsewhere.
    pub fn reopen(&self) {
        self.inner.migrations.refuse_arrivals(false);
    }
}

impl Inner {
    /// Tells all that refer to seats from which actors have moved. Answers how many such seats are
    /// referred to from elsewhere.
    fn turn_holders_away(self: &Arc<Self>) -> usize {
        let left = self.seats.left();
        left.iter().for_each(|&seat| self.tell_holders(seat));
        left.iter().filter(|&&seat| self.exports.get(seat).is_some()).count()
    }

    /// How many actors others refer to that are not mobile.
    fn immobile(&self) -> usize {
        let exported = self.exports.actors();
        exported.into_iter().filter(|&actor| self.seats.who(actor).is_none()).count()
    }
}
