//! The kinds of actors that others may have created here.

use std::collections::HashMap;
use std::sync::Arc;

use odeon_core::wire::{Erased, Passage};
use odeon_sync::Mutex;
use odeon_sync::contained::Theirs;

use crate::network::references::asked_for::Messages;
use crate::network::references::remote_error::RemoteError;

pub(in crate::network) type Make =
    dyn Fn(&dyn Passage, &[u8]) -> Result<Erased, RemoteError> + Send + Sync;

pub(in crate::network) struct Registered {
    pub(in crate::network) version: u32,
    /// Those of its actors.
    pub(in crate::network) messages: Messages,
    pub(in crate::network) make: Theirs<Box<Make>>,
}

/// The kinds of a theater.
#[derive(Default)]
pub(in crate::network) struct Kinds(Mutex<HashMap<String, Arc<Registered>>>);

impl Kinds {
    /// In place of another one of this name.
    pub(in crate::network) fn register(&self, kind: &str, registered: Registered) {
        let mut kinds = self.0.lock().expect("nothing panics under this lock");
        let before = kinds.insert(kind.into(), Arc::new(registered));
        drop(kinds);
        drop(before);
    }

    /// An actor for whoever knows this version of a kind by these messages.
    pub(in crate::network) fn make(
        &self,
        passage: &dyn Passage,
        (kind, version): (&str, u32),
        messages: &str,
        arguments: &[u8],
    ) -> Result<Erased, RemoteError> {
        let kinds = self.0.lock().expect("nothing panics under this lock");
        let registered = kinds.get(kind).cloned().ok_or(RemoteError::UnknownKind)?;
        drop(kinds);
        if registered.version != version {
            return Err(RemoteError::OtherVersion { here: registered.version });
        }
        registered.messages.answer(messages)?;
        (registered.make)(passage, arguments)
    }
}
