//! An actor as its theater has it: its memory, what it is tied to, where it is found, and who runs on this thread.

pub(crate) mod bonds;
pub(crate) mod cell;
pub(crate) mod current;
pub(crate) mod kin;
pub(crate) mod outbox;
pub(crate) mod registry;
pub(crate) mod supervision;
