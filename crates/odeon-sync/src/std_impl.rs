//! Production: everything is `std`'s.

pub use crate::unsafe_cell::UnsafeCell;
pub use std::sync::{Arc, Condvar, Mutex, MutexGuard};

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
