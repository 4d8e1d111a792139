//! Who keeps the ledger.

use serde::{Deserialize, Serialize};
use std::fmt;

/// One of the ways.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum HotWay {
    /// A durable actor.
    Durable,
    /// The same actor without a log.
    Volatile,
}

impl HotWay {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Durable, Self::Volatile];
}

impl fmt::Display for HotWay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Durable => "durable",
            Self::Volatile => "volatile",
        })
    }
}
