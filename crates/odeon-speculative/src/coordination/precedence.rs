//! Who gives way: the rule by which coordinated transactions never wait for each other in a circle,
//! and none starves.
//!
//! RULES
//! 1. A transaction that has to wait for another one's outcome, or may have to without knowing it,
//!    first rolls back wholly and holds nothing: no circle of waits can close. What it waits for
//!    with protected variables in its hands is under way in any case: a message in an inbox, or
//!    behind messages that run; a place on a board. If that comes to wait for an outcome meanwhile,
//!    the board tells it to let go (`executor/board/visits.rs`, rule 5), except who has precedence
//!    and waits for a place.
//! 2. One that has been rolled back [`ROUNDS`] times asks for precedence, which one transaction of
//!    a theater has at a time, in the order of asking. It waits for another one's outcome without
//!    letting go. The others do not wait so, so it is the only one that could close a circle, and
//!    does not: none of them keeps anything while it waits for this one.
//! 3. While one has precedence, the others do not wait with protected variables in their hands for
//!    anything, but roll back and wait for the end of that: what it needs becomes free.
//! 4. Also who has precedence rolls back when its message waits behind a message of the same sender
//!    that waits itself: that one may be waiting for this transaction.
//! 5. Theaters whose actors have met in one transaction have one precedence in common from then on,
//!    before that transaction waits for anything: two that had it in one theater each would wait
//!    for each other. The one of two that loses it by that is told to let go.
//! 6. Variables may be shared by actors of theaters that have never met. So, of those who have
//!    precedence anywhere, one at a time waits for a variable without letting go.
//! 7. Who waits for a change has no precedence: whoever is to bring the change may have to wait for
//!    others.

use super::driver::Resuming;
use super::transaction::Coordination;
use crate::executor::participant::Participant;
use crate::executor::transaction::{Transaction, Transactions};
use odeon_sync::atomic::Ordering;
use odeon_sync::{Mutex, MutexGuard, interruption};
use std::any::Any;
use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex as MutexOfStd, Weak};
use std::{mem, ptr};

/// TUNE: rounds of a transaction that are rolled back before it asks for precedence.
pub(super) const ROUNDS: u32 = 4;

/// The precedence of one theater.
#[derive(Default)]
pub(crate) struct Precedence(Arc<PrecedenceQueue>);

/// Where it is decided who has precedence; or where that has moved to (rule 5).
#[derive(Default)]
struct PrecedenceQueue(Mutex<QueueLocation>);

enum QueueLocation {
    Here(Contenders),
    Moved(Arc<PrecedenceQueue>),
}

/// Transactions by their numbers.
#[derive(Default)]
struct Contenders {
    /// Those who have asked, the first of whom has it.
    asked: VecDeque<(u64, Weak<Coordination>)>,
    /// Those who wait for another one's precedence to end.
    waiting: BTreeMap<u64, Resuming>,
}

impl Default for QueueLocation {
    fn default() -> Self {
        Self::Here(Contenders::default())
    }
}

impl Contenders {
    fn first(&self) -> Option<u64> {
        self.asked.front().map(|(number, _)| *number)
    }

    fn is_with_other(&self, number: u64) -> bool {
        self.first().is_some_and(|first| first != number)
    }
}

impl PrecedenceQueue {
    fn lock(&self) -> MutexGuard<'_, QueueLocation> {
        self.0.lock().expect("no panic happens under this lock")
    }
}

