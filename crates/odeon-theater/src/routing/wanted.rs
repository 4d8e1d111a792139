//! What is asked of another theater.

use serde::{Deserialize, Serialize};

/// See the module.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Wanted {
    /// The actor that is published under this name.
    Actor { name: String },
    /// A new actor of this version of this kind, made of these arguments.
    New { kind: String, version: u32, arguments: Vec<u8> },
}
