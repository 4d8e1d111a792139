//! How a message gets to a member of a worker pool, past those that have ended or are full.

use std::sync::Arc;

use odeon_sync::atomic::Ordering;

use super::member::LoadedMember;
use super::{Routing, WorkerPoolShared, routing};
use crate::messaging::actor_ref::ActorRef;
use crate::messaging::ask::sending::Unsent;
use crate::vocabulary::error::{SendError, TrySendError};
use crate::vocabulary::message::Message;

/// Why a member has not been sent a message, which comes back.
pub(super) trait Returned<M>: Sized + From<SendError<M>> {
    /// Whether another member may take it; else this is what the sender is told.
    fn refusal(self) -> Result<SendError<M>, Self>;
}

impl<M> Returned<M> for SendError<M> {
    fn refusal(self) -> Result<Self, Self> {
        Ok(self)
    }
}

impl<M> Returned<M> for TrySendError<M> {
    fn refusal(self) -> Result<SendError<M>, Self> {
        Ok(match self {
            Self::Full(message) => SendError::Full(message),
            Self::Stopped(message) => SendError::Stopped(message),
        })
    }
}

impl<M> Returned<M> for Unsent<M> {
    fn refusal(self) -> Result<SendError<M>, Self> {
        match self {
            Self::Refused(error) => Ok(error),
            kept @ Self::Kept(_) => Err(kept),
        }
    }
}

impl<M: Message> WorkerPoolShared<M> {
    /// Has `send` send one of the members a message.
    #[inline]
    #[track_caller]
    pub(super) fn send<E: Returned<M>>(
        &self,
        message: M,
        send: impl Fn(&ActorRef<M>, M) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut message = message;
        loop {
            let members = self.members.load();
            let Err(error) = self.route(&members, message, &send) else { return Ok(()) };
            message = match error.refusal()? {
                full @ SendError::Full(_) => return Err(full.into()),
                SendError::Stopped(returned) => returned,
            };
            if Arc::ptr_eq(&members, &self.members.load()) {
                return Err(SendError::Stopped(message).into());
            }
        }
    }

    /// The member for a message, of one at least, and what it has been chosen by.
    #[inline]
    fn choose(&self, members: &[LoadedMember<M>], message: &M) -> (u64, usize) {
        // ORDERING: Relaxed: a number that is the sender's own; it orders nothing.
        let number = || self.sent.fetch_add(1, Ordering::Relaxed);
        match &self.routing {
            Routing::RoundRobin => {
                let number = number();
                (number, (number % members.len() as u64) as usize)
            }
            Routing::LeastLoaded => {
                let number = number();
                let load = |member: usize| members[member].load();
                (number, routing::less_loaded(number, members.len(), load))
            }
            Routing::ByKey(key) => {
                let key = key(message);
                (key, routing::best_of(key, 0..members.len()).expect("there are members"))
            }
        }
    }

    /// The member for a message; `None` if all have ended.
    pub(super) fn choose_live(&self, members: &[LoadedMember<M>], message: &M) -> Option<usize> {
        if members.is_empty() {
            return None;
        }
        match self.choose(members, message) {
            (choice, number) if members[number].actor.is_stopped() => live(choice, members),
            (_, number) => Some(number),
        }
    }

    /// Sends the message to one of `members`; gives it back if they have all ended or are full.
    #[inline]
    #[track_caller]
    fn route<E: Returned<M>>(
        &self,
        members: &[LoadedMember<M>],
        message: M,
        send: &impl Fn(&ActorRef<M>, M) -> Result<(), E>,
    ) -> Result<(), E> {
        if members.is_empty() {
            return Err(SendError::Stopped(message).into());
        }
        let (choice, number) = self.choose(members, &message);
        let Err(error) = members[number].send(message, send) else { return Ok(()) };
        match error.refusal()? {
            SendError::Stopped(returned) => self.route_to_another(choice, members, returned, send),
            SendError::Full(returned) => self.route_past_full(number, members, returned, send),
        }
    }

    /// The chosen member has ended: one of the others gets the message, the same for the same
    /// `choice` and the same members.
    #[cold]
    #[track_caller]
    fn route_to_another<E: Returned<M>>(
        &self,
        choice: u64,
        members: &[LoadedMember<M>],
        message: M,
        send: &impl Fn(&ActorRef<M>, M) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut message = message;
        loop {
            let Some(number) = live(choice, members) else {
                return Err(SendError::Stopped(message).into());
            };
            let Err(error) = members[number].send(message, send) else { return Ok(()) };
            match error.refusal()? {
                SendError::Stopped(returned) => message = returned,
                SendError::Full(returned) => {
                    return self.route_past_full(number, members, returned, send);
                }
            }
        }
    }

    /// The chosen member is full and rejects the message: the others are tried in turn, unless it
    /// has to go to this one.
    #[cold]
    #[track_caller]
    pub(super) fn route_past_full<E: Returned<M>>(
        &self,
        full: usize,
        members: &[LoadedMember<M>],
        message: M,
        send: &impl Fn(&ActorRef<M>, M) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut message = message;
        if !matches!(self.routing, Routing::ByKey(_)) {
            for number in (1..members.len()).map(|next| (full + next) % members.len()) {
                let Err(error) = members[number].send(message, send) else { return Ok(()) };
                message = error.refusal()?.into_message();
            }
        }
        Err(SendError::Full(message).into())
    }
}

/// Of the members that have not ended, the one that goes best with `choice`.
fn live<M: Message>(choice: u64, members: &[LoadedMember<M>]) -> Option<usize> {
    let numbers = (0..members.len()).filter(|number| !members[*number].actor.is_stopped());
    routing::best_of(choice, numbers)
}
