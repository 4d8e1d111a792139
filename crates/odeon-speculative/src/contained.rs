//! Users' code that may panic, and what comes of a panic.
//!
//! What unwinds here loses a batch, a coordinated transaction, a place on a board: see
//! `odeon_sync::contained`.
//!
//! | a user's code | runs in | what comes of a panic |
//! |---|---|---|
//! | handlers, guards, `started` | `attempt.rs`, `attempt/*`, `engine/visit.rs` | the message, or transaction, fails; so does the actor |
//! | the same in the actor's own turn, alone | `dispatcher.rs`, `handling.rs` | the same; the core contains the turn |
//! | `access` of a message | `dispatcher.rs` | the message fails, and the actor |
//! | `message_name` | `counts.rs` | it is called by its type |
//! | errors: their texts, their destructors | here: [`failure_of`] | it is what the message fails with |
//! | what an attempt wants called after its rollback | `attempt.rs`, `attempt/*` | the message fails, if it has not failed already |
//! | the same in a coordinated transaction, or of an attempt made ahead for nothing | `coordination/driver/endings.rs`, `attempt/ahead.rs` | nothing |
//! | what an attempt wants called after its commit; effects; answers, and who waits for them | `attempt.rs`, `attempt/straight.rs`, `dispatcher.rs`, `engine/visit.rs` | the actor fails, nothing is undone |
//! | effects that do not happen: their destructors | `handling.rs` | nothing |
//! | functions of `join_via` | `coordination/driver.rs` | the transaction fails, and the actor that has joined |
//! | a message that is over: its destructor | `attempt.rs`, `engine/working.rs`, `engine/visit.rs` | the actor fails, nothing is undone |
//! | a message that was not sent, or not handled: its destructor | here: [`drop_quietly`]; as a dead letter, the core | nothing |
//! | a state: its destructor | here: [`drop_quietly`], for whoever may have the last reference; in a turn of the actor, the core | nothing |
//! | policies of the width: all they are asked, their destructors | `engine/adapting.rs` | the policy is not asked any more |
//! | how they are made, where an actor leaves a theater | `occupant.rs` | one message at a time |
//! | who waits for the outcome of a transaction: its waker, its function | `coordination/transaction.rs` | nothing |
//! | functions of `coordinate`, and those that make a state or a policy when an actor is spawned | the caller's thread, or the core | the caller's |
//!
//! None of it runs under a lock, but for what is called with a commit, under that of the exits. And
//! nothing here is gone on with on a thread that a user has lent: where a message is dropped a
//! handler may be in the middle (`Coordination::lose`).

use odeon_core::extend;
use std::error::Error;
use std::sync::Arc;

pub(crate) use odeon_sync::contained::{
    Panic, contained, drop_each, drop_quietly, each, first_of, forget, quietly,
};

/// What a message fails with whose handler has given it up: the text of its error, or the panic in
/// place of that.
pub(crate) fn failure_of(error: Box<dyn Error + Send + Sync>) -> Panic {
    let text = contained(|| error.to_string());
    let dropped = contained(move || drop(error));
    match (text, dropped) {
        (Ok(text), Ok(())) => Box::new(text),
        (Ok(_), Err(panic)) | (Err(panic), Ok(())) => panic,
        (Err(first), Err(second)) => {
            forget(second);
            first
        }
    }
}

/// What a panic says.
pub(crate) fn text_of(panic: &Panic) -> Arc<str> {
    extend::text_of(&**panic).unwrap_or("a panic without a text").into()
}

#[cfg(test)]
mod tests;
