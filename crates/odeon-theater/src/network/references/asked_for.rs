//! What a type of messages is called between theaters: its name, and the fingerprint of its layout
//! behind that.

use std::any::type_name;
use std::fmt;

use odeon_core::Message;
use odeon_core::wire::{Inbound, layout_of};
use serde::de::DeserializeOwned;

use crate::network::references::remote_error::RemoteError;

/// See the module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Messages {
    name: &'static str,
    layout: u64,
}

impl Messages {
    pub(crate) fn of<M: Message + DeserializeOwned>() -> Self {
        Self { name: type_name::<M>(), layout: layout_of::<M>() }
    }

    /// Those of an actor.
    pub(crate) fn to(actor: &dyn Inbound) -> Self {
        Self { name: actor.message_name(), layout: actor.message_layout() }
    }

    /// To who has asked for an actor that takes `asked_for`, of one that takes these.
    pub(in crate::network) fn answer(self, asked_for: &str) -> Result<(), RemoteError> {
        let takes = self.to_string();
        if takes == asked_for {
            return Ok(());
        }
        Err(RemoteError::OtherMessages(other_messages(&takes, asked_for)))
    }
}

/// What is to be said of the messages that an actor takes to who has asked for these.
pub(crate) fn other_messages(takes: &str, asked_for: &str) -> String {
    let name = |messages: &str| messages.split(LAYOUT).next().unwrap_or_default().to_owned();
    let (takes, asked_for) = (name(takes), name(asked_for));
    if takes == asked_for { format!("{takes}, of another layout") } else { takes }
}

/// Between the two. No name of a type has it.
const LAYOUT: char = '#';

impl fmt::Display for Messages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{LAYOUT}{:016x}", self.name, self.layout)
    }
}
