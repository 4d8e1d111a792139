//! What an engine gets to know of its theater.

use crate::coordination::Precedence;
use crate::executor::engine::Surroundings;
use odeon_core::Theater;
use odeon_core::extend;

impl Surroundings {
    /// Those in a theater.
    pub fn of(theater: &Theater) -> Self {
        Self {
            clock: extend::clock(theater),
            workers: extend::workers(theater),
            transactions: extend::belonging::<Precedence>(theater),
            congestion: extend::congestion(theater),
        }
    }
}
