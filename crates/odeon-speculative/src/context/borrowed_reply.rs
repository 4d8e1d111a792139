//! Replies in a message that an attempt borrows: answered with its commit, or by another message of the same transaction.

use odeon_core::extend::{self, Effect, answer_borrowed, take_borrowed};
use odeon_core::{AskError, Reply};
use std::mem;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, MutexGuard};

/// See the module.
pub(super) struct Borrowed<T>(pub(super) NonNull<Reply<T>>);

// SAFETY: stands for the use of a reply, which is `Send`, on the thread of whoever keeps the message.
unsafe impl<T: Send> Send for Borrowed<T> {}

impl<T: Send + 'static> Borrowed<T> {
    pub(super) fn answer(self, value: T) {
        // SAFETY: it lies in the message, which its keeper has to itself until this returns (`SpeculativeContext::new`).
        unsafe { answer_borrowed(self.0.as_ref(), value) }
    }

    /// The right to answer, if it is there still.
    fn take(self) -> Option<Reply<T>> {
        // SAFETY: as above.
        unsafe { take_borrowed(self.0.as_ref()) }
    }
}

/// How far an answer is that another message is to give.
enum PassedOn<T> {
    /// Neither has it been given, nor has all happened.
    Open,
    Given(T),
    /// All has happened, and the answer is under way from another theater: to this one.
    Owed(Reply<T>),
    Over,
}

struct Shared<T>(Mutex<PassedOn<T>>);

impl<T> Shared<T> {
    fn lock(&self) -> MutexGuard<'_, PassedOn<T>> {
        self.0.lock().expect("no panic happens under this lock")
    }
}

/// The reply that is passed on in place of this one, and what is to be done once all has happened.
pub(super) fn pass_on<T: Send + 'static>(reply: Borrowed<T>) -> (Reply<T>, Effect) {
    let shared = Arc::new(Shared(Mutex::new(PassedOn::Open)));
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
                // Dropped, a reply that is owed tells its asker that there is no answer.
                drop(shared);
                drop(before);
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
