//! What can be seen of a running theater.

pub(crate) mod sight;
