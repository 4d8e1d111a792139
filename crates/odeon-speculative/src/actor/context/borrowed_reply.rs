//! Replies in a message that an attempt borrows: answered with its commit, or by another message of
//! the same transaction.
//!
//! The message may give its reply away before that (it may lie in a cell or a lock, and anything
//! else in its place later), so nobody comes back to where it lay: the right to answer is lent
//! (`odeon_core::extend::LentReply`).

use crate::contained::drop_quietly;
use odeon_core::extend::{self, Effect, LentReply};
use odeon_core::{AskError, Reply};
use std::mem;
use std::sync::{Arc, Mutex, MutexGuard};

/// How far an answer is that another message is to give.
enum PassedOn<T> {
    /// Neither has it been given, nor has all happened.
    Open,
    Given(T),
    /// All has happened, and the answer is under way from another theater: to this one.
    Owed(Reply<T>),
    Over,
}

struct SharedReply<T>(Mutex<PassedOn<T>>);

impl<T> SharedReply<T> {
    fn lock(&self) -> MutexGuard<'_, PassedOn<T>> {
        self.0.lock().expect("no panic happens under this lock")
    }
}

/// The reply that is passed on in place of this one, and what is to be done once all has happened.
pub(super) fn pass_on<T: Send + 'static>(reply: LentReply<T>) -> (Reply<T>, Effect) {
    let shared = Arc::new(SharedReply(Mutex::new(PassedOn::Open)));
    let passed_on = shared.clone();
    let give = move |answer: Result<T, AskError>| {
        let mut shared = shared.lock();
        let before = mem::replace(&mut *shared, PassedOn::Over);
        match (before, answer) {
            (PassedOn::Open, Ok(value)) => *shared = PassedOn::Given(value),
            (PassedOn::Owed(reply), Ok(value)) => {
                drop(shared);
                reply.send(value);
            }
            (before, _) => {
                // Dropped, a reply that is owed tells its asker that there is no answer. Of two
                // values that nobody gets each is dropped by itself.
                drop(shared);
                drop_quietly(before);
            }
        }
    };
    let all_has_happened = move || {
        let mut shared = passed_on.lock();
        match mem::replace(&mut *shared, PassedOn::Over) {
            PassedOn::Given(value) => {
                drop(shared);
                reply.answer(value);
            }
            PassedOn::Open => {
                if let Some(reply) = reply.take() {
                    *shared = PassedOn::Owed(reply);
                }
            }
            PassedOn::Owed(_) | PassedOn::Over => {}
        }
    };
    (extend::reply_by(give), Box::new(all_has_happened))
}
