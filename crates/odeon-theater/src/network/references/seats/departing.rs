//! An actor that leaves this theater.

use std::sync::Arc;
use std::time::Duration;

use odeon_core::wire::{ReadState, Settler};

use crate::network::references::left::Left;
use crate::routing::asker::Asker;
use crate::routing::migrated::MigrateError;
use crate::routing::peer::Peer;

/// An actor that has been written, and not been let go.
pub(in crate::network) struct Departing {
    pub(in crate::network) attempt: u64,
    pub(in crate::network) to: Arc<Peer>,
    pub(in crate::network) asker: Asker,
    pub(in crate::network) begun: Duration,
    pub(in crate::network) state: Vec<u8>,
    /// What has left with it.
    pub(in crate::network) left: Vec<Left>,
    pub(in crate::network) read: ReadState,
    /// Why it stays after all, and how it has been read again.
    pub(in crate::network) why: Option<(MigrateError, Option<Settler>)>,
}
