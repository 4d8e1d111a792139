//! Answers to requests to move, to whoever has asked: also if its theater is not in sight of the
//! one that has the answer.
//!
//! PROTOCOL. A theater R has the answer to a request of A: the actor has moved, or stays, or the
//! request has been lost (`routing/asked.rs`).
//! 1. If there is a link to A, R tells A by it (*Answered*). What A has not acknowledged when that
//!    link ends, R still owes.
//! 2. Otherwise R owes it to A: it tells it all theaters that it sees, and each that it sees from
//!    then on. Whoever of these sees A tells A; the others owe it to A too, and tell nobody else.
//! 3. Who owes A something tells A when there is a link again. After [`KEPT`] it is forgotten, and
//!    at once when A leaves.
//!
//! An answer that comes twice finds no question any more. So a request is answered unless no
//! theater sees both A and R, be it one after the other, for as long as answers are kept; or nobody
//! is left who knows of it, of which A learns by the end of the link to where it has sent the
//! request.

use std::collections::BTreeMap;
use std::time::Duration;

use odeon_sync::{Mutex, MutexGuard};

use crate::TheaterId;
use crate::routing::asker::Asker;

/// TUNE: guessed 2026-11: as long as lost theaters are looked for by names.
const KEPT: Duration = Duration::from_secs(600);

/// TUNE: guessed 2026-11: with so many it is looked at which are to be forgotten, and again with
/// twice as many as were left.
const FEWEST: usize = 64;

/// `None`: there is none.
pub(in crate::network) type Answer = Option<Vec<u8>>;

/// See the module.
#[derive(Default)]
pub(in crate::network) struct Owed(Mutex<OwedAnswers>);

struct OwedAnswers {
    /// By the theater of the asker, and the number of its question.
    answers: BTreeMap<(TheaterId, u64), Owes>,
    look_at: usize,
}

impl Default for OwedAnswers {
    fn default() -> Self {
        Self { answers: BTreeMap::new(), look_at: FEWEST }
    }
}

struct Owes {
    answer: Answer,
    /// This theater is the first that has it: others are to be told.
    is_own: bool,
    until: Duration,
}

impl Owed {
    pub(in crate::network) fn add(
        &self,
        asker: Asker,
        answer: Answer,
        is_own: bool,
        now: Duration,
    ) {
        let mut known = self.lock();
        if known.answers.len() >= known.look_at {
            known.answers.retain(|_, owes| owes.until > now);
            known.look_at = FEWEST.max(2 * known.answers.len());
        }
        let owes = Owes { answer, is_own, until: now.saturating_add(KEPT) };
        known.answers.insert((asker.theater, asker.question), owes);
    }

    /// Those to a theater: they are given to it now.
    pub(in crate::network) fn take(&self, theater: TheaterId) -> Vec<(Asker, Answer)> {
        let mut known = self.lock();
        let all = (theater, 0)..=(theater, u64::MAX);
        let questions: Vec<u64> = known.answers.range(all).map(|(&(_, q), _)| q).collect();
        let take = |question| {
            let owes = known.answers.remove(&(theater, question))?;
            Some((Asker { theater, question }, owes.answer))
        };
        questions.into_iter().filter_map(take).collect()
    }

    /// Those that this theater was the first to have.
    pub(in crate::network) fn own(&self) -> Vec<(Asker, Answer)> {
        let known = self.lock();
        let own = known.answers.iter().filter(|(_, owes)| owes.is_own);
        let asked = |&(theater, question): &(TheaterId, u64)| Asker { theater, question };
        own.map(|(asker, owes)| (asked(asker), owes.answer.clone())).collect()
    }

    fn lock(&self) -> MutexGuard<'_, OwedAnswers> {
        self.0.lock().expect("nothing panics under this lock")
    }
}
