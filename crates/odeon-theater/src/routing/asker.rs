//! Who has asked for a migration.

use crate::TheaterId;

/// A theater, and the number of its question.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asker {
    pub(crate) theater: TheaterId,
    pub(crate) question: u64,
}
