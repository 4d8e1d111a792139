//! How long the device took.

use cudarc::driver::CudaEvent;

/// A moment in what a session has launched: [`CudaDevice::mark`](crate::CudaDevice::mark).
#[derive(Debug)]
pub struct Mark {
    pub(crate) event: CudaEvent,
}
