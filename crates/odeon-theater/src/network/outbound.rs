//! The way out of one seat.

use std::mem;
use std::sync::{Arc, Weak};

use odeon_core::extend::{Awaits, LetterName, Submit};
use odeon_core::wire::{
    Address, Arriving, Bid, Encode, Native, NotTaken, Occupied, Outbound, Slot,
};
use odeon_core::wire::{StandIn, WireError};
use odeon_sync::Mutex;
use odeon_sync::atomic::{AtomicBool, Ordering, fence};

use crate::network::inner::Inner;
use crate::network::references::passage::Between;
use crate::network::references::seats::{Coming, WayOut};
use crate::routing::channel::Channel;
use crate::routing::companions::write_head;
use crate::routing::marks::{Mark, write_letter, write_slot};
use crate::routing::way::Way;
use crate::{PushError, TheaterId};

/// TUNE: bytes, guessed 2026-11: from here on a message is given away with the memory that it was
/// written to, which would else be copied while all senders to that theater wait, and kept.
const LARGE: usize = 256 << 10;

/// See the module.
pub(super) struct FromSeat {
    network: Weak<Inner>,
    /// Together with the actor's other seats.
    way: Arc<Way>,
    /// Whether no other seat here has messages for the same actor that go before.
    goes_first: AtomicBool,
    seat: Mutex<KnownSeat>,
}

/// What is known of the seat.
enum KnownSeat {
    Nothing,
    /// Its number, and whom it is for.
    Of(u64, Address),
    Ended,
}

impl FromSeat {
    pub(super) fn new(network: &Arc<Inner>, way: Arc<Way>, first: bool) -> Self {
        Self {
            network: Arc::downgrade(network),
            way,
            goes_first: AtomicBool::new(first),
            seat: Mutex::new(KnownSeat::Nothing),
        }
    }

    fn seat(&self) -> odeon_sync::MutexGuard<'_, KnownSeat> {
        self.seat.lock().expect("nothing panics under this lock")
    }

    /// Writes a message behind what `head` writes, and pushes it, if it may go where the way leads.
    fn push(
        &self,
        may_go_to: impl FnOnce(&Arc<Inner>, TheaterId) -> bool,
        head: impl FnOnce(&mut Vec<u8>),
        encode: Encode<'_>,
    ) -> Result<(), NotTaken> {
        let network = self.network.upgrade().ok_or(NotTaken::Unreachable)?;
        if !self.looks_open() {
            return Err(NotTaken::Closed);
        }
        let (to, mut bytes) = {
            let mut course = self.way.course();
            let to = course.to.clone().ok_or(NotTaken::Unreachable)?;
            (to, mem::take(&mut course.bytes))
        };
        if to.peer.is_dead() || !may_go_to(&network, to.peer.id) {
            return Err(NotTaken::Unreachable);
        }
        bytes.clear();
        head(&mut bytes);
        // Without a lock: it is the user's code, which may come back here.
        let between = Between::new(&network, &to.peer);
        if let Err(error) = encode(&between, &mut bytes) {
            self.way.course().bytes = bytes;
            between.undo();
            return Err(NotTaken::Unwritable(error));
        }
        let channel = Channel::Actor(to.seat);
        let mut course = self.way.course();
        // It is led elsewhere only while it is closed; unless it has been lost meanwhile, and what
        // was written with it.
        let leads_there = course.to.as_ref().is_some_and(|now| now.is_same(&to));
        let pushed = if !leads_there {
            Err(PushError::Ended)
        } else if bytes.len() < LARGE {
            let pushed = to.peer.push(channel, &bytes);
            course.bytes = bytes;
            pushed
        } else {
            to.peer.push_owned(channel, bytes)
        };
        // What is told of what has left may come round to this way.
        drop(course);
        match pushed {
            Ok(()) => {
                between.done();
                Ok(())
            }
            Err(error) => {
                between.undo();
                Err(match error {
                    PushError::TooLarge { .. } => {
                        NotTaken::Unwritable(WireError::Refused("it is too large"))
                    }
                    _ => NotTaken::Unreachable,
                })
            }
        }
    }

    fn looks_open(&self) -> bool {
        // ORDERING: Relaxed: nothing else hangs on it; what the way leads to is read under a lock.
        self.goes_first.load(Ordering::Relaxed) && self.way.is_open()
    }
}

impl WayOut for FromSeat {
    fn is_of(&self, number: u64, who: Address) -> bool {
        let mut seat = self.seat();
        if let KnownSeat::Ended = *seat {
            return false;
        }
        *seat = KnownSeat::Of(number, who);
        true
    }

