//! What `serde` can write and read can be journaled, with the feature `journal`.
#![cfg(feature = "journal")]

use super::encoded::sealed::Code;
use postcard::ser_flavors::Flavor;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::any::type_name;

impl<T: Serialize + DeserializeOwned> Code for T {
    fn encode(&self, to: &mut Vec<u8>) {
        let begin = to.len();
        if let Err(error) = postcard::serialize_with_flavor(self, Appending(to)) {
            panic!("a value of a journal cannot be written: {error}");
        }
        // WHY each time: one value that cannot be read would take all behind it along.
        let mut written = &to[begin..];
        if Self::decode(&mut written).is_none() || !written.is_empty() {
            not_read_again(type_name::<T>());
        }
    }

    fn decode(from: &mut &[u8]) -> Option<Self> {
        let (value, rest) = postcard::take_from_bytes(from).ok()?;
        *from = rest;
        Some(value)
    }
}

#[cold]
fn not_read_again(of: &str) -> ! {
    panic!(
        "a value of a journal cannot be read again: `{of}`, by postcard, which does not say what it \
         has written (no `tag`, `untagged`, `flatten` or `skip_serializing_if`)"
    )
}

/// Behind what is there.
struct Appending<'a>(&'a mut Vec<u8>);

impl Flavor for Appending<'_> {
    type Output = ();

    fn try_extend(&mut self, bytes: &[u8]) -> postcard::Result<()> {
        self.0.extend_from_slice(bytes);
        Ok(())
    }

    fn try_push(&mut self, byte: u8) -> postcard::Result<()> {
        self.0.push(byte);
        Ok(())
    }

    fn finalize(self) -> postcard::Result<()> {
        Ok(())
    }
}
