//! The tests of this crate as one program: what they share is compiled and linked once. Those
//! beside it, in `Cargo.toml`, have a process of their own.

mod s38_pool_behind_a_broker;
mod s40_by_rabbitmq;
mod s40_no_broker;
mod s40_strangers;
mod support;
