//! How actors begin beside others, and what others learn of their end.

pub(crate) mod fork;
pub(crate) mod lazy;
pub(crate) mod link;
pub(crate) mod watch;
