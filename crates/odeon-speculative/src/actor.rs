//! What users implement, and what their handlers are given.

pub(crate) mod context;
pub(crate) mod outcome;
pub(crate) mod setting;
pub(crate) mod speculative_actor;
