//! Channels of which so much is held here that those who send by them wait: their receivers
//! elsewhere are slow, or what goes before is large.
//!
//! NOBODY WAITS FOR EVER. Within a theater whoever closes a circle of those that wait opens it
//! (S17); of a circle by way of another theater nobody knows. So if a channel stays pressed, its
//! senders may send a little more once in a while: in a circle one of them comes to what the others
//! wait for. Where the receiver only does not go on, the times in between double, so that little is
//! added to what waits for it.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use odeon_core::extend;
use odeon_sync::Mutex;
use odeon_sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use crate::routing::channel::Channel;
use crate::routing::owner::Owner;
use crate::routing::peer::Peer;

/// TUNE: ms, guessed 2026-11: how long those that send by a channel wait for it at first. Long
/// against what an actor takes for what waits for it, short against what people wait for.
const FIRST_LET_GO: Duration = Duration::from_millis(100);
/// TUNE: s, guessed 2026-11: and in the end, if it does not go on at all.
const LAST_LET_GO: Duration = Duration::from_secs(10);
/// TUNE: bytes, guessed 2026-11: how much more they may send then: thousands of small messages, and
/// little beside what is held already.
const ALLOWANCE: usize = 512 << 10;

/// See the module.
#[derive(Default)]
pub(crate) struct Pressed {
    channels: Mutex<HashMap<u64, Allowance>>,
    /// How many there are, for a look without the lock.
    number: AtomicUsize,
    /// Of whoever has begun to look after a channel last.
    last: AtomicU64,
}

#[derive(Default)]
struct Allowance {
    /// So many bytes may be pushed still.
    allowance: usize,
    /// Who looks after it.
    looks: Option<Looks>,
}

/// Looks after a channel again and again. Another one does if it has been relieved meanwhile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Looks {
    number: u64,
    /// So long after the last time.
    pause: Duration,
}

impl Pressed {
    /// So many bytes have been pushed on a channel, which is pressed.
    #[cold]
    pub(crate) fn pushed(&self, channel: u64, bytes: usize) {
        self.with(|channels| {
            let state = channels.entry(channel).or_default();
            state.allowance = state.allowance.saturating_sub(bytes);
        });
    }

    /// A channel is not pressed any more.
    pub(crate) fn is_relieved(&self, channel: u64) {
        self.with(|channels| {
            channels.remove(&channel);
        });
    }

    /// Whether those that send by a channel are to wait.
    #[inline]
    pub(crate) fn presses(&self, channel: Channel) -> bool {
        // ORDERING: Relaxed: a hint: who sees a channel too late sends one message more.
        self.number.load(Ordering::Relaxed) > 0
            && self.with(|channels| {
                channels.get(&channel.number()).is_some_and(|state| state.allowance == 0)
            })
    }

    /// The caller is to look after a channel, which nobody does yet.
    fn begins_to_look(&self, channel: u64) -> Option<Looks> {
        self.with(|channels| {
            let state = channels.get_mut(&channel).filter(|state| state.looks.is_none())?;
            // ORDERING: Relaxed: one number each, under the lock of the channels.
            let number = self.last.fetch_add(1, Ordering::Relaxed);
            Some(*state.looks.insert(Looks { number, pause: FIRST_LET_GO }))
        })
    }

    /// If the channel is still pressed, and looked after by this one, its senders may send more.
    /// Answers when to look again.
    fn allow(&self, channel: u64, Looks { number, pause }: Looks) -> Option<Looks> {
        self.with(|channels| {
            let state = channels.get_mut(&channel)?;
            let looks = state.looks.as_mut().filter(|looks| looks.number == number)?;
            looks.pause = (pause * 2).min(LAST_LET_GO);
            state.allowance = ALLOWANCE;
            Some(*looks)
        })
    }

    fn with<R>(&self, work: impl FnOnce(&mut HashMap<u64, Allowance>) -> R) -> R {
        let mut channels = self.channels.lock().expect("nothing panics under this lock");
        let result = work(&mut channels);
        // ORDERING: Relaxed: see `presses`.
        self.number.store(channels.len(), Ordering::Relaxed);
        result
    }
}

impl Peer {
    /// Something has been sent by the channel of a seat: if it is pressed, somebody looks after it.
    pub(crate) fn look_after(self: &Arc<Self>, owner: &Arc<impl Owner>, seat: u64) {
        if !self.pressed.presses(Channel::Actor(seat)) {
            return;
        }
        if let Some(looks) = self.pressed.begins_to_look(Channel::Actor(seat).number()) {
            self.let_go_after(looks, owner, seat);
        }
    }

    fn let_go_after(self: &Arc<Self>, looks: Looks, owner: &Arc<impl Owner>, seat: u64) {
        let Some(stage) = owner.pool() else { return };
        let (peer, of) = (Arc::downgrade(self), Arc::downgrade(owner));
        // It ends by itself once the channel is relieved.
        let _alarm = extend::alarm_at(&*stage, looks.pause, move || {
            let (Some(peer), Some(owner)) = (peer.upgrade(), of.upgrade()) else { return };
            let next = peer.pressed.allow(Channel::Actor(seat).number(), looks);
            let Some(looks) = next.filter(|_| !peer.is_dead()) else { return };
            owner.senders_to(peer.address(seat)).iter().for_each(|stands| stands.let_go());
            peer.let_go_after(looks, &owner, seat);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_looks_after_a_channel_however_often_it_is_relieved_and_pressed_again() {
        let (pressed, channel) = (Pressed::default(), 7);
        pressed.pushed(channel, 1);
        let first = pressed.begins_to_look(channel).unwrap();
        assert_eq!(pressed.begins_to_look(channel), None);
        // Before the first one looks.
        pressed.is_relieved(channel);
        pressed.pushed(channel, 1);
        let second = pressed.begins_to_look(channel).unwrap();
        assert_eq!(second.pause, FIRST_LET_GO);
        assert_eq!(pressed.allow(channel, first), None);
        let again = pressed.allow(channel, second).unwrap();
        assert_eq!((again.number, again.pause), (second.number, 2 * FIRST_LET_GO));
        pressed.is_relieved(channel);
        assert_eq!(pressed.allow(channel, again), None);
    }
}
