//! Whole theaters under random schedules: run by `ci/shuttle.sh`.

#![cfg(odeon_shuttle)]

mod shuttle_async;
mod shuttle_bounded;
mod shuttle_calls;
mod shuttle_inbox;
mod shuttle_naming;
mod shuttle_pipes;
mod shuttle_pressure;
mod shuttle_read_write;
mod shuttle_theater;
mod shuttle_worker_tasks;
