//! Values to bytes and back, under a passage.

use odeon_sync::contained::{drop_quietly, quietly};
use postcard::ser_flavors::Flavor;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::depth::{Limits, most_elements};
use super::error::WireError;
use super::passage::{self, Passage};

/// Writes behind what is there.
struct Append<'a>(&'a mut Vec<u8>);

impl Flavor for Append<'_> {
    type Output = ();

    fn try_push(&mut self, byte: u8) -> postcard::Result<()> {
        self.0.push(byte);
        Ok(())
    }

    fn try_extend(&mut self, bytes: &[u8]) -> postcard::Result<()> {
        self.0.extend_from_slice(bytes);
        Ok(())
    }

    fn finalize(self) -> postcard::Result<()> {
        Ok(())
    }
}

/// Writes `value` behind what is in `bytes`.
///
/// # Errors
/// Why it cannot be written; `bytes` is then what it was.
pub fn encode<T: Serialize + ?Sized>(
    passage: &dyn Passage,
    value: &T,
    bytes: &mut Vec<u8>,
) -> Result<(), WireError> {
    let before = bytes.len();
    let written = passage::during(passage, || {
        quietly(|| postcard::serialize_with_flavor(value, Append(bytes)))
    });
    let result = passage::outcome(written);
    if result.is_err() {
        bytes.truncate(before);
    }
    result
}

/// Reads a value that comes to all of the bytes: what an older program would drop is an error.
///
/// # Errors
/// Why it cannot be read.
pub fn decode_whole<T: DeserializeOwned>(
    passage: &dyn Passage,
    bytes: &[u8],
) -> Result<T, WireError> {
    let read = passage::during(passage, || quietly(|| read::<T>(bytes)));
    let (value, rest) = passage::outcome(read)?;
    if rest.is_empty() {
        return Ok(value);
    }
    // The user's code.
    drop_quietly(value);
    Err(WireError::Format(format!(
        "{} bytes behind what is known here: a newer program has written it",
        rest.len()
    )))
}

/// Reads a value. Bytes behind it are not looked at: a newer version of its type may have more
/// fields at its end.
///
/// # Errors
/// Why it cannot be read.
pub fn decode<T: DeserializeOwned>(passage: &dyn Passage, bytes: &[u8]) -> Result<T, WireError> {
    let read = passage::during(passage, || quietly(|| read::<T>(bytes)));
    passage::outcome(read).map(|(value, _)| value)
}

/// Reads a value, and answers what is behind it.
#[inline]
fn read<T: DeserializeOwned>(bytes: &[u8]) -> postcard::Result<(T, &[u8])> {
    let elements = most_elements(bytes.len());
    let mut bytes = postcard::Deserializer::from_bytes(bytes);
    let value = T::deserialize(Limits::of(&elements).around(&mut bytes))?;
    Ok((value, bytes.finalize()?))
}

#[cfg(test)]
mod tests;
