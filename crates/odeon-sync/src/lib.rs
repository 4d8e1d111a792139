//! Threads, atomics, locks and cells under one set of names.
//!
//! This is the only crate of Odeon in which `std`, `loom` and `shuttle` differ. Everything above
//! it is written once and compiled four ways:
//!
//! | build | chosen by | used for |
//! |---|---|---|
//! | production | nothing | everything |
//! | with locks that count | `RUSTFLAGS="--cfg odeon_measured"` | times of locks: [`lock_counts`] |
//! | exhaustive model | `RUSTFLAGS="--cfg odeon_loom"` | the small lock-free protocols |
//! | randomised model | `RUSTFLAGS="--cfg odeon_shuttle"` | the scheduler as a whole |
//!
//! With the last of these, `schedules` runs a test under many schedules. Beside these,
//! [`contained`] has what is done about panics of users' code.
//!
//! The names are our own (`odeon_loom`, not `loom`) because a `--cfg` reaches every crate of the
//! build and others react to the plain name.

#[cfg(not(any(odeon_loom, odeon_shuttle)))]
#[path = "std_impl.rs"]
mod chosen;
#[cfg(odeon_loom)]
#[path = "loom_impl.rs"]
mod chosen;
#[cfg(all(odeon_shuttle, not(odeon_loom)))]
#[path = "shuttle_impl.rs"]
mod chosen;

#[cfg(not(odeon_loom))]
mod unsafe_cell;

mod abort_guard;
mod backoff;
pub mod contained;
mod full_fence;
pub mod interruption;
mod lock_counts;
#[cfg(all(odeon_measured, not(any(odeon_loom, odeon_shuttle))))]
mod measured;
pub mod occupied;
mod parker;
#[cfg(odeon_shuttle)]
pub mod schedules;

pub use abort_guard::AbortGuard;
pub use backoff::Backoff;
pub use chosen::*;
pub use full_fence::{fence_after_load, fence_after_rmw};
pub use lock_counts::{LockCounts, lock_counts};
pub use parker::Parker;

#[cfg(all(test, odeon_loom))]
mod loom;
