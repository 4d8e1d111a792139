//! The tests of this crate as one program: what they share is compiled and linked once. Those
//! beside it, in `Cargo.toml`, have a process of their own.

mod blocking;
mod collections_list;
mod collections_map;
mod collections_ord_map;
mod collections_queue;
mod collections_set;
mod collections_vec;
mod drops_that_panic;
mod endings;
mod histories;
mod journeys;
mod journeys_oracle;
mod labelled_collections;
mod moved_variables;
mod oracle;
mod parts;
mod random;
mod references;
mod relaxed;
mod shared_snapshot;
mod staged;
mod staged_here_escapes;
mod support;
mod tickets;
mod wakers;
