//! What several durable actors commit together.

mod crashes;
mod edges;
mod kept;
mod stories;
mod vaults;
