//! Channels of which so much is held here that those who send by them wait: their receivers elsewhere are slow, or what goes before is large.
//!
//! NOBODY WAITS FOR EVER. Within a theater whoever closes a circle of those that wait opens it (S17); of a circle by way of another theater nobody
//! knows. So if a channel stays pressed, its senders may send a little more once in a while: in a circle one of them comes to what the others wait for. Where
//! the receiver only does not go on, the times in between double, so that little is added to what waits for it.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use odeon_core::extend;
use odeon_sync::Mutex;
use odeon_sync::atomic::{AtomicUsize, Ordering};

use super::Inner;
use super::channel::Channel;
use super::peer::Peer;

/// TUNE: ms, guessed 2026-11: how long those that send by a channel wait for it at first. Long against what an actor takes for what waits for it, short
/// against what people wait for.
const FIRST_LET_GO: Duration = Duration::from_millis(100);
/// TUNE: s, guessed 2026-11: and in the end, if it does not go on at all.
const LAST_LET_GO: Duration = Duration::from_secs(10);
/// TUNE: bytes, guessed 2026-11: how much more they may send then: thousands of small messages, and little beside what is held already.
const ALLOWANCE: usize = 512 << 10;

/// See the module.
#[derive(Default)]
pub(super) struct Pressed {
    channels: Mutex<HashMap<u64, State>>,
    /// How many there are, for a look without the lock.
    number: AtomicUsize,
}

#[derive(Default)]
struct State {
    /// So many bytes may be pushed still.
    allowance: usize,
    /// Somebody looks after it: this long after the last time.
    pause: Option<Duration>,
}

impl Pressed {
    /// So many bytes have been pushed on a channel, which is pressed.
    #[cold]
    pub(super) fn pushed(&self, channel: u64, bytes: usize) {
        self.with(|channels| {
            let state = channels.entry(channel).or_default();
            state.allowance = state.allowance.saturating_sub(bytes);
        });
    }

    fn remove(&self, channel: u64) {
        self.with(|channels| {
            channels.remove(&channel);
        });
    }

    /// Whether those that send by a channel are to wait.
    #[inline]
    pub(super) fn presses(&self, channel: Channel) -> bool {
        // ORDERING: Relaxed: a hint: who sees a channel too late sends one message more.
        self.number.load(Ordering::Relaxed) > 0
            && self.with(|channels| {
                channels.get(&channel.number()).is_some_and(|state| state.allowance == 0)
            })
    }

    /// When the caller is to look after a channel, which nobody does yet.
    fn begins_to_look(&self, channel: u64) -> Option<Duration> {
        self.with(|channels| {
            let state = channels.get_mut(&channel).filter(|state| state.pause.is_none())?;
            Some(*state.pause.insert(FIRST_LET_GO))
        })
    }

    /// If the channel is still pressed, its senders may send more. Answers when to look again.
    fn allow(&self, channel: u64) -> Option<Duration> {
        self.with(|channels| {
            let state = channels.get_mut(&channel)?;
            state.allowance = ALLOWANCE;
            let pause = state.pause.map_or(FIRST_LET_GO, |before| before * 2).min(LAST_LET_GO);
            Some(*state.pause.insert(pause))
        })
    }

    fn with<R>(&self, work: impl FnOnce(&mut HashMap<u64, State>) -> R) -> R {
        let mut channels = self.channels.lock().expect("nothing panics under this lock");
        let result = work(&mut channels);
        // ORDERING: Relaxed: see `presses`.
        self.number.store(channels.len(), Ordering::Relaxed);
        result
    }
}

impl Peer {
    /// A channel is not pressed any more.
    pub(super) fn is_relieved(&self, network: &Arc<Inner>, channel: u64) {
        self.pressed.remove(channel);
        if let Some(Channel::Actor(seat)) = Channel::of(channel) {
            network.seats.by_route(self.address(seat)).iter().for_each(|stands| stands.wake());
        }
    }

    /// Something has been sent by the channel of a seat: if it is pressed, somebody looks after it.
    pub(super) fn look_after(self: &Arc<Self>, network: &Arc<Inner>, seat: u64) {
        if !self.pressed.presses(Channel::Actor(seat)) {
            return;
        }
        if let Some(pause) = self.pressed.begins_to_look(Channel::Actor(seat).number()) {
            self.let_go_after(pause, network, seat);
        }
    }

    fn let_go_after(self: &Arc<Self>, pause: Duration, network: &Arc<Inner>, seat: u64) {
        let Some(stage) = network.pool.upgrade() else { return };
        let (peer, of) = (Arc::downgrade(self), Arc::downgrade(network));
        // It ends by itself once the channel is relieved.
        let _alarm = extend::alarm_at(&*stage, pause, move || {
            let (Some(peer), Some(network)) = (peer.upgrade(), of.upgrade()) else { return };
            let next = peer.pressed.allow(Channel::Actor(seat).number());
            let Some(pause) = next.filter(|_| !peer.is_dead()) else { return };
            network.seats.by_route(peer.address(seat)).iter().for_each(|stands| stands.let_go());
            peer.let_go_after(pause, &network, seat);
        });
    }
}
