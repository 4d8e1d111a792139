//! A mailbox that keeps its newest messages.
//!
//! Messages wait in the actor's inbox as ever, up to the capacity; only what comes on top waits
//! here, in the *line*, from where the owner takes it into the inbox as soon as there is room. What
//! lies in the inbox cannot be taken out by a sender, so the oldest ones there are *displaced* by
//! number: the owner drops that many when it comes to them. In all at most twice the capacity lies
//! in memory.
//!
//! PROTOCOL
//! 1. In order: the messages in the inbox, of which the first `displaced` do not count any more;
//!    then the line.
//! 2. While the line is not empty the inbox holds as many messages of this mailbox as the capacity,
//!    or more.
//! 3. A sender puts its message straight into the inbox if the line is empty and there is room. So
//!    what one sender sends stays in its order: either the line is behind it or it is behind the
//!    line.
//! 4. The owner refills from the line on the way by which the sender would have sent (a pinned
//!    stage has two: its inbox and its ring), under the lock.
//!
//! Covered by `tests/s18_bounded_mailboxes.rs`, against a queue that drops its oldest.

use std::collections::VecDeque;
use std::ptr::NonNull;

use odeon_sync::{Mutex, MutexGuard};

use super::gate::Gate;
use crate::messaging::actor_ref::ActorRef;
use crate::messaging::send::{Accepted, deliver_within_bounds};
use crate::process::cell::MessageCell;
use crate::process::current;
use crate::vocabulary::dead_letter::DeadLetterReason;
use crate::vocabulary::error::SendError;
use crate::vocabulary::message::Message;

/// The line of one mailbox.
pub(super) struct Newest<M>(Mutex<NewestState<M>>);

struct NewestState<M> {
    line: VecDeque<InLine<M>>,
    displaced: usize,
    closed: bool,
}

struct InLine<M> {
    message: M,
    from_elsewhere: bool,
    /// On a pinned stage the signal that nobody has a reference any more must come behind the
    /// message.
    _keeps: Option<ActorRef<M>>,
}

impl<M: Message> Newest<M> {
    pub(super) fn new() -> Self {
        Self(Mutex::new(NewestState { line: VecDeque::new(), displaced: 0, closed: false }))
    }

    fn lock(&self) -> MutexGuard<'_, NewestState<M>> {
        self.0.lock().expect("no panic happens under the lock of a line")
    }

    /// Leaves a message, and drops the oldest if that is one too many.
    pub(super) fn send(
        &self,
        gate: &Gate,
        to: &MessageCell<M>,
        mailbox: usize,
        message: M,
    ) -> Result<(), SendError<M>> {
        let mut state = self.lock();
        if state.closed {
            return Err(SendError::Stopped(message));
        }
        if state.line.is_empty() && gate.taken() < gate.capacity() {
            gate.enter_beyond();
            drop(state);
            return match deliver_within_bounds(to, mailbox, message, false) {
                Accepted::No(message) => Err(SendError::Stopped(message)),
                Accepted::Yes | Accepted::UnderPressure => Ok(()),
            };
        }
        let pinned = to.header.pinned().is_some();
        let keeps = pinned.then(|| {
            to.header.retain_strong();
            // SAFETY: counted just above; the sender has a reference itself.
            unsafe { ActorRef::from_counted(NonNull::from(to)) }
        });
        let from_elsewhere = current::here().home.get() != to.header.home.of_stage();
        state.line.push_back(InLine { message, from_elsewhere, _keeps: keeps });
        let oldest = state.displace(gate);
        drop(state);
        if let Some(InLine { message, .. }) = oldest {
            displaced(to, message);
        }
        Ok(())
    }

    /// Sets the capacity, whatever is waiting by then.
    pub(super) fn settle(&self, gate: &Gate, capacity: usize) {
        gate.set_capacity(capacity);
        self.lock().displace(gate);
    }

    /// The owner takes a message of this mailbox out of the inbox. It comes back unless it has been
    /// displaced.
    pub(super) fn take(
        &self,
        gate: &Gate,
        of: &MessageCell<M>,
        mailbox: usize,
        message: M,
    ) -> Option<M> {
        let mut kept = Vec::new();
        let mut state = self.lock();
        let counts = state.displaced == 0;
        state.displaced = state.displaced.saturating_sub(1);
        gate.leave();
        while gate.taken() < gate.capacity() {
            let Some(InLine { message, from_elsewhere, _keeps }) = state.line.pop_front() else {
                break;
            };
            gate.enter_beyond();
            match deliver_within_bounds(of, mailbox, message, from_elsewhere) {
                Accepted::Yes | Accepted::UnderPressure => {}
                Accepted::No(_) => {
                    unreachable!("the owner closes its inbox, and takes nothing afterwards")
                }
            }
            kept.extend(_keeps);
        }
        drop(state);
        // Outside of the lock: the last reference leaves a signal.
        drop(kept);
        if counts {
            return Some(message);
        }
        displaced(of, message);
        None
    }

    /// Accepts nothing any more; what stands in line is handed to `dead_letter`.
    pub(super) fn close(&self, mut dead_letter: impl FnMut(M)) {
        let mut state = self.lock();
        state.closed = true;
        let line = std::mem::take(&mut state.line);
        drop(state);
        line.into_iter().for_each(|InLine { message, .. }| dead_letter(message));
    }
}

impl<M> NewestState<M> {
    /// Takes the oldest messages off the account while there are too many. The last of them comes
    /// back if it stands in line.
    fn displace(&mut self, gate: &Gate) -> Option<InLine<M>> {
        let in_inbox = gate.taken();
        let surplus = (in_inbox + self.line.len()).saturating_sub(self.displaced + gate.capacity());
        let of_inbox = surplus.min(in_inbox.saturating_sub(self.displaced));
        self.displaced += of_inbox;
        // The line grows by one at a time.
        if of_inbox < surplus { self.line.pop_front() } else { None }
    }
}

fn displaced<M: Message>(of: &MessageCell<M>, message: M) {
    let header = &of.header;
    header.stage.theater().dead_letter(header.id, DeadLetterReason::Displaced, message);
}
