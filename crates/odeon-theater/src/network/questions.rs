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
}

struct Asked {
    answer: Box<dyn Answerable>,
    to: TheaterId,
    /// Others may answer too.
    anybody: bool,
}

impl Questions {
    /// A question leaves for this theater.
    pub(super) fn leaves(&self, answer: Box<dyn Answerable>, to: TheaterId) -> u64 {
        self.add(Asked { answer, to, anybody: false })
    }

    /// A question leaves that is answered from where it comes to in the end; by this theater at first.
    pub(super) fn leaves_for_anybody(&self, answer: Box<dyn Answerable>, first: TheaterId) -> u64 {
        self.add(Asked { answer, to: first, anybody: true })
    }

    fn add(&self, asked: Asked) -> u64 {
        let mut open = self.lock();
        open.last = (open.last + 1) % NUMBERS;
        let number = open.last;
        open.asked.insert(number, asked);
        number
    }

    /// Takes a question that this theater may answer.
    pub(super) fn take(&self, number: u64, from: TheaterId) -> Option<Box<dyn Answerable>> {
        let mut open = self.lock();
        let asked = open.asked.get(&number)?;
        if asked.to != from && !asked.anybody {
            return None;
        }
        open.asked.remove(&number).map(|asked| asked.answer)
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
        lost.iter()
            .filter_map(|number| open.asked.remove(number))
            .map(|asked| asked.answer)
            .collect()
    }

    fn lock(&self) -> odeon_sync::MutexGuard<'_, Open> {
        self.open.lock().expect("nothing panics under this lock")
    }
}
