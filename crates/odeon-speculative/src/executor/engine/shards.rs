//! Places for shards: who has one, who waits for one, and what is done when one is given back.
//!
//! PROTOCOL
//! 1. A shard that waits pauses. Whoever changes the board gives places to those that wait
//!    (`engine/shards/waiting.rs`), and ends their pauses after that; also the pause of one that
//!    may not wait any longer. It looks at the board again: so it does not matter what it has been
//!    woken for.
//! 2. Whoever gives back a place looks, as whoever gives back a batch's does, whether somebody is
//!    to be woken for what can be taken.

use super::{Engine, EngineState, LOOK_EVERY, RELIEVED_BELOW, runners};
use crate::actor::speculative_actor::SpeculativeActor;
use crate::contained::drop_quietly;
use crate::executor::board::How;
use crate::executor::shard::Shard;
use odeon_core::ActorRef;
use odeon_core::extend::{self, Pause, SHARDS, let_out, wake, wake_shard};
use odeon_sync::MutexGuard;
use odeon_sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;
use std::time::Duration;

mod kept;
#[cfg(all(test, odeon_loom))]
mod loom;
mod place;
mod waiting;

pub(crate) use kept::KeptPlace;
pub(super) use kept::KeptWord;
use kept::PlaceAccount;
use place::PlaceTurns;
pub(crate) use place::ShardPlace;
pub(super) use place::TIMED;
pub(super) use waiting::{ShardTurn, WaitingShards};

/// What a shard may do with its messages.
pub(crate) enum ShardEntry<A: SpeculativeActor> {
    Placed(ShardPlace<A>),
    /// It pauses until it may look again.
    Waits,
    /// It brings them to the board.
    Brings,
    /// The actor has ended.
    TooLate,
}

impl<A: SpeculativeActor> Engine<A> {
    /// The actor's messages come to shards, and none is handled before it has started.
    pub(crate) fn divided(mut self) -> Self {
        self.is_divided = true;
        let mut shared = self.lock();
        shared.shards = WaitingShards::divided();
        shared.members = (0..SHARDS).map(|_| None).collect();
        shared.board.set_starting(true);
        drop(shared);
        self
    }

    pub(crate) fn is_divided(&self) -> bool {
        self.is_divided
    }

    /// The actor is about to start, or has.
    pub(crate) fn set_starting(&self, is_starting: bool) {
        self.with_board(|board| board.set_starting(is_starting));
    }

    /// Whether a shard may begin with another message in this place.
    #[inline(always)]
    pub(crate) fn goes_on_in(&self, place: &ShardPlace<A>) -> bool {
        place.left > 0 && self.phase.is(place.turns.phase)
    }

    /// A shard has been made; `false`: the actor has ended.
    pub(crate) fn join_shard(&self, number: u8, shard: ActorRef<A::Msg>) -> bool {
        let mut shared = self.lock();
        let is_there = shared.state.is_some();
        if is_there {
            shared.members[usize::from(number)] = Some(shard);
        }
        is_there
    }

    /// A shard has messages, and gives back the place that it has had, if it has.
    pub(crate) fn begin_shard(
        self: &Arc<Self>,
        number: u8,
        me: &ActorRef<A::Msg>,
        (pause, in_inbox): (&Pause, usize),
        before: Option<ShardPlace<A>>,
    ) -> ShardEntry<A> {
        let before = before.map(|place| self.turn_of_place_ends(place));
        let mut shared = self.lock();
        let left = before.map(|before| self.leave_shard(&mut shared, number, before));
        let EngineState { board, shards, state, pace, generation, .. } = &mut *shared;
        let mut entry = match state {
            None => ShardEntry::TooLate,
            // A long message is for whoever finds it on the board, so that others can be looked at.
            Some(_) if shards.rests(number) && pace.is_long() => ShardEntry::Brings,
            Some(state) => match shards.begin(number, pause, board) {
                ShardTurn::Placed(how) => {
                    let (state, me) = (state.clone(), me.clone());
                    let left = pace.of_shard(board.width());
                    let turns = PlaceTurns::new(*generation, left);
                    ShardEntry::Placed(ShardPlace { state, me, how, left, committed: 0, turns })
                }
                ShardTurn::Waits => ShardEntry::Waits,
                ShardTurn::Brings => ShardEntry::Brings,
            },
        };
        self.after_shard(shared, me, left, Some(in_inbox));
        if let ShardEntry::Placed(place) = &mut entry {
            // Not before: what it has waited for is no time of its messages.
            place.turns.begin(&*self.clock);
        }
        entry
    }

