//! What becomes of references and replies while a value is written or read.

use std::any::{Any, TypeId};
use std::cell::Cell;
use std::ptr::NonNull;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::Encode;
use super::error::WireError;
use super::inbound::Inbound;
use super::native::Native;
use super::outbound::Outbound;
use super::stand_in::StandIn;
use crate::process::submit::Submit;

/// Where an actor, or a seat of one, is to be found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Address {
    /// The theater, by the number of its incarnation.
    pub theater: u128,
    /// The actor, by its number there.
    pub actor: u64,
}

/// A reference as it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Reference {
    /// Where messages are to be sent: to the actor, or to a seat that knows more.
    pub at: Address,
    /// Of an actor that may move: where it was created, which tells it from all others.
    pub born: Option<Address>,
    /// Whether messages to the actor come with the lanes of their senders.
    pub has_lanes: bool,
    /// By which number it was granted, if who sends it holds it of a third theater; otherwise 0.
    pub grant: u64,
}

/// Knows the actors that others refer to, and those elsewhere that are referred to here.
///
/// It is in force on one thread while one value is written or read there, and may be so on several
/// at once.
pub trait Passage {
    /// A reference leaves.
    ///
    /// # Errors
    /// Why it may not leave.
    fn actor_leaves(&self, actor: &Leaving<'_>) -> Result<Reference, WireError>;

    /// A reference arrives: an `ActorRef<M>`, to the actor itself if it lives here, and otherwise
    /// to the one [`Seat`](super::Seat) for it, which `arriving` makes if there is none.
    ///
    /// # Errors
    /// [`WireError::OtherMessages`], or why it may not be here.
    fn actor_arrives(
        &self,
        reference: Reference,
        arriving: &dyn Arriving,
    ) -> Result<Box<dyn Any + Send + Sync>, WireError>;

    /// The right to answer a question leaves; answers the number by which the answer will come
    /// back. Dropped, it tells the asker that there will be none. `from`: the theater of the asker,
    /// by its number, if the answer goes on to another one from here.
    ///
    /// # Errors
    /// Why it may not leave.
    fn reply_leaves(
        &self,
        answer: Box<dyn Answerable>,
        from: Option<u128>,
    ) -> Result<u64, WireError>;

    /// The right to answer a question arrives.
    ///
    /// # Errors
    /// Why it may not be here.
    fn reply_arrives(&self, number: u64) -> Result<Box<dyn AnswerRoute>, WireError>;

    /// A stage of the theater where the value is read: a timer arrives.
    ///
    /// # Errors
    /// Why it may not be here.
    fn stage(&self) -> Result<Arc<dyn Submit>, WireError>;
}

/// A reference that is about to leave.
pub struct Leaving<'a> {
    /// The number of the actor that it leads to, in its theater.
    pub actor: u64,
    /// The stage of that actor.
    pub stage: &'a dyn Submit,
    /// Whether messages to that actor come with lanes.
    pub has_lanes: bool,
    /// The way in for messages to that actor from elsewhere.
    pub inbound: &'a dyn Fn() -> Arc<dyn Inbound>,
    /// The actor, if it sits where it was created and has not been introduced.
    pub native: Option<Native>,
}

/// A reference that has arrived, of which the passage does not know the type of messages.
pub trait Arriving {
    /// The type of messages, as [`Inbound::message_type`] says it.
    fn message_type(&self) -> TypeId;

    /// Makes a seat for the actor elsewhere, on a pool, and answers the `ActorRef` to it, and what
    /// else is to be known of it.
    fn seat(
        &self,
        stage: &Arc<dyn Submit>,
        outbound: Arc<dyn Outbound>,
        has_lanes: bool,
    ) -> (Box<dyn Any + Send + Sync>, Arc<dyn StandIn>);
}

/// A question that is answered from elsewhere.
pub trait Answerable: Send {
    /// The answer, in bytes; dropped instead, there is none.
    ///
    /// # Errors
    /// If the bytes are no answer: the asker learns that there is none.
    fn answer(self: Box<Self>, passage: &dyn Passage, bytes: &[u8]) -> Result<(), WireError>;

    /// There is no answer: the actor that was to give it has failed, with this text.
    fn fail(self: Box<Self>, text: &str) {
        let _ = text;
    }
}

/// The way back for an answer.
pub trait AnswerRoute: Send {
    /// The answer is written by `encode`; without one the asker is to learn that there is none.
    fn answered(self: Box<Self>, encode: Option<Encode<'_>>);

    /// There is no answer: the actor that was to give it has failed, with this text.
    fn failed(self: Box<Self>, text: &str) {
        let _ = text;
        self.answered(None);
    }

    /// The theater to which it leads, by its number, if that is another one.
    fn theater(&self) -> Option<u128>;
}

thread_local! {
    static IN_FORCE: Cell<Option<NonNull<dyn Passage>>> = const { Cell::new(None) };
    static REFUSED: Cell<Option<WireError>> = const { Cell::new(None) };
}

/// Has `passage` in force on this thread during `work`.
pub(super) fn during<R>(passage: &dyn Passage, work: impl FnOnce() -> R) -> R {
    /// Puts the one before in force again, also after a panic.
    struct Before(Option<NonNull<dyn Passage>>);
    impl Drop for Before {
        fn drop(&mut self) {
            IN_FORCE.set(self.0);
        }
    }
    // SAFETY: only the lifetime changes: the pointer is used while `work` runs, and `passage` lives
    // longer.
    let erased: NonNull<dyn Passage + 'static> =
        unsafe { std::mem::transmute(NonNull::from(passage)) };
    let _before = Before(IN_FORCE.replace(Some(erased)));
    // What was refused outside of a passage is nobody's reason here.
    REFUSED.take();
    work()
}

/// Does something with the passage that is in force.
///
/// # Errors
/// What it answers, or that there is none. The error is also kept for [`outcome`], since formats
/// keep less of it.
pub(super) fn with<R>(
    work: impl FnOnce(&dyn Passage) -> Result<R, WireError>,
) -> Result<R, WireError> {
    let result = match IN_FORCE.get() {
        // SAFETY: set for as long as `during` runs on this thread, from a reference that lives
        // longer.
        Some(passage) => work(unsafe { passage.as_ref() }),
        None => Err(WireError::NoPassage),
    };
    if let Err(error) = &result {
        refuse(error.clone());
    }
    result
}

/// Keeps an error for [`outcome`], since formats keep less of it.
pub(super) fn refuse(error: WireError) {
    REFUSED.set(Some(error));
}

/// What writing or reading came to: the reason of a passage goes before what the format made of it.
/// `None`: it has panicked.
pub(super) fn outcome<R>(result: Option<postcard::Result<R>>) -> Result<R, WireError> {
    let refused = REFUSED.take();
    match result {
        Some(Ok(value)) => Ok(value),
        Some(Err(error)) => Err(refused.unwrap_or_else(|| WireError::Format(error.to_string()))),
        None => Err(WireError::Panicked),
    }
}
