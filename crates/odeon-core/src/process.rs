//! An actor as its theater has it: its memory, what it is tied to, where it is found, and who runs
//! on this thread.

pub(crate) mod attachments;
pub(crate) mod cell;
pub(crate) mod config;
pub(crate) mod current;
pub(crate) mod erased_weak_ref;
pub(crate) mod home;
pub(crate) mod outbox;
pub(crate) mod parked;
pub(crate) mod payload;
pub(crate) mod piped;
pub(crate) mod registry;
pub(crate) mod relations;
pub(crate) mod submit;
pub(crate) mod supervision;
pub(crate) mod task;
pub(crate) mod theater_shared;
pub(crate) mod turn_limits;
pub(crate) mod unanswered;
pub(crate) mod vtable;
pub(crate) mod waiters;
