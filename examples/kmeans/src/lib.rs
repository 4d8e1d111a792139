//! k-means as the STAMP benchmarks have it (Minh, Chung, Kozyrakis and Olukotun, IISWC 2008) and as
//! Hayduk's thesis, chapter 6, makes actors of it: every round assigns each point to the closest
//! centre, then moves each centre to the mean of its points.
//!
//! | concept | files |
//! |---|---|
//! | points: from a file, or generated | `points.rs`, `stamp.rs`, `generated.rs` |
//! | the centres of a round, and where they begin | `centres.rs` |
//! | a piece of a round, the same for every way to do it | `piece.rs`, `partial.rs` |
//! | assigning points on a core | `assign.rs` |
//! | assigning points on a device | `kernels.rs`, `kmeans.cu` |
//! | what a device has of its pieces between rounds | `rooms.rs` |
//! | the rounds: merging pieces, when to stop | `clustering.rs` |
//! | values whose distances an `f32` cannot say | `range.rs` |
//! | plain sequential k-means | `reference.rs` |
//! | whether an outcome is right: its centres, and how close points are to them | `check.rs` |
//! | what is clustered, and what must come out | `task.rs` |
//! | the same without actors: plain `rayon`, one loop | `threads.rs` |
//! | processes that do pieces, and the broker between | `elsewhere.rs` |
//! | the ways to do a piece, each in a file of its own, wholly and with nothing else | `workers/*` |
//!
//! Points are `f32`. A distance is the sum of the squares of the differences in the order of the
//! dimensions, in `f32`; sums of points are `f64`. So all ways that run on cores come to the same
//! centres but for the order in which sums are added up, which changes them by less than an `f32`
//! can say.

#![deny(unsafe_code)]

mod assign;
mod centres;
mod check;
mod clustering;
mod elsewhere;
mod generated;
mod kernels;
mod partial;
mod piece;
mod points;
mod range;
mod reference;
mod rooms;
mod stamp;
mod task;
mod threads;
mod workers;

pub use assign::assign;
pub use centres::Centres;
pub use check::{Tolerance, check};
pub use clustering::{Clustering, Clusters, Stop};
pub use elsewhere::{Broker, ServedBy, Servers, run_server};
pub use generated::{fraction, generate, normal};
pub use partial::Partial;
pub use piece::PointsPiece;
pub use points::Points;
pub use reference::sequential;
pub use stamp::read;
pub use task::KmeansTask;
pub use threads::{Threads, on_one_thread};
pub use workers::{ByCuda, ByKernels, OnCores, balanced};

#[cfg(test)]
mod tests;
