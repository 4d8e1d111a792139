//! Memory of a device, with its owner and its place in the account.

use std::sync::Arc;

use cubecl::server::Handle;
use odeon_device::{DeviceError, Reserved};

/// Memory of a [`GpuDevice`](crate::GpuDevice), freed when this is dropped and all that was
/// launched with it is done.
#[derive(Debug)]
pub struct GpuBuffer {
    held: Arc<BufferMemory>,
    bytes: usize,
}

/// What a buffer is made of. Launches remember it weakly, to ask later what became of it.
#[derive(Debug)]
pub(crate) struct BufferMemory {
    handle: Handle,
    _reserved: Reserved,
}

impl GpuBuffer {
    /// Of a handle to at least [`physical`] bytes.
    pub(crate) fn new(handle: Handle, bytes: usize, reserved: Reserved) -> Self {
        Self { held: Arc::new(BufferMemory { handle, _reserved: reserved }), bytes }
    }

    /// How many bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    pub(crate) fn held(&self) -> &Arc<BufferMemory> {
        &self.held
    }

    /// The memory from byte `from` to byte `to`.
    pub(crate) fn part(&self, from: usize, to: usize) -> Handle {
        let handle = self.held.handle.clone();
        // CubeCL makes memory of whole units of alignment, and has cut those down already.
        let behind = handle.size_in_used() - to as u64;
        handle.offset_start(from as u64).offset_end(behind)
    }

    pub(crate) fn holds(&self, bytes: usize) -> Result<(), DeviceError> {
        if bytes <= self.bytes {
            return Ok(());
        }
        Err(DeviceError::Invalid(format!("{bytes} bytes of a buffer of {}", self.bytes)))
    }
}

impl BufferMemory {
    pub(crate) fn handle(&self) -> &Handle {
        &self.handle
    }
}

/// More bytes than any buffer has: rounded up to words they are still a number.
pub(crate) const MOST: usize = usize::MAX / 4 * 4;

/// Graphics interfaces copy words of 4 bytes, and have no buffers without any. `bytes`: [`MOST`] at
/// most.
pub(crate) fn physical(bytes: usize) -> usize {
    debug_assert!(bytes <= MOST, "refused where a buffer is made");
    bytes.next_multiple_of(4).max(4)
}
