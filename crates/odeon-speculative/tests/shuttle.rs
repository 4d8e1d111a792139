//! Speculative actors under random schedules: run by `ci/shuttle.sh`.

#![cfg(odeon_shuttle)]

mod shuttle_coordinated;
mod shuttle_guards;
mod shuttle_speculative;
mod shuttle_support;
mod support;
