//! Values that become bytes and come back.

/// A value that a [`Journal`](super::Journal) can tell as bytes. With the feature `journal` that is
/// everything that `serde` can write and read, by the format of `postcard`. There is nothing to
/// implement.
///
/// # Panics
///
/// To write a value panics that `serde` refuses to write: a map whose length it does not know
/// before, or a variable within a transaction; and one that it would not read again, for the format
/// does not describe itself: with `tag`, `untagged`, `flatten` or `skip_serializing_if`.
#[diagnostic::on_unimplemented(
    message = "a journal cannot write `{Self}`",
    note = "with the feature `journal` of `odeon-stm`, what is `serde::Serialize` and `serde::de::DeserializeOwned` can be written"
)]
pub trait Encoded: sealed::Code {}

#[diagnostic::do_not_recommend]
impl<T: sealed::Code> Encoded for T {}

pub(crate) mod sealed {
    pub trait Code: Sized {
        /// Adds the value.
        fn encode(&self, to: &mut Vec<u8>);

        /// Takes a value off the front.
        fn decode(from: &mut &[u8]) -> Option<Self>;
    }
}

/// The value that all of `bytes` are.
pub(crate) fn decode_all<T: Encoded>(mut bytes: &[u8]) -> Option<T> {
    T::decode(&mut bytes).filter(|_| bytes.is_empty())
}
