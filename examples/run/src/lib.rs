//! What a run of a program of actors needs, whoever runs it: an example or a benchmark.
//!
//! | question | file |
//! |---|---|
//! | the plainest actor system, which floors run on | `queue.rs` |
//! | which random numbers? | `random.rs` |
//! | what does a handler do that only takes time? | `busy_work.rs` |
//! | how does the driving thread learn that a run is over? | `finish.rs` |
//! | how long did it take? | `timed.rs` |
//! | how does it look at something meanwhile? | `watching.rs` |
//! | where are theaters built, and how do actors send? | `theater.rs` |
//! | how does a run use other processes? | `child_process.rs` |
//! | what may go wrong? | `error.rs` |
//! | where are people told? | `standard_error.rs` |

#![deny(unsafe_code)]

mod busy_work;
pub mod child_process;
mod error;
mod finish;
mod queue;
mod random;
pub mod standard_error;
mod theater;
mod timed;
mod watching;

pub use busy_work::BusyWork;
pub use error::RunError;
pub use finish::{Finish, FinishWaiter, finish_line};
pub use queue::{FloorActor, FloorQueue};
pub use random::{SplitMix64, XorShift64};
pub use theater::{Post, runtime, theater_with};
pub use timed::Timed;
pub use watching::watch;
