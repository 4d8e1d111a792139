//! Large data that many pieces of work have in common, known by what is in it.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use odeon_device::DeviceError;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::input::Input;

/// What an input is known by: the SHA-256 of its bytes, so that equal inputs of several clients are
/// one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ContentId([u8; 32]);

impl ContentId {
    pub(crate) fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }
}

impl fmt::Debug for ContentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0[..8].iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// A handle to an input and its id. Its clones are the same input.
pub struct Shared<T: ?Sized> {
    id: ContentId,
    value: Arc<T>,
}

impl<T: ?Sized + Input> Shared<T> {
    /// An input that no one changes from here on. Its id is calculated, which takes some
    /// nanoseconds for each of its bytes: make it once and clone it.
    ///
    /// # Errors
    /// [`DeviceError::Invalid`] if serde cannot write it.
    pub fn new(value: impl Into<Arc<T>>) -> Result<Self, DeviceError> {
        let value = value.into();
        Ok(Self { id: ContentId::of(&value.write()?), value })
    }

    /// One that has come from elsewhere, if it is the one with that id.
    pub(crate) fn read(id: ContentId, bytes: &[u8]) -> Result<Self, DeviceError> {
        if ContentId::of(bytes) != id {
            return Err(DeviceError::Invalid(format!("an input that came is not {id:?}")));
        }
        Ok(Self { id, value: T::read(bytes)? })
    }

    /// What it is known by.
    pub fn id(&self) -> ContentId {
        self.id
    }

    /// The handle alone: equal handles are equal inputs, so that a worker can keep them where it
    /// needs them, in the memory of a device.
    pub fn handle(&self) -> &Arc<T> {
        &self.value
    }
}

impl<T: ?Sized> Clone for Shared<T> {
    fn clone(&self) -> Self {
        Self { id: self.id, value: self.value.clone() }
    }
}

impl<T: ?Sized> Deref for Shared<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T: ?Sized> fmt::Debug for Shared<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Shared").field(&self.id).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_contents_have_one_id_and_others_another() {
        let numbers = || Shared::<[f32]>::new(vec![1.0, 2.5]).unwrap();
        assert_eq!(numbers().id(), numbers().id());
        assert_ne!(numbers().id(), Shared::<[f32]>::new(vec![2.5, 1.0]).unwrap().id());
        assert_eq!(numbers().clone().handle().len(), 2);
    }

    #[test]
    fn what_came_is_what_was_asked_for() {
        let numbers = Shared::<[f32]>::new(vec![1.0, 2.5]).unwrap();
        let mut bytes = numbers.write().unwrap();
        let again = Shared::<[f32]>::read(numbers.id(), &bytes).unwrap();
        assert_eq!(again[..], numbers[..]);
        bytes[3] ^= 1;
        assert!(Shared::<[f32]>::read(numbers.id(), &bytes).is_err());
        // The right id, of bytes that are no such input.
        assert!(Shared::<[f32]>::read(ContentId::of(&[9]), &[9]).is_err());
    }
}