    fn goes_first(&self) -> bool {
        let was_behind = !self.goes_first.swap(true, Ordering::Relaxed);
        // ORDERING: SeqCst fence between opening and the attempt to wake, which fails if nobody
        // refers to the seat's actor; partner: the fence in `is_open`, behind the reference that
        // such an actor takes to itself. One of the two sees the other.
        fence(Ordering::SeqCst);
        was_behind
    }
}

impl Inner {
    /// An actor that was created here is introduced, if it has not been.
    pub(super) fn introduces(self: &Arc<Self>, native: &Native) {
        self.seats.introduce(self.id, native, |way, first| FromSeat::new(self, way, first));
    }

    /// See [`Seats::prepare`](crate::network::references::seats::Seats::prepare).
    pub(super) fn prepares(
        self: &Arc<Self>,
        coming: Box<Coming>,
        arriving: &dyn Arriving,
        stage: &Arc<dyn Submit>,
    ) -> Result<Arc<dyn StandIn>, Box<Coming>> {
        let out = |way, first| FromSeat::new(self, way, first);
        self.seats.prepare(coming, arriving, stage, out)
    }
}

impl Outbound for FromSeat {
    fn take(&self, slot: Slot, encode: Encode<'_>) -> Result<(), NotTaken> {
        self.push(|_, _| true, |bytes| write_slot(slot, bytes), encode)
    }

    fn take_accompanied(
        &self,
        slot: Slot,
        companion: &[u8],
        encode: Encode<'_>,
    ) -> Result<(), NotTaken> {
        // The actor may have moved on since it was sent.
        let is_for = |network: &Arc<Inner>, to| network.accompanied.is_for(companion, to);
        self.push(is_for, |bytes| write_head(slot, companion, bytes), encode)
    }

    fn take_letter(
        &self,
        name: LetterName,
        awaits: Awaits,
        encode: Encode<'_>,
    ) -> Result<(), NotTaken> {
        self.push(|_, _| true, |bytes| write_letter(name, awaits, bytes), encode)
    }

    fn lost_companion(&self, companion: &[u8]) {
        if let Some(network) = self.network.upgrade() {
            network.accompanied.is_lost(companion);
        }
    }

    fn pass(&self, mark: &[u8]) -> Result<(), NotTaken> {
        if !self.looks_open() {
            return Err(NotTaken::Closed);
        }
        let network = self.network.upgrade().ok_or(NotTaken::Unreachable)?;
        if let KnownSeat::Of(_, who) = *self.seat() {
            network.seats.with(who, |line| line.has_passed_on(mark));
        }
        let course = self.way.course();
        let to = course.to.as_ref().ok_or(NotTaken::Unreachable)?;
        to.push_mark(mark)?;
        let peer = to.peer.clone();
        drop(course);
        network.look_at_asked(&peer);
        Ok(())
    }

    fn flush(&self) {
        let Some(network) = self.network.upgrade() else { return };
        let to = self.way.course().to.clone();
        if let Some(to) = to {
            to.peer.transmit(&network);
            to.peer.look_after(&network, to.seat);
        }
    }

    fn pressing(&self) -> usize {
        self.way.pressing()
    }

    fn is_open(&self) -> bool {
        if self.looks_open() {
            return true;
        }
        // ORDERING: SeqCst: see `goes_first`.
        fence(Ordering::SeqCst);
        self.looks_open()
    }

    fn heed(&self, mark: &[u8], occupied: Occupied) -> Bid {
        let KnownSeat::Of(number, who) = *self.seat() else { return Bid::Nothing };
        match (self.network.upgrade(), Mark::from_bytes(mark)) {
            (Some(network), Some(mark)) => network.heed(number, who, &self.way, mark, occupied),
            // The network has been dropped: what was written is not known any more, and the actor
            // stays as it is.
            (None, Some(Mark::Stay { .. })) if occupied == Occupied::ByOneThatLeaves => {
                Bid::Stay(None)
            }
            _ => Bid::Nothing,
        }
    }

    fn heeds_early(&self, mark: &[u8]) -> bool {
        let (Some(network), Some(Mark::Through { theater, who, turn })) =
            (self.network.upgrade(), Mark::from_bytes(mark))
        else {
            return false;
        };
        network.has_come(TheaterId::from_bits(theater), who, turn);
        true
    }

    fn lost(&self, mark: &[u8]) {
        if let Some(network) = self.network.upgrade() {
            network.mark_is_lost(mark);
        }
    }

    fn gone(&self) -> bool {
        let KnownSeat::Of(number, who) = *self.seat() else { return false };
        self.network.upgrade().is_some_and(|network| network.has_gone(number, who, &self.way))
    }

    fn ended(&self) {
        let before = mem::replace(&mut *self.seat(), KnownSeat::Ended);
        if let (KnownSeat::Of(number, _), Some(network)) = (before, self.network.upgrade()) {
            network.seat_ended(number);
        }
    }
}
