//! What other theaters may ask for: actors by the names under which they are published, and new ones (`kinds.rs`).

use std::collections::HashMap;

use odeon_core::wire::{Erased, Passage};
use odeon_sync::{Mutex, MutexGuard};

use super::asked_for::Messages;
use super::kinds::Kinds;
use super::remote_error::RemoteError;
use super::wanted::Wanted;

/// See the module.
#[derive(Default)]
pub(super) struct Published {
    actors: Mutex<HashMap<String, Erased>>,
    pub(super) kinds: Kinds,
}

impl Published {
    /// The actor that is wanted by somebody who knows it by these messages.
    pub(super) fn get(
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

    pub(super) fn actors(&self) -> MutexGuard<'_, HashMap<String, Erased>> {
        self.actors.lock().expect("nothing panics under this lock")
    }
}
