//! Questions that have left, and the answers that come back.

use std::collections::HashMap;

use odeon_core::wire::Answerable;
use odeon_sync::Mutex;

use crate::TheaterId;
use crate::routing::channel::NUMBERS;

/// The questions of this theater that others are to answer.
#[derive(Default)]
pub(in crate::network) struct Questions {
    open: Mutex<Open>,
}

#[derive(Default)]
struct Open {
    last: u64,
    asked: HashMap<u64, Asked>,
}

struct Asked {
    /// `None`: it is being answered.
    answer: Option<Box<dyn Answerable>>,
    to: TheaterId,
    /// Others may answer too.
    anybody: bool,
    /// The theater of the asker, if that is another one.
    from: Option<TheaterId>,
}

impl Asked {
    fn may_be_answered_by(&self, theater: TheaterId) -> bool {
        self.to == theater || self.anybody
    }
}

impl Questions {
    /// A question leaves for this theater. `from`: that of the asker, if the answer goes on to
    /// another one.
    pub(in crate::network) fn leaves(
        &self,
        answer: Box<dyn Answerable>,
        to: TheaterId,
        from: Option<TheaterId>,
    ) -> u64 {
        self.add(Asked { answer: Some(answer), to, anybody: false, from })
    }

    /// A question leaves that is answered from where it comes to in the end; by this theater at
    /// first.
    pub(in crate::network) fn leaves_for_anybody(
        &self,
        answer: Box<dyn Answerable>,
        first: TheaterId,
    ) -> u64 {
        self.add(Asked { answer: Some(answer), to: first, anybody: true, from: None })
    }

    fn add(&self, asked: Asked) -> u64 {
        let mut open = self.lock();
        open.last = (open.last + 1) % NUMBERS;
        let number = open.last;
        open.asked.insert(number, asked);
        number
    }

    /// Those of them that are answered, or will not be.
    pub(in crate::network) fn that_are_over(&self, mut questions: Vec<u64>) -> Vec<u64> {
        let open = self.lock();
        questions.retain(|question| !open.asked.contains_key(question));
        questions
    }

    /// The number of the last question that has left.
    pub(in crate::network) fn last(&self) -> u64 {
        self.lock().last
    }

    /// How many answers to questions up to this number are to go on from here to other theaters.
    pub(in crate::network) fn passing(&self, until: u64) -> usize {
        let open = self.lock();
        open.asked
            .iter()
            .filter(|(number, asked)| **number <= until && asked.from.is_some())
            .count()
    }

    /// Takes a question that this theater may answer.
    pub(in crate::network) fn take(
        &self,
        number: u64,
        by: TheaterId,
    ) -> Option<Box<dyn Answerable>> {
        self.take_back(number, by).map(|(answer, _)| answer)
    }

    /// As [`take`](Self::take), and answers the theater of the asker too, if that is another one.
    pub(in crate::network) fn take_back(
        &self,
        number: u64,
        by: TheaterId,
    ) -> Option<(Box<dyn Answerable>, Option<TheaterId>)> {
        let mut open = self.lock();
        open.asked.get(&number).filter(|asked| asked.may_be_answered_by(by))?;
        let asked = open.asked.remove(&number)?;
        Some((asked.answer?, asked.from))
    }

    /// A question is answered, by `work`: until that is done it is one that is not.
    pub(in crate::network) fn answer(
        &self,
        number: u64,
        by: TheaterId,
        work: impl FnOnce(Box<dyn Answerable>),
    ) {
        let mut open = self.lock();
        let asked = open.asked.get_mut(&number).filter(|asked| asked.may_be_answered_by(by));
        let answer = asked.and_then(|asked| asked.answer.take());
        drop(open);
        if let Some(answer) = answer {
            work(answer);
            self.lock().asked.remove(&number);
        }
    }

    /// A theater is dead: it will answer nothing, and its own questions are over. To be dropped
    /// without the lock.
    #[must_use]
    pub(in crate::network) fn died(&self, theater: TheaterId) -> Vec<Box<dyn Answerable>> {
        let mut open = self.lock();
        let from_there = open.asked.values_mut().filter(|asked| asked.from == Some(theater));
        from_there.for_each(|asked| asked.from = None);
        let to_there = open.asked.iter().filter(|(_, asked)| asked.to == theater);
        let mut lost: Vec<u64> = to_there.map(|(&number, _)| number).collect();
        lost.sort_unstable();
        lost.iter().filter_map(|number| open.asked.remove(number)?.answer).collect()
    }

    fn lock(&self) -> odeon_sync::MutexGuard<'_, Open> {
        self.open.lock().expect("nothing panics under this lock")
    }
}
