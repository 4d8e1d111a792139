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

#[doc(hidden)]
pub use loom as __loom;

/// A value that is made anew in each execution.
#[macro_export]
macro_rules! static_lazy {
    ($(#[$attr:meta])* static $name:ident : $ty:ty = $init:expr $(;)?) => {
        $crate::__loom::lazy_static! { $(#[$attr])* static ref $name: $ty = $init; }
    };
}

/// Two thread-local values of a model thread, of which the second one is never dropped: loom takes
/// the first one away before.
#[macro_export]
macro_rules! thread_local_with_end {
    (
        $(#[$attr:meta])* static $name:ident : $ty:ty = $init:expr;
        $(#[$end_attr:meta])* end $end:ident : $end_ty:ty = $end_init:expr;
    ) => {
        $crate::__loom::thread_local! {
            $(#[$attr])* static $name: $ty = $init;
            $(#[$end_attr])* static $end: ::std::mem::ManuallyDrop<$end_ty> =
                ::std::mem::ManuallyDrop::new($end_init);
        }
    };
}
