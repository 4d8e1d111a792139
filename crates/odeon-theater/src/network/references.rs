//! Who refers to whom, over theaters.
//!
//! | question | file |
//! |---|---|
//! | which actors here are referred to from elsewhere? | `exports.rs` |
//! | what if a reference is sent on to a third one? | `grants.rs` has the protocol; `granting.rs` |
//! | which actors elsewhere are referred to here? | `seats.rs`, `seats/*` |
//! | what becomes of references and replies in messages? | `passage.rs`, `left.rs` |
//! | and in what stays in this theater? | `within.rs` |
//! | which questions are under way? | `questions.rs` |
//! | who gets a first reference? | by `at.rs`; what there is: `published.rs`, `kinds.rs` |
//! | who makes that known? | `publishing.rs`, `creation.rs` |

pub(super) mod asked_for;
pub(super) mod at;
pub(super) mod creation;
pub(super) mod exports;
pub(super) mod granting;
pub(super) mod grants;
pub(super) mod kinds;
pub(super) mod left;
pub(super) mod mobile_actor;
pub(super) mod mobile_id;
pub(super) mod passage;
pub(super) mod published;
pub(super) mod publishing;
pub(super) mod questions;
pub(super) mod remote_error;
pub(super) mod seats;
pub(super) mod within;
