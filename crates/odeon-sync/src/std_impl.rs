//! Production: everything is `std`'s. In a build that measures, locks count.

#[cfg(odeon_measured)]
pub use crate::measured::{Condvar, Mutex, MutexGuard};
pub use crate::unsafe_cell::UnsafeCell;
pub use std::sync::Arc;
#[cfg(not(odeon_measured))]
pub use std::sync::{Condvar, Mutex, MutexGuard};

/// Atomics and their orderings.
pub mod atomic {
    pub use std::sync::atomic::{
        AtomicBool, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence,
    };
}

/// Threads.
pub mod thread {
    pub use std::thread::{Builder, JoinHandle, current, spawn, yield_now};
}

/// Tells the processor that this is a waiting loop.
#[inline(always)]
pub fn spin_loop() {
    std::hint::spin_loop();
}

/// A thread-local value that needs no lazy initialisation and no destructor.
#[macro_export]
macro_rules! thread_local_const {
    ($(#[$attr:meta])* static $name:ident : $ty:ty = $init:expr) => {
        ::std::thread_local! { $(#[$attr])* static $name: $ty = const { $init } }
    };
}

/// A value that is made at the first look and stays: one of the process; in a model, one of each
/// execution.
#[macro_export]
macro_rules! static_lazy {
    ($(#[$attr:meta])* static $name:ident : $ty:ty = $init:expr $(;)?) => {
        $(#[$attr])* static $name: ::std::sync::LazyLock<$ty> = ::std::sync::LazyLock::new(|| $init);
    };
}

/// A thread-local value as of [`thread_local_const`](crate::thread_local_const), and one that is
/// dropped at the thread's end, when the first one is still there.
#[macro_export]
macro_rules! thread_local_with_end {
    (
        $(#[$attr:meta])* static $name:ident : $ty:ty = $init:expr;
        $(#[$end_attr:meta])* end $end:ident : $end_ty:ty = $end_init:expr;
    ) => {
        ::std::thread_local! {
            $(#[$attr])* static $name: $ty = const { $init };
            $(#[$end_attr])* static $end: $end_ty = const { $end_init };
        }
    };
}
