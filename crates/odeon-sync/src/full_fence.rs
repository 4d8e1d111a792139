//! Full fences that cost nothing where the processor does their work already.

use crate::atomic::{Ordering, fence};

/// Orders a read-modify-write of this thread, and what came before it, before everything behind the
/// fence.
///
/// On x86-64 every read-modify-write instruction is a full barrier, so only the compiler has to be
/// told; elsewhere, and in the models, this is `fence(SeqCst)`. Plain stores between the
/// read-modify-write and this are not ordered. The read-modify-write must not be Relaxed or Release
/// with an unused result: the compiler may make a plain store of that.
#[inline(always)]
pub fn fence_after_rmw() {
    if cfg!(all(target_arch = "x86_64", not(any(odeon_loom, odeon_shuttle)))) {
        std::sync::atomic::compiler_fence(Ordering::SeqCst);
    } else {
        // ORDERING: SeqCst: the two sides of a "store, then look" are named at each caller.
        fence(Ordering::SeqCst);
    }
}

/// Orders an Acquire load of this thread, and the store that it has seen, before everything behind
/// the fence: who has seen another thread's store does not miss what yet another thread had stored
/// before it failed to see it.
///
/// Where a store becomes visible to all other processors at once (x86-64, AArch64) the Acquire load
/// does that, and only the compiler has to be told; elsewhere, and in the models, this is
/// `fence(SeqCst)`.
#[inline(always)]
pub fn fence_after_load() {
    let at_once = cfg!(any(target_arch = "x86_64", target_arch = "aarch64"));
    if at_once && cfg!(not(any(odeon_loom, odeon_shuttle))) {
        std::sync::atomic::compiler_fence(Ordering::SeqCst);
    } else {
        // ORDERING: SeqCst: the sides are named at each caller.
        fence(Ordering::SeqCst);
    }
}
