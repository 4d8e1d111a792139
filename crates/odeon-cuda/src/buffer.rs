//! Memory of a device.

use std::fmt;
use std::sync::Arc;

use cudarc::driver::{CudaContext, CudaSlice};
use odeon_device::Reserved;

/// Memory of a [`CudaDevice`](crate::CudaDevice).
pub struct CudaBuffer {
    /// One byte if `bytes` is none: CUDA has no memory of no size.
    pub(crate) memory: CudaSlice<u8>,
    pub(crate) bytes: usize,
    /// Tells the buffers of this session from those of others: each has a handle of its own.
    pub(crate) session: Arc<CudaContext>,
    // Behind the memory: first that is freed.
    pub(crate) _reserved: Reserved,
}

impl fmt::Debug for CudaBuffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CudaBuffer").field("bytes", &self.bytes).finish_non_exhaustive()
    }
}

impl CudaBuffer {
    /// How many bytes.
    pub fn len(&self) -> usize {
        self.bytes
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.bytes == 0
    }
}
