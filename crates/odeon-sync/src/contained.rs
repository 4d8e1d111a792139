//! Users' code that may panic, and what a panic leaves.
//!
//! An engine that unwinds loses what it has in its hands: a lock, a batch, a place in a queue. So
//! whatever is a user's runs within [`contained`] or one of its kind, and a payload that nobody
//! gets is [forgotten](forget): its destructor, a user's as well, could panic again.

use std::any::Any;
use std::fmt;
use std::mem;
use std::ops::{Deref, DerefMut};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

/// What a panic leaves.
pub type Panic = Box<dyn Any + Send>;

/// Calls what may be a user's code.
///
/// # Errors
/// What it has panicked with: to be told to somebody, or [forgotten](forget).
pub fn contained<R>(act: impl FnOnce() -> R) -> Result<R, Panic> {
    catch_unwind(AssertUnwindSafe(act))
}

/// Nobody gets this one. It is dropped only if it is what a panic without a payload of its own has:
/// anything else might panic in turn.
pub fn forget(panic: Panic) {
    if !panic.is::<&str>() && !panic.is::<String>() {
        mem::forget(panic);
    }
}

/// Calls what may be a user's code, whose panic concerns nobody; `None` if it has panicked.
pub fn quietly<R>(act: impl FnOnce() -> R) -> Option<R> {
    contained(act).map_err(forget).ok()
}

/// Drops what may have a user's destructor, whose panic concerns nobody.
pub fn drop_quietly<T>(value: T) {
    quietly(move || drop(value));
}

/// The same for each of several: two panics at once would be the end of the process.
pub fn drop_each<T>(values: impl IntoIterator<Item = T>) {
    values.into_iter().for_each(drop_quietly);
}

/// Calls one after the other, whatever becomes of it; the first panic is the one that counts.
///
/// # Errors
/// That panic.
pub fn each<F: FnOnce()>(acts: impl IntoIterator<Item = F>) -> Result<(), Panic> {
    let mut first = Ok(());
    for act in acts {
        first = first_of(first, contained(act));
    }
    first
}

/// The first panic of two is the one that counts.
///
/// # Errors
/// That panic.
pub fn first_of(first: Result<(), Panic>, second: Result<(), Panic>) -> Result<(), Panic> {
    match (first, second) {
        (Ok(()), second) => second,
        (first, Ok(())) => first,
        (first, Err(panic)) => {
            forget(panic);
            first
        }
    }
}

/// A user's value among others that are dropped together, or while a panic of its own methods
/// passes: if one is under way, that of its destructor concerns nobody.
pub struct Apart<T>(
    /// `None`: it is being dropped.
    Option<T>,
);

impl<T> Apart<T> {
    /// Keeps a value so.
    pub fn new(value: T) -> Self {
        Self(Some(value))
    }

    /// The value.
    pub fn into_inner(mut self) -> T {
        self.0.take().expect("it is there until the drop")
    }
}

impl<T> Deref for Apart<T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.0.as_ref().expect("it is there until the drop")
    }
}

impl<T> DerefMut for Apart<T> {
    fn deref_mut(&mut self) -> &mut T {
        self.0.as_mut().expect("it is there until the drop")
    }
}

impl<T> Drop for Apart<T> {
    fn drop(&mut self) {
        if let (true, Some(value)) = (thread::panicking(), self.0.take()) {
            drop_quietly(value);
        }
    }
}

impl<T: fmt::Debug> fmt::Debug for Apart<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

/// A value of a user's type that threads of the runtime drop in the middle of what they do: a panic
/// of its destructor concerns nobody.
#[derive(Debug)]
pub struct Theirs<T>(
    /// `None`: it has been taken out, or is being dropped.
    Option<T>,
);

impl<T> Theirs<T> {
    /// Keeps a value so.
    pub fn of(value: T) -> Self {
        Self(Some(value))
    }

    /// Gives it back.
    pub fn take(mut self) -> T {
        self.0.take().expect("it is taken out only here")
    }
}

impl<T> Deref for Theirs<T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.0.as_ref().expect("it is taken out only with this")
    }
}

impl<T> DerefMut for Theirs<T> {
    fn deref_mut(&mut self) -> &mut T {
        self.0.as_mut().expect("it is taken out only with this")
    }
}

impl<T> Drop for Theirs<T> {
    fn drop(&mut self) {
        drop_quietly(self.0.take());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::resume_unwind;

    /// Panics when it is dropped.
    struct Bomb(u8);

    impl Drop for Bomb {
        fn drop(&mut self) {
            resume_unwind(Box::new(self.0));
        }
    }

    #[test]
    fn of_values_apart_the_first_panic_counts_and_all_are_dropped() {
        let both = (Apart::new(Bomb(1)), Apart::new(Bomb(2)), Apart::new(Bomb(3)));
        let panic = contained(move || drop(both)).unwrap_err();
        assert_eq!(panic.downcast_ref::<u8>(), Some(&1));
    }

    #[test]
    fn a_value_apart_does_not_disturb_a_panic_of_its_own() {
        let panic = contained(|| {
            let _value = Apart::new(Bomb(1));
            resume_unwind(Box::new("first"))
        });
        assert_eq!(panic.unwrap_err().downcast_ref(), Some(&"first"));
        mem::forget(Apart::new(Bomb(1)).into_inner());
    }
}
