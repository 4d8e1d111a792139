//! Locks that count: `std`'s, in a build with `RUSTFLAGS="--cfg odeon_measured"`.
//!
//! A lock is named after the line that makes it, so all locks of one line are counted together. A
//! way through a lock reads the clock twice, three times if it has to wait, and adds to counters
//! that all locks of the line share, once the lock is given back: others neither wait for that, nor
//! is it time in which the lock is held. It is part of what else is measured, so whoever wants
//! figures of throughput takes another build. [`delay`] makes the sections of one line longer.

mod delay;
mod place;

pub(crate) use place::places;

use place::{LockPlace, Passed};
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::panic::Location;
use std::sync::{self, LockResult, PoisonError, TryLockError, TryLockResult, WaitTimeoutResult};
use std::time::{Duration, Instant};

/// As `std`'s, counted by the line that makes it.
pub struct Mutex<T: ?Sized> {
    place: &'static LockPlace,
    inner: sync::Mutex<T>,
}

impl<T> Mutex<T> {
    /// As `std`'s.
    #[track_caller]
    pub fn new(value: T) -> Self {
        Self { place: place::of(Location::caller()), inner: sync::Mutex::new(value) }
    }

    /// As `std`'s.
    pub fn into_inner(self) -> LockResult<T> {
        self.inner.into_inner()
    }
}

impl<T: ?Sized> Mutex<T> {
    /// As `std`'s.
    pub fn lock(&self) -> LockResult<MutexGuard<'_, T>> {
        let (taken, waited) = match self.inner.try_lock() {
            Ok(inner) => (Ok(inner), None),
            Err(TryLockError::Poisoned(poisoned)) => (Err(poisoned), None),
            Err(TryLockError::WouldBlock) => {
                let begun = Instant::now();
                (self.inner.lock(), Some(begun))
            }
        };
        self.counted(taken, waited)
    }

    /// As `std`'s.
    pub fn try_lock(&self) -> TryLockResult<MutexGuard<'_, T>> {
        match self.inner.try_lock() {
            Ok(inner) => self.counted(Ok(inner), None).map_err(TryLockError::Poisoned),
            Err(TryLockError::Poisoned(poisoned)) => {
                self.counted(Err(poisoned), None).map_err(TryLockError::Poisoned)
            }
            Err(TryLockError::WouldBlock) => Err(TryLockError::WouldBlock),
        }
    }

    /// As `std`'s.
    pub fn get_mut(&mut self) -> LockResult<&mut T> {
        self.inner.get_mut()
    }

    fn counted<'a>(
        &self,
        taken: LockResult<sync::MutexGuard<'a, T>>,
        waited: Option<Instant>,
    ) -> LockResult<MutexGuard<'a, T>> {
        let hold = Hold::begin(self.place, waited);
        match taken {
            Ok(inner) => Ok(MutexGuard::new(hold, inner)),
            Err(poisoned) => Err(PoisonError::new(MutexGuard::new(hold, poisoned.into_inner()))),
        }
    }
}

impl<T: Default> Default for Mutex<T> {
    #[track_caller]
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T> From<T> for Mutex<T> {
    #[track_caller]
    fn from(value: T) -> Self {
        Self::new(value)
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for Mutex<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.fmt(f)
    }
}

/// As `std`'s.
pub struct MutexGuard<'a, T: ?Sized> {
    hold: Hold,
    /// Until the lock is given back.
    inner: Option<sync::MutexGuard<'a, T>>,
}

const HELD: &str = "a guard holds its lock until it ends";

impl<'a, T: ?Sized> MutexGuard<'a, T> {
    fn new(hold: Hold, inner: sync::MutexGuard<'a, T>) -> Self {
        Self { hold, inner: Some(inner) }
    }

    fn again(mut self, inner: sync::MutexGuard<'a, T>) -> Self {
        self.inner = Some(inner);
        self
    }
}

impl<T: ?Sized> Drop for MutexGuard<'_, T> {
    fn drop(&mut self) {
        if let Some(inner) = self.inner.take() {
            self.hold.pause();
            drop(inner);
            self.hold.count();
        }
    }
}

impl<T: ?Sized> Deref for MutexGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.inner.as_ref().expect(HELD)
    }
}

impl<T: ?Sized> DerefMut for MutexGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        self.inner.as_mut().expect(HELD)
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for MutexGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.fmt(f)
    }
}

/// One way through a lock, or several with waits for a condition between them.
struct Hold {
    place: &'static LockPlace,
    begun: Instant,
    passed: Passed,
}

impl Hold {
    /// The lock has just been taken.
    fn begin(place: &'static LockPlace, waited: Option<Instant>) -> Self {
        let begun = Instant::now();
        let waited = waited.map(|since| begun - since);
        place.delay();
        Self { place, begun, passed: Passed { ways: 1, waited, held: Duration::ZERO } }
    }

    /// The lock is about to be given back.
    fn pause(&mut self) {
        self.passed.held += self.begun.elapsed();
    }

    /// The lock has been taken again.
    fn go_on(&mut self) {
        self.begun = Instant::now();
        self.passed.ways += 1;
        self.place.delay();
    }

    /// The lock has been given back.
    fn count(&self) {
        self.place.add(&self.passed);
    }
}

/// As `std`'s. The time of waiting is not one of holding the lock, nor one of waiting for it.
/// What came before the wait is counted after it.
#[derive(Debug, Default)]
pub struct Condvar(sync::Condvar);

impl Condvar {
    /// As `std`'s.
    pub const fn new() -> Self {
        Self(sync::Condvar::new())
    }

    /// As `std`'s.
    pub fn wait<'a, T>(&self, mut guard: MutexGuard<'a, T>) -> LockResult<MutexGuard<'a, T>> {
        guard.hold.pause();
        let taken = self.0.wait(guard.inner.take().expect(HELD));
        guard.hold.go_on();
        match taken {
            Ok(inner) => Ok(guard.again(inner)),
            Err(poisoned) => Err(PoisonError::new(guard.again(poisoned.into_inner()))),
        }
    }

    /// As `std`'s.
    pub fn wait_timeout<'a, T>(
        &self,
        mut guard: MutexGuard<'a, T>,
        limit: Duration,
    ) -> LockResult<(MutexGuard<'a, T>, WaitTimeoutResult)> {
        guard.hold.pause();
        let taken = self.0.wait_timeout(guard.inner.take().expect(HELD), limit);
        guard.hold.go_on();
        match taken {
            Ok((inner, over)) => Ok((guard.again(inner), over)),
            Err(poisoned) => {
                let (inner, over) = poisoned.into_inner();
                Err(PoisonError::new((guard.again(inner), over)))
            }
        }
    }

    /// As `std`'s.
    pub fn notify_one(&self) {
        self.0.notify_one();
    }

    /// As `std`'s.
    pub fn notify_all(&self) {
        self.0.notify_all();
    }
}

#[cfg(test)]
mod tests;
