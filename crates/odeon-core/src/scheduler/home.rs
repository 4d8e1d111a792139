//! Where an actor is at home, as one comparable word.

use super::pinned::PinnedShared;
use super::submit::Submit;
use crate::timer::Timers;

/// The stage of an actor or of a thread: compared once per send.
///
/// A pinned or dedicated stage is the address of its shared part; any other stage is the address of
/// its `Submit` implementation with the lowest bit set, and so is the thread of a theater's timers,
/// at which no actor is at home.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Home(*const ());

const SUBMITTED: usize = 1;

impl Home {
    /// A thread that belongs to no stage.
    pub(crate) const NOWHERE: Self = Self(std::ptr::null());

    pub(crate) fn pinned(stage: &PinnedShared) -> Self {
        Self(std::ptr::from_ref(stage).cast())
    }

    pub(crate) fn submitting(stage: &dyn Submit) -> Self {
        Self(std::ptr::from_ref(stage).cast::<()>().map_addr(|address| address | SUBMITTED))
    }

    pub(crate) fn timers(timers: &Timers) -> Self {
        Self(std::ptr::from_ref(timers).cast::<()>().map_addr(|address| address | SUBMITTED))
    }

    /// The pinned or dedicated stage, if it is one. Null for `NOWHERE`.
    #[inline(always)]
    pub(crate) fn as_pinned(self) -> Option<*const PinnedShared> {
        (self.0.addr() & SUBMITTED == 0).then_some(self.0.cast())
    }
}
