//! S19 a future runs beside its actor, and what it comes to is a turn of that actor.
#![cfg(not(any(odeon_loom, odeon_shuttle)))]

mod actors;
mod endings;
mod turns;
