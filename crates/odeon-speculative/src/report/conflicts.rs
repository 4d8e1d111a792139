//! Which messages were rolled back because of which variables: a table that only rollbacks touch.

use crate::report::counts::{BoundedCounts, name_of};
use odeon_core::Message;
use odeon_stm::Cause;
use odeon_stm::staged::RolledBack;

/// What an attempt is called that handles no message.
const STARTED: &str = "started";

/// Attempts of one kind of message that were rolled back for one cause at one variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Conflict {
    /// The label of the variable; `None` if it has none ([`Labelled`](odeon_stm::Labelled)), or if
    /// the cause is not one variable.
    pub variable: Option<&'static str>,
    /// What was rolled back, as [`Message::message_name`] calls it; `started` for the start of the
    /// actor.
    pub message: &'static str,
    /// Why.
    pub cause: Cause,
    /// How often.
    pub rollbacks: u64,
}

/// The table of one actor.
#[derive(Debug, Default)]
pub(crate) struct Conflicts(BoundedCounts<ConflictRow>);

/// Variable, message, cause.
type ConflictRow = (Option<&'static str>, &'static str, usize);

impl Conflicts {
    /// An attempt at `message`, if it was at one, was rolled back.
    #[cold]
    pub(crate) fn count<M: Message>(&self, rolled_back: &RolledBack, message: Option<&M>) {
        let name = message.map_or(STARTED, name_of);
        self.0.count((rolled_back.label(), name, rolled_back.cause() as usize));
    }

    /// The rows, most rollbacks first, and how many rollbacks are in none.
    pub(crate) fn all(&self) -> (Vec<Conflict>, u64) {
        let (rows, others) = self.0.all();
        let conflict = |((variable, message, cause), rollbacks): (ConflictRow, u64)| Conflict {
            variable,
            message,
            cause: Cause::ALL[cause],
            rollbacks,
        };
        (rows.into_iter().map(conflict).collect(), others)
    }
}
