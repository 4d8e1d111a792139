//! How actors begin beside others, and what others learn of their end.

pub(crate) mod actor_builder;
pub(crate) mod fork;
pub(crate) mod lazy;
pub(crate) mod link;
pub(crate) mod pending_events;
pub(crate) mod pipe;
pub(crate) mod spawn;
pub(crate) mod spawnable;
pub(crate) mod timer;
pub(crate) mod watch;
