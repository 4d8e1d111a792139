//! Exhaustive model: every interleaving within loom's bounds.

pub use loom::cell::UnsafeCell;
pub use loom::sync::{Arc, Condvar, Mutex, MutexGuard};

/// Atomics and their orderings.
pub mod atomic {
    pub use loom::sync::atomic::{
        AtomicBool, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence,
    };
}

/// Threads.
pub mod thread {
    pub use loom::thread::{Builder, JoinHandle, current, spawn, yield_now};
}

/// A waiting loop must let the other model threads run.
#[inline(always)]
pub fn spin_loop() {
    loom::thread::yield_now();
}

/// A thread-local value. Code under loom does not depend on it, so `std`'s serves.
#[macro_export]
macro_rules! thread_local_const {
    ($(#[$attr:meta])* static $name:ident : $ty:ty = $init:expr) => {
        ::std::thread_local! { $(#[$attr])* static $name: $ty = const { $init } }
    };
}
