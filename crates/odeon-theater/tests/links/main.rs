//! Links over networks in memory: what is promised, under all that a network does.

mod delivery;
mod endings;
mod handshakes;
mod hostile;
mod large;
mod limits;
mod pair;
mod pausing;
mod sealed;
