//! The context of a session: the one that all sessions of the process share, as long as it works.

use std::sync::Arc;

use cudarc::driver::{CudaContext, CudaStream, DriverError};
use odeon_device::DeviceError;

use crate::error;
use crate::launch;

/// A context that works, and a stream of it for one session.
///
/// WHY a context of its own if the shared one is broken: a fault breaks a context for all who have
/// it, and it is there until the last of them is gone. One that nobody uses at the moment knows
/// nothing of the fault, and would keep all others from the device. WHY not always: a context takes
/// hundreds of megabytes, and kernels of two contexts take turns instead of running side by side.
pub(crate) fn open(number: u32) -> Result<(Arc<CudaContext>, Arc<CudaStream>), DeviceError> {
    let opening = format!("opening CUDA device {number}");
    let failed = |error| failed(error, &opening);
    let shared = CudaContext::new(number as usize).and_then(with_stream).map_err(failed);
    let Err(DeviceError::Lost(why)) = shared else { return shared };
    let own = launch::own_context(number).and_then(with_stream).map_err(failed);
    own.map_err(|error| DeviceError::Lost(format!("{why}; with a context of its own: {error}")))
}

/// What an error means to who opens a session.
pub(crate) fn failed(error: DriverError, opening: &str) -> DeviceError {
    match error::of(error, opening) {
        // Whatever it is: there is no device to be had.
        DeviceError::Invalid(why) => DeviceError::Unavailable(why),
        other => other,
    }
}

fn with_stream(
    context: Arc<CudaContext>,
) -> Result<(Arc<CudaContext>, Arc<CudaStream>), DriverError> {
    let stream = launch::own_stream(&context)?;
    // Nothing runs there yet, so this waits for nothing; a broken context says that it is.
    stream.synchronize()?;
    Ok((context, stream))
}
