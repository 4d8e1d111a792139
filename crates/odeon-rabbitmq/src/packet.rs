//! What messages look like: postcard's format behind two bytes, of which the first says that it is
//! one of these and the second which version.

use odeon_device::DeviceError;
use serde::{Deserialize, Serialize};

use crate::failure::RemoteFailure;
use crate::shared::ContentId;

const MARK: u8 = 0x0d;
const VERSION: u8 = 1;

/// How often a piece is tried at most, whatever its message says: strangers send some, too.
pub(crate) const MOST_TRIES: u32 = 1_000;

/// PROTOCOL 1: a piece of work, for whoever does it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct WorkRequest {
    /// `Portable::KIND`.
    pub(crate) kind: String,
    /// How often it has been given to a worker process that did not do it.
    pub(crate) tries: u32,
    /// How often it may, up to [`MOST_TRIES`].
    pub(crate) most_tries: u32,
    /// Of the last try, if that was answered and there is room for it.
    pub(crate) failure: Option<RemoteFailure>,
    pub(crate) inputs: Vec<ContentId>,
    #[serde(with = "serde_bytes")]
    pub(crate) work: Vec<u8>,
}

/// What a worker process says to the client.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Reply {
    Done(#[serde(with = "serde_bytes")] Vec<u8>),
    /// PROTOCOL 5.
    Failed {
        failure: RemoteFailure,
        tries: u32,
    },
    /// PROTOCOL 4.
    Missing {
        inputs: Vec<ContentId>,
        to: String,
    },
}

/// PROTOCOL 4: a part of an input, for a worker process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct InputPart<'a> {
    pub(crate) input: ContentId,
    /// Where in the input it begins.
    pub(crate) offset: u64,
    /// Bytes of the whole input.
    pub(crate) total: u64,
    #[serde(with = "serde_bytes", borrow)]
    pub(crate) bytes: &'a [u8],
}

pub(crate) fn write<T: Serialize>(packet: &T) -> Result<Vec<u8>, DeviceError> {
    postcard::to_extend(packet, vec![MARK, VERSION])
        .map_err(|error| DeviceError::Invalid(format!("work cannot be written: {error}")))
}

pub(crate) fn read<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Result<T, DeviceError> {
    let packet = match bytes {
        [MARK, VERSION, packet @ ..] => packet,
        [MARK, version, ..] => {
            let versions = format!("version {version}, and this is version {VERSION}");
            return Err(DeviceError::Invalid(format!("a message is of {versions}")));
        }
        _ => return Err(DeviceError::Invalid("a message is not one of Odeon's".to_owned())),
    };
    match postcard::take_from_bytes(packet) {
        Ok((packet, [])) => Ok(packet),
        Ok(_) => Err(DeviceError::Invalid("a message is longer than it says".to_owned())),
        Err(error) => Err(DeviceError::Invalid(format!("a message cannot be read: {error}"))),
    }
}

#[cfg(test)]
mod tests;
