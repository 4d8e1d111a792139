//! The settings of rebalancing.

use std::time::Duration;

/// Settings of a [`Rebalancer`](crate::Rebalancer): plain data, to be changed field by field.
///
/// ```
/// use odeon_theater::RebalanceSettings;
///
/// let settings = RebalanceSettings { most_moves: 2, ..RebalanceSettings::default() };
/// assert_eq!(settings.validate(), Ok(()));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RebalanceSettings {
    /// How often is measured, and decided. 5 s. The same for all theaters that take part.
    pub every: Duration,
    /// How many actors of this theater are moved at most in that time. 8; at least 1.
    pub most_moves: usize,
    /// For how long an actor stays where it has come to, or where its last attempt to move has
    /// failed. 30 s.
    pub rest: Duration,
}

impl Default for RebalanceSettings {
    fn default() -> Self {
        Self { every: Duration::from_secs(5), most_moves: 8, rest: Duration::from_secs(30) }
    }
}

impl RebalanceSettings {
    /// Whether actors can be moved by these settings.
    ///
    /// # Errors
    /// The relation that does not hold.
    pub fn validate(&self) -> Result<(), &'static str> {
        let relations = [
            (self.every > Duration::ZERO, "every is above 0"),
            (self.most_moves >= 1, "most_moves is at least 1"),
        ];
        relations.into_iter().find(|(holds, _)| !holds).map_or(Ok(()), |(_, what)| Err(what))
    }
}
