//! The tests of this crate as one program. Those beside it, in `Cargo.toml`, measure their process
//! or end it.

mod actors;
mod golden;
mod leaves;
mod once;
mod state_changed;
mod state_logged;
mod state_names;
mod state_restored;
mod together;
