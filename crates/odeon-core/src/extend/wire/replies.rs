//! The right to answer, in messages.

use std::sync::Mutex;

use serde::de::{DeserializeOwned, Error as _};
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::codec::{decode, encode};
use super::error::WireError;
use super::layout;
use super::passage::{self, AnswerRoute, Answerable, Passage};
use crate::messaging::reply::{Reply, Route};
use crate::vocabulary::error::AskError;

/// Written as a number, within messages to other theaters. The right to answer goes with what is
/// written: this one is spent, and the message in which it lies is to be dropped.
///
/// # Errors
/// Anywhere else, and if it has been spent.
impl<T: Serialize + DeserializeOwned + Send + 'static> Serialize for Reply<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let number = passage::with(|passage| {
            let spent = WireError::Refused("the reply has been sent, or has left before");
            let mut reply = take(self).ok_or(spent)?;
            let from = reply.theater();
            passage.reply_leaves(Box::new(WireQuestion(reply)), from)
        });
        serializer.serialize_u64(number.map_err(S::Error::custom)?)
    }
}

/// Read within messages from other theaters: what is answered goes back to where the question came
/// from.
///
/// # Errors
/// Anywhere else.
impl<'de, T: Serialize + DeserializeOwned + Send + 'static> Deserialize<'de> for Reply<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = u64::deserialize(deserializer)?;
        layout::refers::<T>("reply");
        let route =
            passage::with(|passage| passage.reply_arrives(number)).map_err(D::Error::custom)?;
        Ok(Self::by_route(Box::new(Written(route))))
    }
}

/// The way of an answer that is written.
struct Written(Box<dyn AnswerRoute>);

impl<T: Serialize> Route<T> for Written {
    fn answer(self: Box<Self>, answer: Result<T, AskError>) {
        let Self(route) = *self;
        match answer {
            Ok(value) => route.answered(Some(&mut |passage, bytes| encode(passage, &value, bytes))),
            Err(AskError::Failed(text)) => route.failed(&text),
            Err(_) => route.answered(None),
        }
    }

    fn theater(&self) -> Option<u128> {
        self.0.theater()
    }
}

/// Takes the right to answer out of the message in which it lies, which is about to leave.
fn take<T: Send + 'static>(reply: &Reply<T>) -> Option<Reply<T>> {
    /// Of two threads that write the same message one gets it.
    static TAKING: Mutex<()> = Mutex::new(());
    let _taking = TAKING.lock();
    // SAFETY: here under the lock; and `lend` is called for messages of which their actor's engine
    // has seen to it that nobody else uses them.
    unsafe { reply.take_borrowed() }
}

/// A question that was asked here.
struct WireQuestion<T: Send + 'static>(Reply<T>);

impl<T: DeserializeOwned + Send + 'static> Answerable for WireQuestion<T> {
    fn answer(self: Box<Self>, passage: &dyn Passage, bytes: &[u8]) -> Result<(), WireError> {
        let value = decode(passage, bytes)?;
        self.0.send(value);
        Ok(())
    }

    fn fail(self: Box<Self>, text: &str) {
        self.0.fail(text.into());
    }
}
