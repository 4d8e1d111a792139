//! A theater as a whole: its start and its end, its timers, names and groups.

pub(crate) mod collect;
pub(crate) mod failure_lines;
pub(crate) mod farewells;
pub(crate) mod finding;
pub(crate) mod group;
pub(crate) mod naming;
pub(crate) mod theater;
