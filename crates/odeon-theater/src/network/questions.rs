//! Questions that have left, and the answers that come back.

use std::collections::HashMap;

use odeon_core::wire::Answerable;
use odeon_sync::Mutex;

use super::channel::NUMBERS;
use crate::TheaterId;

/// The questions of this theater that others are to answer.
#[derive(Default)]
pub(super) struct Questions {
    open: Mutex<Open>,
}

#[derive(Default)]
struct Open {
    last: u64,
    asked: HashMap<u64, Asked>,
    /// How many of them pass.
    passing: usize,
}

impl Open {
    fn remove(&mut self, number: u64) -> Option<Box<dyn Answerable>> {
        let asked = self.asked.remove(&number)?;
        self.passing -= usize::from(asked.passes);
        Some(asked.answer)
    }
}

struct Asked {
    answer: Box<dyn Answerable>,
    to: TheaterId,
    /// Others may answer too.
    anybody: bool,
    /// Its asker is in another theater.
    passes: bool,
}

impl Questions {
    /// A question leaves for this theater. `passes`: it came from another one, to which the answer goes on.
    pub(super) fn leaves(&self, answer: Box<dyn Answerable>, to: TheaterId, passes: bool) -> u64 {
        self.add(Asked { answer, to, anybody: false, passes })
    }

    /// A question leaves that is answered from where it comes to in the end; by this theater at first.
    pub(super) fn leaves_for_anybody(&self, answer: Box<dyn Answerable>, first: TheaterId) -> u64 {
        self.add(Asked { answer, to: first, anybody: true, passes: false })
    }

    fn add(&self, asked: Asked) -> u64 {
        let mut open = self.lock();
        open.last = (open.last + 1) % NUMBERS;
        let number = open.last;
        open.passing += usize::from(asked.passes);
        open.asked.insert(number, asked);
        number
    }

    /// How many answers are to go on from here to other theaters.
    pub(super) fn passing(&self) -> usize {
        self.lock().passing
    }

    /// Takes a question that this theater may answer.
    pub(super) fn take(&self, number: u64, from: TheaterId) -> Option<Box<dyn Answerable>> {
        let mut open = self.lock();
        let asked = open.asked.get(&number)?;
        if asked.to != from && !asked.anybody {
            return None;
        }
        open.remove(number)
    }

    /// A theater is dead: it will answer nothing. To be dropped without the lock.
    #[must_use]
    pub(super) fn died(&self, theater: TheaterId) -> Vec<Box<dyn Answerable>> {
        let mut open = self.lock();
        let lost: Vec<u64> = open
            .asked
            .iter()
            .filter_map(|(&number, asked)| (asked.to == theater).then_some(number))
            .collect();
        lost.into_iter().filter_map(|number| open.remove(number)).collect()
    }

    fn lock(&self) -> odeon_sync::MutexGuard<'_, Open> {
        self.open.lock().expect("nothing panics under this lock")
    }
}
