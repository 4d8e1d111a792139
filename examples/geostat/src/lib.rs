//! Multiple-point geostatistics by Direct Sampling (Mariethoz, Renard and Straubhaar, *The Direct
//! Sampling method to perform multiple-point geostatistical simulations*, Water Resources Research
//! 46, 2010), which Hayduk's thesis takes as its application (section 5.4.2). Nothing but
//! `actors.rs` knows of actors: the same is simulated without any, by one thread.
//!
//! A *training image* shows what the ground is like. The points of a *simulation grid* are visited
//! in random order; each looks for its closest *informed* neighbours, which make up a *data event*,
//! and the training image is searched, from a random place on, for one where the same event is
//! found. What stands there becomes the point's value.
//!
//! | question | file |
//! |---|---|
//! | what is copied from, and where does it come from? | `training_image.rs`, `image_source.rs`, `channels.rs` |
//! | which files are read and written? | `gslib.rs`, `png_image.rs`, `conditioning.rs` |
//! | which points are simulated, in which order? | `path.rs` |
//! | who keeps the values of the grid, and in which blocks of nodes? | `nodes.rs`, `blocks.rs` |
//! | which neighbours does a point have? | `neighbourhood.rs`, `closest.rs` |
//! | where is its event found? | `search.rs`; one node after the other: `search/plain.rs`; 64 at once: `search/packed.rs`; on a device: `search/by_kernels.rs`, `search/kernels.rs` |
//! | who does that for one point, or for many at once? | `simulation.rs` |
//! | is the result like the training image? | `statistics.rs` |
//! | could it have been made by one thread? | `serial_order.rs` |
//! | who does it side by side, and who looks meanwhile? | `actors.rs` |

#![deny(unsafe_code)]

pub mod actors;
pub mod blocks;
pub mod channels;
pub mod closest;
pub mod conditioning;
pub mod gslib;
pub mod image_source;
pub mod neighbourhood;
pub mod nodes;
pub mod path;
pub mod png_image;
pub mod search;
pub mod serial_order;
pub mod simulation;
pub mod statistics;
pub mod training_image;

#[cfg(test)]
mod supplied_files;
