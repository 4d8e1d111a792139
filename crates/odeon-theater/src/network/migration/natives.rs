//! Mobile actors that sit where they were created and have not been introduced: of which network
//! they are.

use std::sync::{Arc, OnceLock};

use odeon_sync::atomic::{AtomicBool, Ordering};

/// What the networks of one theater have in common: whether one of them has created a mobile actor.
/// Those that have not been introduced are of that one.
#[derive(Default)]
pub(in crate::network) struct Claim(AtomicBool);

/// See the module.
pub(in crate::network) struct Natives {
    claim: Arc<Claim>,
    /// Whether they are of this network, from the first mobile actor on that it has created.
    are_ours: OnceLock<bool>,
}

impl Natives {
    pub(in crate::network) fn of(claim: Arc<Claim>) -> Self {
        Self { claim, are_ours: OnceLock::new() }
    }

    /// This network creates a mobile actor. `true`: it is introduced when somebody asks for it, as
    /// all are that the first network creates; those of others at once.
    pub(in crate::network) fn claim(&self) -> bool {
        // ORDERING: Relaxed: the swap alone decides.
        *self.are_ours.get_or_init(|| !self.claim.0.swap(true, Ordering::Relaxed))
    }

    /// Whether they are of this network.
    pub(in crate::network) fn are_ours(&self) -> bool {
        self.are_ours.get().copied().unwrap_or_default()
    }
}
