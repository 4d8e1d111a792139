//! A processor with memory of its own.

use crate::error::DeviceError;
use crate::memory::Memory;

/// A session with a processor that has memory of its own. Kernels are launched by what each back
/// end adds to this.
///
/// A session belongs to one owner, and all buffers made by it to its account of
/// [memory](Self::memory); what is launched by one session happens in that order.
pub trait Device: Send + 'static {
    /// Memory of the device. It is freed, and taken off the account, when this is dropped.
    type Buffer: Send + 'static;

    /// What the device is called: by its driver, and through what it is reached.
    fn name(&self) -> &str;

    /// The account of the memory that this session has.
    fn memory(&self) -> &Memory;

    /// Memory of this many bytes, with anything in it.
    ///
    /// # Errors
    /// [`DeviceError::OutOfMemory`], [`DeviceError::Lost`].
    fn allocate(&mut self, bytes: usize) -> Result<Self::Buffer, DeviceError>;

    /// Memory with a copy of `bytes` in it.
    ///
    /// # Errors
    /// As [`allocate`](Self::allocate).
    fn upload(&mut self, bytes: &[u8]) -> Result<Self::Buffer, DeviceError>;

    /// Overwrites the beginning of a buffer.
    ///
    /// # Errors
    /// [`DeviceError::Invalid`] if it is shorter than `bytes`; [`DeviceError::Lost`].
    fn write(&mut self, buffer: &mut Self::Buffer, bytes: &[u8]) -> Result<(), DeviceError>;

    /// Copies the beginning of a buffer to `into`, behind all that was launched before.
    ///
    /// # Errors
    /// [`DeviceError::Invalid`] if it is shorter than `into`; [`DeviceError::Lost`].
    fn download(&mut self, buffer: &Self::Buffer, into: &mut [u8]) -> Result<(), DeviceError>;

    /// Waits until all that was launched has been done.
    ///
    /// # Errors
    /// [`DeviceError::Lost`], and what went wrong with a launch and was not known yet.
    fn synchronize(&mut self) -> Result<(), DeviceError>;
}
