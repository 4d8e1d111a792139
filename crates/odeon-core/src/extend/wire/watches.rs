//! Watches in the state of an actor that moves, which go with it.

use serde::de::{DeserializeOwned, Error as _};
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::passage;
use crate::extend::{self, LetterName, WrittenWatch};
use crate::lifecycle::watch::Watching;
use crate::vocabulary::message::Message;
use crate::vocabulary::observe::EndReason;

/// Written as the name of its message and the reference to whom it watches; one that is over as
/// why, if its actor has ended.
type Wire<R> = Result<((u64, u64), R), Option<u8>>;

/// Written within what goes to other theaters: it goes there with its actor.
///
/// # Errors
/// Anywhere else; and if the reference cannot be written.
impl<W: Message + Serialize + DeserializeOwned> Serialize for Watching<W> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        passage::with(|_| Ok(())).map_err(S::Error::custom)?;
        let written: Wire<_> = match extend::write_watch(self) {
            WrittenWatch::InForce(LetterName { theater, number }, other) => {
                Ok(((theater, number), other))
            }
            WrittenWatch::Over(reason) => Err(reason.map(number_of)),
        };
        written.serialize(serializer)
    }
}

/// Read within what comes from other theaters: the watch of this name, once it has come here with
/// its actor.
///
/// # Errors
/// Anywhere else; and if the reference cannot be read.
impl<'de, W: Message + Serialize + DeserializeOwned> Deserialize<'de> for Watching<W> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let written = match Wire::deserialize(deserializer)? {
            Ok(((theater, number), other)) => {
                WrittenWatch::InForce(LetterName { theater, number }, other)
            }
            Err(reason) => WrittenWatch::Over(reason.and_then(reason_of)),
        };
        let stage = passage::with(|passage| passage.stage()).map_err(D::Error::custom)?;
        Ok(extend::read_watch(&*stage, written))
    }
}

fn number_of(reason: EndReason) -> u8 {
    match reason {
        EndReason::Stopped => 0,
        EndReason::Failed => 1,
        EndReason::Shutdown => 2,
        EndReason::Unreachable => 3,
    }
}

/// `None`: of a newer version, or of nobody who means well.
fn reason_of(number: u8) -> Option<EndReason> {
    let reasons =
        [EndReason::Stopped, EndReason::Failed, EndReason::Shutdown, EndReason::Unreachable];
    reasons.get(usize::from(number)).copied()
}
