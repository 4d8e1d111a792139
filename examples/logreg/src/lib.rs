//! Logistic regression by gradient descent, the other iterative program that Hayduk's thesis names
//! (section 6.5): every round sums up the gradient over all points, then moves the weights against
//! it.
//!
//! | concept | files |
//! |---|---|
//! | points with labels, generated from known weights | `samples.rs` |
//! | a piece of a round, the same for every way to do it | `piece.rs` |
//! | the gradient of some points on a core | `gradient.rs` |
//! | the gradient of some points on a device | `kernels.rs` |
//! | the rounds: merging pieces, moving the weights | `descent.rs` |
//! | plain sequential descent in `f64`, and comparing with it | `reference.rs` |
//! | the same without actors: plain `rayon`, one loop | `threads.rs` |
//! | the ways to do a piece, each in a file of its own, wholly and with nothing else | `workers/*` |
//!
//! Points and weights are `f32`, and so is the sum of one point's values times their weights;
//! gradients and losses are `f64`, on a device `f32`, added up in parts. The last weight is the one
//! that belongs to no dimension.

#![deny(unsafe_code)]

mod descent;
mod gradient;
mod kernels;
mod piece;
mod reference;
mod samples;
mod threads;
mod workers;

pub use descent::{Descent, Fitted, Steps};
pub use gradient::gradient;
pub use piece::{Partial, SamplesPiece};
pub use reference::{check, sequential};
pub use samples::{Labelled, generate};
pub use threads::{Threads, on_one_thread};
pub use workers::{ByKernels, OnCores, balanced};

#[cfg(test)]
mod tests;
