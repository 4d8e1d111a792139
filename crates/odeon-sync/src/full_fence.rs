//! A full fence that costs nothing where a read-modify-write is one already.

use crate::atomic::{Ordering, fence};

/// Orders a read-modify-write of this thread, and what came before it, before everything behind the fence.
///
/// On x86-64 every read-modify-write instruction is a full barrier, so only the compiler has to be told;
/// elsewhere, and in the models, this is `fence(SeqCst)`. Plain stores between the read-modify-write and
/// this are not ordered. The read-modify-write must not be Relaxed or Release with an unused result: the
/// compiler may make a plain store of that.
#[inline(always)]
pub fn fence_after_rmw() {
    if cfg!(all(target_arch = "x86_64", not(any(odeon_loom, odeon_shuttle)))) {
        std::sync::atomic::compiler_fence(Ordering::SeqCst);
    } else {
        // ORDERING: SeqCst: the two sides of a "store, then look" are named at each caller.
        fence(Ordering::SeqCst);
    }
}
