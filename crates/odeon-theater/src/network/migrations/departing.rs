//! An actor that leaves this theater.

use std::sync::Arc;
use std::time::Duration;

use odeon_core::wire::{ReadState, Settler};

use crate::TheaterId;
use crate::network::left::Left;
use crate::network::migrated::MigrateError;
use crate::network::peer::Peer;
use crate::network::questions::Asker;

/// An actor that has been written, and not been let go.
pub(in crate::network) struct Departing {
    pub(in crate::network) attempt: u64,
    pub(in crate::network) to: Arc<Peer>,
    pub(super) asker: Asker,
    pub(super) begun: Duration,
    pub(super) state: Vec<u8>,
    /// What has left with it.
    pub(super) left: Vec<Left>,
    pub(super) read: ReadState,
    /// Why it stays after all, and how it has been read again.
    pub(super) why: Option<(MigrateError, Option<Settler>)>,
}

/// An actor that has been let go, and of which it is not known yet that it sits.
pub(super) struct Gone {
    pub(super) to: TheaterId,
    pub(super) asker: Asker,
    pub(super) begun: Duration,
    pub(super) gone: Duration,
    pub(super) bytes: u64,
}
