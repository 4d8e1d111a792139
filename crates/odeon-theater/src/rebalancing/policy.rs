//! Who decides what is to move.

use crate::{MobileId, TheaterId};

/// Says which actors of a theater are to move, and to where. It is asked in each period; more than
/// may be moved in one, and what cannot be, is passed over.
///
/// ```
/// use odeon_theater::{MobileId, Policy, Situation, TheaterId};
///
/// /// All go to one theater, as long as it is there.
/// struct To(TheaterId);
///
/// impl Policy for To {
///     fn choose(&mut self, situation: &Situation) -> Vec<(MobileId, TheaterId)> {
///         situation.actors.iter().map(|actor| (actor.id, self.0)).collect()
///     }
/// }
/// ```
pub trait Policy: Send + 'static {
    /// The moves that are to be made, the most urgent first.
    fn choose(&mut self, situation: &Situation) -> Vec<(MobileId, TheaterId)>;
}

/// What is known when is decided.
#[derive(Debug, Clone, PartialEq)]
pub struct Situation {
    /// The theater that decides.
    pub theater: TheaterId,
    /// What there is to do in it.
    pub load: Load,
    /// Its actors that may move: not those that have come lately.
    pub actors: Vec<Measured>,
    /// The other theaters that take part and take in actors, in the order of their identities.
    pub others: Vec<(TheaterId, Load)>,
}

/// What the mobile actors of a theater have done in the last period.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Load {
    /// How many messages they have handled in a second.
    pub messages_per_second: f64,
    /// How many they are.
    pub actors: usize,
    /// Whether they were the same all the time, and the ones that they are: what the last moves
    /// have changed is in these numbers.
    pub is_steady: bool,
}

/// What one actor has done in the last period.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// Which one.
    pub id: MobileId,
    /// Its [kind](crate::Mobile::KIND).
    pub kind: String,
    /// How many messages it has handled in a second.
    pub messages_per_second: f64,
}
