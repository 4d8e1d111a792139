//! Effects of what is undone within its transaction.

use odeon_stm::Tx;
use odeon_sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

/// Answers, once the transaction has committed, whether what it has written up to now is in that
/// commit: not undone by the end of a nested part, or by [`Tx::undo`].
///
/// WHY: effects are held back for a whole message. One that tells of a part which was undone would
/// tell of what no log has.
pub(super) fn is_kept(tx: &mut Tx<'_>) -> impl FnOnce() -> bool + Send + 'static {
    let is_undone = Arc::new(AtomicBool::new(false));
    tx.on_rollback({
        let is_undone = is_undone.clone();
        // ORDERING: Relaxed: hooks are called before the effects of their message happen, or are
        // handed to whoever has them happen.
        move || is_undone.store(true, Ordering::Relaxed)
    });
    // ORDERING: Relaxed: as above.
    move || !is_undone.load(Ordering::Relaxed)
}