    /// A shard has no messages, or its turn ends.
    pub(crate) fn finish_shard(
        self: &Arc<Self>,
        number: u8,
        place: ShardPlace<A>,
        in_inbox: Option<usize>,
    ) {
        let me = place.me.clone();
        let place = self.turn_of_place_ends(place);
        let mut shared = self.lock();
        let left = self.leave_shard(&mut shared, number, place);
        self.after_shard(shared, &me, Some(left), in_inbox);
    }

    /// A caller gives back the place of its message, in which so many have been handled; `None`:
    /// others go on with it. The message took so long, if it was timed.
    pub(super) fn finish_callers(
        self: &Arc<Self>,
        me: &ActorRef<A::Msg>,
        state: Arc<A>,
        how: How,
        handled: Option<u64>,
        took: Option<Duration>,
    ) {
        let mut shared = self.lock();
        let EngineState { board, shards, pace, committed, until_look, .. } = &mut *shared;
        shards.finish_callers(how, board);
        if let Some(count) = handled {
            if let Some(took) = took {
                pace.note(took, 1);
            }
            *committed += count;
            *until_look = until_look.saturating_sub(1);
        }
        let left = LeftPlace { state, handled: usize::from(handled.is_some()) };
        self.after_shard(shared, me, Some(left), Some(0));
    }

    /// Looks at the width, if it is time to.
    pub(crate) fn look_if_due(&self, in_inbox: usize) {
        let waiting = waiting_at_look(&mut self.lock(), in_inbox);
        if let Some(waiting) = waiting {
            self.adapt(waiting);
        }
    }

    /// Answers also how many messages were handled in this turn.
    fn turn_of_place_ends(&self, mut place: ShardPlace<A>) -> (ShardPlace<A>, usize) {
        let handled = place.turns.end(place.left, &*self.clock);
        (place, handled)
    }

    fn leave_shard(
        &self,
        shared: &mut EngineState<A>,
        number: u8,
        (place, handled): (ShardPlace<A>, usize),
    ) -> LeftPlace<A> {
        place.turns.tell(&mut shared.pace);
        shared.account_for(place.account(number));
        LeftPlace { state: place.state, handled }
    }

    /// Rule 2.
    fn after_shard(
        self: &Arc<Self>,
        mut shared: MutexGuard<'_, EngineState<A>>,
        me: &ActorRef<A::Msg>,
        left: Option<LeftPlace<A>>,
        in_inbox: Option<usize>,
    ) {
        let waiting = in_inbox.and_then(|in_inbox| waiting_at_look(&mut shared, in_inbox));
        let EngineState { board, runners, .. } = &mut *shared;
        let rested = if left.is_some() { runners.next(board) } else { None };
        let is_left = left.is_some() && rested.is_none() && board.has_next();
        let is_due = is_left || board.needs_attention() && !board.is_running();
        self.unlock(shared);
        runners::wake_runner(rested);
        if is_due {
            wake(me);
        }
        if let Some(LeftPlace { state, handled }) = left {
            // Perhaps the last reference to a state that is gone: its destructor is a user's code.
            drop_quietly(state);
            extend::note_handled(handled as u32);
        }
        if let Some(waiting) = waiting {
            self.adapt(waiting);
        }
    }

