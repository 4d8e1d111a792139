//! Which theaters are there (`members.rs`), who asks that (`observing.rs`), and what a theater says
//! of itself (`overview.rs`).

pub(super) mod members;
pub(super) mod observing;
pub(super) mod overview;
