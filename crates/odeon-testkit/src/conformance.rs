//! Suites that every implementation of a seam must pass, one line per implementation.

pub mod async_population;
pub mod inbox;
pub mod mailbox;
pub mod population;
mod society;
pub mod stage;
pub mod stages_of_core;
