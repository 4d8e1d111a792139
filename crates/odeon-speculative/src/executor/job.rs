//! A message on its way through the board.

use crate::executor::enlistment::{Company, Enlistment, GivesWay};
use odeon_core::Access;
use odeon_core::extend::{Lane, Place};

/// What a job needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum JobKind {
    /// To write: one of the places for changes.
    Change,
    /// To read, without a log.
    Read,
    /// To run alone.
    Alone,
}

/// A message that has been taken from the inbox, and where it belongs.
pub(crate) struct Job<M> {
    pub(crate) message: M,
    pub(crate) kind: JobKind,
    /// Whose messages must not overtake each other, if that matters.
    pub(crate) lane: Option<Lane>,
    pub(crate) access: Access,
    /// Where it has waited before it was taken from the inbox.
    pub(crate) mailbox: u8,
    /// The coordinated transaction that it is part of.
    pub(crate) enlistment: Option<Box<Enlistment>>,
    /// Whether it has joined the visits that have halted its lane (`lanes.rs`).
    pub(crate) joins_halted: bool,
    /// Whether others wait behind it for their guard (`parking/gate.rs`).
    pub(crate) is_scout: bool,
    /// Its place in a mailbox with a bound, until it is over.
    pub(crate) place: Option<Place>,
}

impl<M> Job<M> {
    /// A message that was sent in `lane`, to mailbox 0.
    pub(crate) fn new(message: M, access: Access, lane: Option<Lane>) -> Self {
        let kind = match access {
            Access::Exclusive => JobKind::Alone,
            Access::Snapshot | Access::Relaxed => JobKind::Read,
            Access::Update => JobKind::Change,
        };
        Self {
            message,
            kind,
            lane,
            access,
            mailbox: 0,
            enlistment: None,
            joins_halted: false,
            is_scout: false,
            place: None,
        }
    }

    /// The coordinated transaction that must not wait for it with anything in its hands.
    pub(crate) fn gives_way(&self) -> Option<GivesWay> {
        self.enlistment.as_ref().and_then(|enlistment| enlistment.gives_way())
    }

    /// With which visits in its lane it is not kept in order, if it is a visit.
    pub(crate) fn company(&self) -> Option<Company> {
        self.enlistment.as_ref().map(|enlistment| enlistment.company())
    }
}