    /// A shard ends, maybe before its actor does.
    pub(crate) fn forget_shard(&self, number: u8) {
        self.change(|shared| {
            let EngineState { board, shards, .. } = shared;
            shards.forget(number, board);
        });
    }

    /// A shard has nothing to do. Answers whether it is woken when senders may go on: only then may
    /// it have them hold back meanwhile.
    pub(crate) fn shard_rests(&self, number: u8) -> bool {
        let mut is_woken = false;
        if self.pressing() >= RELIEVED_BELOW {
            let mut shared = self.lock();
            is_woken = shared.presses;
            if is_woken {
                shared.shards.note_pressed(number);
            }
        }
        // ORDERING: Relaxed: what is sampled meanwhile is worth little in any case.
        if !self.has_outstanding() && self.copies.busy_shards.load(Ordering::Relaxed) == 0 {
            self.rests();
        }
        is_woken
    }

    /// The actor has ended, and its shards are to.
    pub(super) fn end_shards(members: Vec<Option<ActorRef<A::Msg>>>) {
        // No effect of whatever this thread may be in the middle of.
        let_out(|| members.iter().flatten().for_each(ActorRef::stop));
    }

    /// A shard for the actor.
    pub(crate) fn shard(self: &Arc<Self>, number: usize) -> Shard<A> {
        Shard::new(self.clone(), number as u8)
    }

    /// Has shards look whether their senders may go on.
    pub(super) fn wake_shards(me: &ActorRef<A::Msg>, shards: &[ActorRef<A::Msg>]) {
        shards.iter().for_each(|shard| wake_shard(me, shard));
    }
}

impl<A: SpeculativeActor> EngineState<A> {
    /// A place is given back.
    pub(super) fn account_for(
        &mut self,
        PlaceAccount { number, how, handled, committed, together }: PlaceAccount,
    ) {
        self.committed += committed;
        self.shards.finish(number, how, together, &mut self.board);
        self.until_look = self.until_look.saturating_sub(handled as u32);
    }

    /// Whether a shard may keep its place when it goes idle: nobody else has messages under way.
    pub(super) fn lets_places_be_kept(&self) -> bool {
        let has_others = self.board.outstanding() > 0 || self.shards.under_way() > 1;
        let may_be_idle = !self.presses && !self.is_to_rest && !self.board.is_halted();
        self.state.is_some() && !has_others && may_be_idle
    }
}

/// Which state messages are handled in, and whether what runs is to make way: what a shard looks at
/// before each message. On a line of its own, which is hardly ever written.
#[derive(Default)]
#[repr(align(128))]
pub(super) struct Phase(AtomicU64);

impl Phase {
    /// That of a state that nothing is to make way for, of this generation.
    fn of(generation: u64) -> u64 {
        generation << 1
    }

    /// Under the lock of the board.
    pub(super) fn set(&self, generation: u64, is_halted: bool) {
        let phase = Self::of(generation) | u64::from(is_halted);
        // ORDERING: Relaxed, here and below: what is to be seen to is a hint. That the state is
        // another one is seen by who handles a message of somebody who knows that, for it came
        // after that.
        if self.0.load(Ordering::Relaxed) != phase {
            self.0.store(phase, Ordering::Relaxed);
        }
    }

    #[inline(always)]
    fn is(&self, phase: u64) -> bool {
        self.0.load(Ordering::Relaxed) == phase
    }
}

/// A place that has been given back, and how many messages were handled in this turn.
struct LeftPlace<A> {
    state: Arc<A>,
    handled: usize,
}

/// If it is time to look at the width: how many messages wait in inboxes, where one of those that
/// have some has so many.
pub(super) fn waiting_at_look<A: SpeculativeActor>(
    shared: &mut EngineState<A>,
    in_inbox: usize,
) -> Option<usize> {
    if shared.until_look > 0 {
        return None;
    }
    shared.until_look = LOOK_EVERY;
    Some(in_inbox * shared.shards.busy().max(1))
}
