//! What transactions change, as bytes, and a state made again of them.

#[path = "journal/bytes.rs"]
mod bytes;
#[path = "journal/log.rs"]
mod log;
#[path = "journal/order.rs"]
mod order;
#[path = "journal/programs.rs"]
mod programs;
#[path = "journal/shared.rs"]
mod shared;
#[path = "journal/state.rs"]
mod state;
#[path = "journal/stories.rs"]
mod stories;
mod support;
