//! What other theaters may ask for: actors by the names under which they are published, and new
//! ones (`kinds.rs`).

use std::collections::HashMap;

use odeon_core::wire::{Erased, Passage};
use odeon_sync::{Mutex, MutexGuard};

use crate::network::references::asked_for::Messages;
use crate::network::references::kinds::Kinds;
use crate::network::references::remote_error::RemoteError;
use crate::routing::wanted::Wanted;

/// See the module.
#[derive(Default)]
pub(in crate::network) struct Published {
    actors: Mutex<HashMap<String, Erased>>,
    pub(in crate::network) kinds: Kinds,
}

impl Published {
    /// The actor that is wanted by somebody who knows it by these messages.
    pub(in crate::network) fn get(
        &self,
        passage: &dyn Passage,
        wanted: &Wanted,
        messages: &str,
    ) -> Result<Erased, RemoteError> {
        match wanted {
            Wanted::Actor { name } => {
                let actors = self.actors();
                let actor = actors.get(name).cloned().ok_or(RemoteError::NotFound)?;
                Messages::to(&*actor.0).answer(messages).map(|()| actor)
            }
            Wanted::New { kind, version, arguments } => {
                self.kinds.make(passage, (kind, *version), messages, arguments)
            }
        }
    }

    pub(in crate::network) fn actors(&self) -> MutexGuard<'_, HashMap<String, Erased>> {
        self.actors.lock().expect("nothing panics under this lock")
    }
}
