//! The features that are off by default, each where it is on.

mod durable_feature;
mod energy_feature;
mod sight_feature;
mod stream_feature;
mod tokio_feature;
