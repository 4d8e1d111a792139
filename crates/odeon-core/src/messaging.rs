//! References to actors, and how messages, questions and answers come from one actor to another.

pub(crate) mod actor_ref;
pub(crate) mod ask;
pub(crate) mod bounded;
pub(crate) mod broadcast;
pub(crate) mod entrance;
pub(crate) mod foreign_task;
pub(crate) mod lane;
pub(crate) mod mailbox_ref;
pub(crate) mod open_question;
pub(crate) mod pressure;
pub(crate) mod reply;
pub(crate) mod send;
pub(crate) mod shards;
pub(crate) mod tag;
