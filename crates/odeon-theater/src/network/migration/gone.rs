//! An actor that has been let go.

use std::time::Duration;

use crate::TheaterId;
use crate::routing::asker::Asker;

/// It has been let go, and it is not known yet that it sits.
pub(super) struct Gone {
    pub(super) to: TheaterId,
    pub(super) asker: Asker,
    pub(super) begun: Duration,
    pub(super) gone: Duration,
    pub(super) bytes: u64,
}
