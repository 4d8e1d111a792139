//! A theater as a whole: its start and its end, its timers, names and groups.

pub(crate) mod group;
pub(crate) mod luggage;
pub(crate) mod naming;
pub(crate) mod theater;
pub(crate) mod timer;