impl Transactions for Precedence {
    fn begin_with_one(&self) -> Arc<dyn Transaction> {
        Coordination::new(1, None, None)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl Precedence {
    /// That of the theater of an actor.
    pub(super) fn at(participant: &dyn Participant) -> &Self {
        Self::of(&**participant.transactions())
    }

    pub(super) fn of(transactions: &dyn Transactions) -> &Self {
        transactions.as_any().downcast_ref().expect("transactions are begun here alone")
    }

    /// Where it is decided.
    fn place(&self) -> Arc<PrecedenceQueue> {
        let mut place = self.0.clone();
        loop {
            let next = match &*place.lock() {
                QueueLocation::Here(_) => None,
                QueueLocation::Moved(next) => Some(next.clone()),
            };
            match next {
                None => return place,
                Some(next) => place = next,
            }
        }
    }

    fn with<R>(&self, act: impl FnOnce(&mut Contenders) -> R) -> R {
        loop {
            let place = self.place();
            let mut held = place.lock();
            if let QueueLocation::Here(asked) = &mut *held {
                return act(asked);
            }
        }
    }

    /// Asks for precedence.
    pub(super) fn ask(&self, of: &Arc<Coordination>) {
        self.with(|all| {
            if all.asked.iter().all(|(number, _)| *number != of.number()) {
                all.asked.push_back((of.number(), Arc::downgrade(of)));
            }
        });
    }

    /// Whether a transaction has precedence.
    pub(super) fn is_with(&self, number: u64) -> bool {
        self.with(|all| all.first()) == Some(number)
    }

    /// Whether another one has precedence.
    pub(super) fn is_with_other(&self, number: u64) -> bool {
        self.with(|all| all.is_with_other(number))
    }

    /// Has a transaction go on when precedence has changed hands.
    pub(super) fn wait(&self, number: u64, resuming: Resuming) {
        let at_once = self.with(|all| {
            if all.is_with_other(number) {
                all.waiting.insert(number, resuming);
                None
            } else {
                Some(resuming)
            }
        });
        if let Some(resuming) = at_once {
            resuming.now();
        }
    }

    /// A transaction that has asked is over.
    pub(super) fn give_up(&self, number: u64) {
        let waiting = self.with(|all| {
            all.asked.retain(|(other, _)| *other != number);
            mem::take(&mut all.waiting)
        });
        waiting.values().for_each(Resuming::now);
    }

    /// Rule 5.
    pub(super) fn unite(&self, other: &Self) {
        loop {
            let places = [self.place(), other.place()];
            if Arc::ptr_eq(&places[0], &places[1]) {
                return;
            }
            // The locks of several are taken in the order of addresses.
            let [first, second] = if ptr::from_ref(&*places[0]) < ptr::from_ref(&*places[1]) {
                [&places[0], &places[1]]
            } else {
                [&places[1], &places[0]]
            };
            let (mut stays, mut moves) = (first.lock(), second.lock());
            let (QueueLocation::Here(to), QueueLocation::Here(from)) = (&mut *stays, &mut *moves)
            else {
                continue;
            };
            let loses = from.asked.front().filter(|_| !to.asked.is_empty());
            let loses = loses.and_then(|(_, coordination)| coordination.upgrade());
            to.asked.append(&mut from.asked);
            to.waiting.append(&mut from.waiting);
            *moves = QueueLocation::Moved(first.clone());
            drop((moves, stays));
            if let Some(coordination) = loses {
                coordination.let_go();
            }
            return;
        }
    }
}

/// Of `std` also in models, as what follows: nobody waits for it.
static SOMEBODY_WAITS: AtomicBool = AtomicBool::new(false);
/// The deterministic tests in which somebody does: each has variables of its own.
static TESTS_THAT_WAIT: MutexOfStd<Vec<u64>> = MutexOfStd::new(Vec::new());

/// The right to wait for a variable without letting go (rule 6); dropped, it is given back. In a
/// deterministic test: of this one.
pub(super) struct WaitsForVariable(Option<u64>);

impl WaitsForVariable {
    /// `None`: somebody else has it.
    pub(super) fn begin() -> Option<Self> {
        if let Some(test) = interruption::test() {
            let mut tests = TESTS_THAT_WAIT.lock().expect("nothing panics under this lock");
            let had = tests.contains(&test);
            return (!had).then(|| {
                tests.push(test);
                Self(Some(test))
            });
        }
        // ORDERING: Relaxed, here and below: the flag is all that is at stake.
        let had = SOMEBODY_WAITS.swap(true, Ordering::Relaxed);
        (!had).then_some(Self(None))
    }
}

impl Drop for WaitsForVariable {
    fn drop(&mut self) {
        match self.0 {
            None => SOMEBODY_WAITS.store(false, Ordering::Relaxed),
            Some(test) => {
                let tests = TESTS_THAT_WAIT.lock();
                tests.expect("nothing panics under this lock").retain(|waiting| *waiting != test);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn precedence_goes_round_in_the_order_of_asking() {
        let precedence = Precedence::default();
        let [one, two] = [(); 2].map(|()| Coordination::new(1, None, None));
        [&one, &two, &one].into_iter().for_each(|of| precedence.ask(of));
        assert!(precedence.is_with(one.number()) && !precedence.is_with(two.number()));
        assert!(precedence.is_with_other(two.number()));
        precedence.give_up(one.number());
        assert!(precedence.is_with(two.number()));
        precedence.give_up(two.number());
        assert!(!precedence.is_with(two.number()) && !precedence.is_with_other(one.number()));
    }

    #[test]
    fn theaters_that_have_met_have_one_precedence() {
        let theaters: [Precedence; 4] = Default::default();
        let asked = theaters.each_ref().map(|theater| {
            let of = Coordination::new(1, None, None);
            theater.ask(&of);
            of
        });
        let have_it = |theater: &Precedence| {
            asked.iter().filter(|of| theater.is_with(of.number())).map(|of| of.number()).collect()
        };
        let all = |by: &dyn Fn(&Precedence) -> Vec<u64>| theaters.each_ref().map(by);
        assert_eq!(all(&have_it), asked.each_ref().map(|of| vec![of.number()]));
        for (one, other) in [(0, 1), (3, 2), (2, 0), (1, 3)] {
            theaters[one].unite(&theaters[other]);
            assert_eq!(have_it(&theaters[one]), have_it(&theaters[other]));
        }
        for _ in &asked {
            let first = have_it(&theaters[0]);
            assert_eq!((first.len(), all(&have_it)), (1, [(); 4].map(|()| first.clone())));
            theaters[2].give_up(first[0]);
        }
        assert_eq!(all(&have_it), [const { Vec::new() }; 4]);
    }

    #[test]
    fn one_at_a_time_waits_for_a_variable_without_letting_go() {
        let first = WaitsForVariable::begin();
        assert!(first.is_some() && WaitsForVariable::begin().is_none());
        drop(first);
        assert!(WaitsForVariable::begin().is_some());
    }
}
