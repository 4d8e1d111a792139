//! What executes the messages of an actor. Of transactions of several actors it knows that they are
//! there: what comes with their messages is [`enlistment`], what they hear of it [`transaction`],
//! and what they can do here [`visiting`] and [`participant`].

pub(crate) mod attempt;
pub(crate) mod board;
pub(crate) mod dispatcher;
pub(crate) mod engine;
pub(crate) mod enlistment;
pub(crate) mod exit;
pub(crate) mod handling;
pub(crate) mod job;
pub(crate) mod lanes;
pub(crate) mod number_map;
pub(crate) mod parking;
pub(crate) mod participant;
pub(crate) mod runner;
pub(crate) mod shard;
pub(crate) mod transaction;
pub(crate) mod visiting;
