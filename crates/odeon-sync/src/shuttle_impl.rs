//! Randomised model: one seed, one schedule. Threads are coroutines of one operating system
//! thread, so thread-local values must be shuttle's.

pub use crate::unsafe_cell::UnsafeCell;
pub use shuttle::sync::{Arc, Condvar, Mutex, MutexGuard};

/// Atomics and their orderings.
pub mod atomic {
    pub use shuttle::sync::atomic::{
        AtomicBool, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence,
    };
}

/// Threads.
pub mod thread {
    pub use shuttle::thread::{Builder, JoinHandle, current, spawn, yield_now};
}

/// A waiting loop must let the other model threads run.
#[inline(always)]
pub fn spin_loop() {
    shuttle::thread::yield_now();
}

#[doc(hidden)]
pub use shuttle as __shuttle;

/// A thread-local value of a model thread.
#[macro_export]
macro_rules! thread_local_const {
    ($(#[$attr:meta])* static $name:ident : $ty:ty = $init:expr) => {
        $crate::__shuttle::thread_local! { $(#[$attr])* static $name: $ty = $init }
    };
}

/// A value that is made anew in each execution.
#[macro_export]
macro_rules! static_lazy {
    ($(#[$attr:meta])* static $name:ident : $ty:ty = $init:expr $(;)?) => {
        $crate::__shuttle::lazy_static! { $(#[$attr])* static ref $name: $ty = $init; }
    };
}

/// Two thread-local values of a model thread. The second one is made first, and so dropped first.
#[macro_export]
macro_rules! thread_local_with_end {
    (
        $(#[$attr:meta])* static $name:ident : $ty:ty = $init:expr;
        $(#[$end_attr:meta])* end $end:ident : $end_ty:ty = $end_init:expr;
    ) => {
        $crate::__shuttle::thread_local! {
            $(#[$attr])* static $name: $ty = { $end.with(|_| ()); $init };
            $(#[$end_attr])* static $end: $end_ty = $end_init;
        }
    };
}
