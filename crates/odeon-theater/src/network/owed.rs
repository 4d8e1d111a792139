//! Answers to requests to move, to whoever has asked: also if its theater is not in sight of the one that has the answer.
//!
//! PROTOCOL. A theater R has the answer to a request of A: the actor has moved, or stays, or the request has been lost (`asked.rs`).
//! 1. If there is a link to A, R tells A by it (*Answered*). What A has not acknowledged when that link ends, R still owes.
//! 2. Otherwise R owes it to A: it tells it all theaters that it sees, and each that it sees from then on. Whoever of these sees A tells A; the others owe it to A
//!    too, and tell nobody else.
//! 3. Who owes A something tells A when there is a link again. After [`KEPT`] it is forgotten, and at once when A leaves.
//!
//! An answer that comes twice finds no question any more. So a request is answered unless no theater sees both A and R, be it one after the other, for as long as
//! answers are kept; or nobody is left who knows of it, of which A learns by the end of the link to where it has sent the request.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use odeon_sync::{Mutex, MutexGuard};

use super::Inner;
use super::channel::{Channel, NUMBERS};
use super::control::Control;
use super::migrations::{Asker, Within};
use super::peer::Peer;
use crate::{End, TheaterId};

/// TUNE: guessed 2026-11: as long as lost theaters are looked for by names.
const KEPT: Duration = Duration::from_secs(600);

/// TUNE: guessed 2026-11: with so many it is looked at which are to be forgotten, and again with twice as many as were left.
const FEWEST: usize = 64;

/// `None`: there is none.
type Answer = Option<Vec<u8>>;

/// See the module.
#[derive(Default)]
pub(super) struct Owed(Mutex<Known>);

struct Known {
    /// By the theater of the asker, and the number of its question.
    answers: BTreeMap<(TheaterId, u64), Owes>,
    look_at: usize,
}

impl Default for Known {
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
    fn add(&self, asker: Asker, answer: Answer, is_own: bool, now: Duration) {
        let mut known = self.lock();
        if known.answers.len() >= known.look_at {
            known.answers.retain(|_, owes| owes.until > now);
            known.look_at = FEWEST.max(2 * known.answers.len());
        }
        let owes = Owes { answer, is_own, until: now.saturating_add(KEPT) };
        known.answers.insert((asker.theater, asker.question), owes);
    }

    /// Those to a theater: they are given to it now.
    fn take(&self, theater: TheaterId) -> Vec<(Asker, Answer)> {
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
    fn own(&self) -> Vec<(Asker, Answer)> {
        let known = self.lock();
        let own = known.answers.iter().filter(|(_, owes)| owes.is_own);
        let asked = |&(theater, question): &(TheaterId, u64)| Asker { theater, question };
        own.map(|(asker, owes)| (asked(asker), owes.answer.clone())).collect()
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.0.lock().expect("nothing panics under this lock")
    }
}

fn answered(asker: Asker, answer: Answer, is_passed_on: bool) -> Control {
    let Asker { theater, question } = asker;
    Control::Answered { asker: theater.bits(), question, answer, is_passed_on }
}

impl Inner {
    /// Gives an answer to whoever has asked, wherever that is.
    pub(super) fn give_answer(self: &Arc<Self>, asker: Asker, answer: Answer) {
        if asker.question >= NUMBERS {
            return;
        }
        if asker.theater == self.id {
            self.is_answered(asker.question, self.id, answer);
        } else if !self.tells_asker(asker, answer.clone(), false) {
            self.owes(asker, answer, true);
        }
    }

    /// `false`: there is no link to it.
    fn tells_asker(self: &Arc<Self>, asker: Asker, answer: Answer, is_passed_on: bool) -> bool {
        let Some(peer) = self.peers.get(asker.theater) else { return false };
        let told = answered(asker, answer, is_passed_on).to_bytes();
        let is_told = peer.push(Channel::Control, &told).is_ok();
        peer.transmit(self);
        is_told
    }

    fn owes(self: &Arc<Self>, asker: Asker, answer: Answer, is_own: bool) {
        self.owed.add(asker, answer.clone(), is_own, self.now());
        if is_own {
            for peer in self.peers.all().into_iter().filter(|peer| peer.id != asker.theater) {
                self.tell_peer(&peer, &answered(asker, answer.clone(), true));
            }
        }
        // There may be a link meanwhile, of which it was told before that.
        if let Some(peer) = self.peers.get(asker.theater).filter(|peer| peer.is_linked()) {
            self.pays(&peer);
        }
    }

    /// There is a link to a theater.
    pub(super) fn pays(self: &Arc<Self>, peer: &Arc<Peer>) {
        for (asker, answer) in self.owed.take(peer.id) {
            if !self.tells_asker(asker, answer.clone(), false) {
                self.owed.add(asker, answer, true, self.now());
            }
        }
        for (asker, answer) in self.owed.own() {
            self.tell_peer(peer, &answered(asker, answer, true));
        }
    }

    /// A link has ended.
    pub(super) fn owes_no_more(&self, theater: TheaterId, end: End) {
        if matches!(end, End::Left | End::Departed) {
            drop(self.owed.take(theater));
        }
    }

    /// Another theater has the answer to a question of this one, or of a third one.
    pub(super) fn answer_comes(self: &Arc<Self>, peer: &Arc<Peer>, asker: Asker, answer: Answer) {
        if asker.question >= NUMBERS {
            return;
        }
        if asker.theater == self.id {
            self.is_answered(asker.question, peer.id, answer);
        } else if !self.tells_asker(asker, answer.clone(), true) {
            self.owes(asker, answer, false);
        }
    }

    /// The asker's theater may not have got it.
    pub(super) fn has_not_answered(
        self: &Arc<Self>,
        peer: &Arc<Peer>,
        asker: Asker,
        answer: Answer,
        is_passed_on: bool,
    ) {
        // Who was to pass it on has died: whoever is the first to have it owes it still.
        if asker.theater == peer.id {
            self.owes(asker, answer, !is_passed_on);
        }
    }

    fn is_answered(&self, question: u64, by: TheaterId, answer: Answer) {
        if let Some(asked) = self.questions.take(question, by) {
            if let Some(bytes) = answer {
                let _ = asked.answer(&Within::default(), &bytes);
            }
        }
    }
}
