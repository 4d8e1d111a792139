//! What large data must be to travel.

use std::sync::Arc;

use odeon_device::DeviceError;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// What can be an input: all that serde can write, and read into an [`Arc`].
pub trait Input: Send + Sync + 'static {
    #[doc(hidden)]
    fn write(&self) -> Result<Vec<u8>, DeviceError>;

    #[doc(hidden)]
    fn read(bytes: &[u8]) -> Result<Arc<Self>, DeviceError>;
}

impl<T> Input for T
where
    T: ?Sized + Serialize + Send + Sync + 'static,
    Arc<T>: DeserializeOwned,
{
    fn write(&self) -> Result<Vec<u8>, DeviceError> {
        postcard::to_allocvec(self)
            .map_err(|error| DeviceError::Invalid(format!("an input cannot be written: {error}")))
    }

    fn read(bytes: &[u8]) -> Result<Arc<Self>, DeviceError> {
        postcard::from_bytes(bytes)
            .map_err(|error| DeviceError::Invalid(format!("an input cannot be read: {error}")))
    }
}
