//! The settings of names.

use std::time::Duration;

/// Settings of [`Names`](crate::Names): plain data, to be changed field by field.
///
/// ```
/// use odeon_theater::NameSettings;
///
/// // Of five theaters, those that see fewer than three give no names away.
/// let settings = NameSettings { least_servers: 3, ..NameSettings::default() };
/// assert_eq!(settings.validate(), Ok(()));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NameSettings {
    /// How many name servers know a name: all but one of them may be lost at the same moment, and
    /// nobody else gets it. 3; at least 1. If theaters differ, the greatest number counts.
    pub replicas: usize,
    /// How many name servers must be in sight, this one among them, before one gives a name away or
    /// says that nobody has it. Until then who asks waits. 1.
    pub least_servers: usize,
    /// After how long without a decision a question about a name is given up
    /// ([`NameError::Unavailable`](crate::NameError::Unavailable)). 10 s.
    pub give_up_after: Duration,
    /// How long who may spawn an actor for a name has it to himself. 5 s.
    pub spawn_within: Duration,
    /// How often theaters are looked for that have been lost. 1 s.
    pub seek_every: Duration,
    /// For how long they are. 10 minutes.
    pub seek_for: Duration,
}

impl Default for NameSettings {
    fn default() -> Self {
        Self {
            replicas: 3,
            least_servers: 1,
            give_up_after: Duration::from_secs(10),
            spawn_within: Duration::from_secs(5),
            seek_every: Duration::from_secs(1),
            seek_for: Duration::from_secs(600),
        }
    }
}

impl NameSettings {
    /// Whether names can work with these settings.
    ///
    /// # Errors
    /// The relation that does not hold.
    pub fn validate(&self) -> Result<(), &'static str> {
        let relations = [
            (self.replicas >= 1, "replicas is at least 1"),
            (self.least_servers >= 1, "least_servers is at least 1"),
            (self.give_up_after > Duration::ZERO, "give_up_after is above 0"),
            (self.spawn_within > Duration::ZERO, "spawn_within is above 0"),
            (self.seek_every > Duration::ZERO, "seek_every is above 0"),
        ];
        relations.into_iter().find(|(holds, _)| !holds).map_or(Ok(()), |(_, what)| Err(what))
    }
}
