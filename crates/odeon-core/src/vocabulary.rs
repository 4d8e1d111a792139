//! What every room of the core speaks of: names and numbers of actors, messages and mailboxes,
//! errors, clocks, chance.

pub(crate) mod access;
pub(crate) mod actor_id;
pub(crate) mod blocked_thread;
pub(crate) mod clock;
pub(crate) mod contain;
pub(crate) mod dead_letter;
pub(crate) mod ended;
pub(crate) mod error;
pub(crate) mod failure_text;
pub(crate) mod foreign_task;
pub(crate) mod mailboxes;
pub(crate) mod message;
pub(crate) mod observe;
pub(crate) mod oneshot;
pub(crate) mod random;
