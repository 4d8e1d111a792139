//! A place that a shard keeps while it is idle, so that a message that comes alone passes no lock.
//!
//! PROTOCOL
//! 1. Whoever takes the lock of the board takes the kept place back with it, by a change of a word
//!    that says what was done there, and finds the board as if the shard had given the place back
//!    before. While the lock is held no place is kept.
//! 2. Who gives the lock back says whether the next place may be kept: not if anybody could want
//!    one. So nobody waits for a place that is kept.
//! 3. The shard resumes its place by a change of the same word. If that succeeds nobody has had the
//!    lock since: all is as it was.
//!
//! The shard does not keep the actor meanwhile. It keeps its state; so when that is replaced all
//! shards are woken after that, and let go of what they have kept. The rules are covered by
//! `engine/shards/loom.rs`, that by `tests/s24_shards_idle.rs`.

use super::Engine;
use super::place::{PlaceTurns, ShardPlace};
use crate::actor::speculative_actor::SpeculativeActor;
use crate::contained::drop_quietly;
use crate::executor::board::How;
use odeon_core::ActorRef;
use odeon_core::extend;
use odeon_sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

/// Nobody has the lock, and the next place may be kept.
const MAY_BE_KEPT: u64 = 0;
/// None is kept.
const NONE: u64 = 1;
/// Part of each word of a kept place.
const KEPT: u64 = 2;
const DIRECT: u64 = 4;

/// Messages beyond which a place is given back: their number has to fit the word.
const MOST: usize = u16::MAX as usize;

/// See the module.
pub(in super::super) struct KeptWord(AtomicU64);

/// What the word of a kept place says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) struct PlaceAccount {
    pub(super) number: u8,
    pub(super) how: How,
    /// Messages that have been handled there; of these, those that have committed, and those that
    /// came with others.
    pub(super) handled: usize,
    pub(super) committed: u64,
    pub(super) together: usize,
}

impl PlaceAccount {
    fn word(self) -> u64 {
        let is_direct = if self.how == How::Direct { DIRECT } else { 0 };
        let counts = [self.handled as u64, self.committed, self.together as u64];
        let counts = counts.into_iter().fold(0, |counts, count| counts << 16 | count);
        counts << 16 | u64::from(self.number) << 8 | is_direct | KEPT
    }

    fn of(word: u64) -> Option<Self> {
        let count = |shift: u32| u64::from((word >> shift) as u16);
        (word & KEPT != 0).then(|| Self {
            number: (word >> 8) as u8,
            how: if word & DIRECT != 0 { How::Direct } else { How::Logged },
            handled: count(48) as usize,
            committed: count(32),
            together: count(16) as usize,
        })
    }
}

impl Default for KeptWord {
    fn default() -> Self {
        Self(AtomicU64::new(NONE))
    }
}

impl KeptWord {
    /// Rule 1, with the lock. Answers the place that was kept.
    #[inline]
    pub(in super::super) fn take_back(&self) -> Option<PlaceAccount> {
        // ORDERING: AcqRel: what was done in the place comes before what is done under the lock.
        PlaceAccount::of(self.0.swap(NONE, Ordering::AcqRel))
    }

    /// Rule 2, with the lock, after [`take_back`](Self::take_back).
    #[inline]
    pub(in super::super) fn let_be_kept(&self) {
        // ORDERING: Release: what was done under the lock comes before what is done in a place that
        // is resumed. Nobody else changes the word meanwhile.
        self.0.store(MAY_BE_KEPT, Ordering::Release);
    }

    /// As the shard, with its place: whether it is worth trying.
    #[inline]
    fn may_be_kept(&self) -> bool {
        // ORDERING: Relaxed: a hint.
        self.0.load(Ordering::Relaxed) == MAY_BE_KEPT
    }

    /// As the shard, with its place; `false`: that is to be given back.
    #[inline]
    pub(super) fn keep(&self, kept: PlaceAccount) -> bool {
        // ORDERING: AcqRel: partner of `take_back`; and who gave the lock back last has set the
        // phase before, which is looked at after this.
        let change = (MAY_BE_KEPT, kept.word());
        self.0.compare_exchange(change.0, change.1, Ordering::AcqRel, Ordering::Relaxed).is_ok()
    }

    /// As the shard that has kept this place: whether it has it still.
    fn is(&self, kept: PlaceAccount) -> bool {
        // ORDERING: Relaxed: a look at what only makes memory free.
        self.0.load(Ordering::Relaxed) == kept.word()
    }

    /// Rule 3, as the shard that has kept this place; `false`: it was taken back.
    #[inline]
    pub(super) fn resume(&self, kept: PlaceAccount) -> bool {
        // ORDERING: Acquire: partner of `let_be_kept`.
        let change = (kept.word(), MAY_BE_KEPT);
        self.0.compare_exchange(change.0, change.1, Ordering::Acquire, Ordering::Relaxed).is_ok()
    }
}

/// A place as an idle shard has it.
pub(crate) struct KeptPlace<A> {
    state: Arc<A>,
    kept: PlaceAccount,
    turns: PlaceTurns,
    left: usize,
}

impl<A: SpeculativeActor> Engine<A> {
    /// A shard goes idle. If it may keep its place, that is taken out; answers what the shard keeps
    /// of it, if the place is not taken back at once.
    pub(crate) fn keep_place(
        &self,
        number: u8,
        shards: &mut Option<ShardPlace<A>>,
    ) -> Option<KeptPlace<A>> {
        let place = shards.as_mut().filter(|place| self.goes_on_in(place))?;
        if !self.kept.may_be_kept() {
            return None;
        }
        extend::note_handled(place.turns.end(place.left, &*self.clock) as u32);
        let kept = place.account(number);
        if kept.handled > MOST || !self.kept.keep(kept) {
            return None;
        }
        let goes_on = self.goes_on_in(place);
        if !goes_on && self.kept.resume(kept) {
            // Halted, or of a state that has been replaced: nobody would have this shard let go of
            // that.
            return None;
        }
        let ShardPlace { state, turns, left, .. } = shards.take()?;
        if !goes_on {
            drop_quietly(state);
            return None;
        }
        self.rests();
        Some(KeptPlace { state, kept, turns, left })
    }

    /// A shard that has kept its place has messages. `None`: the place was taken back.
    pub(crate) fn resume_place(
        &self,
        KeptPlace { state, kept, mut turns, left }: KeptPlace<A>,
        me: ActorRef<A::Msg>,
    ) -> Option<ShardPlace<A>> {
        if !self.kept.resume(kept) {
            drop_quietly(state);
            return None;
        }
        turns.begin(&*self.clock);
        let (how, committed) = (kept.how, kept.committed);
        Some(ShardPlace { state, me, how, left, committed, turns })
    }

    /// What an idle shard is to do with what it has kept, when it is woken: `None` if it was taken
    /// back.
    pub(crate) fn look_at_kept(&self, place: KeptPlace<A>) -> Option<KeptPlace<A>> {
        if self.kept.is(place.kept) {
            return Some(place);
        }
        drop_quietly(place.state);
        None
    }
}
