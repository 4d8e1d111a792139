//! The context of a session: the one that all sessions of the process share, as long as it works.

use std::sync::Arc;

use cudarc::driver::{CudaContext, CudaStream, DriverError};
use odeon_device::DeviceError;

use crate::error;
use crate::launch;

/// What to do when nothing of this process finds the device any more.
const NEW_PROCESS: &str = "after a fault the driver may let no session of this process work; \
                           a new process has the device";

/// A context that works, and a stream of it for one session.
///
/// WHY a context of its own if the shared one is broken: a fault breaks a context for all who have
/// it, and it is there until the last of them is gone. One that nobody uses at the moment knows
/// nothing of the fault, and would keep all others from the device. There are drivers for which the
/// process is broken, not only the context: then this is an error as well. WHY not always: a
/// context takes hundreds of megabytes, and kernels of two contexts take turns instead of running
/// side by side.
pub(crate) fn open(number: u32) -> Result<(Arc<CudaContext>, Arc<CudaStream>), DeviceError> {
    let opening = format!("opening CUDA device {number}");
    let shared = CudaContext::new(number as usize).map_err(|error| failed(error, &opening));
    let shared = shared.and_then(|context| with_stream(context, &opening));
    let Err(DeviceError::Lost(why)) = shared else { return shared };
    let opening = "with a context of its own";
    let own = launch::own_context(number);
    let own = own.map_err(|(error, step)| failed(error, &format!("{opening}, {step}")));
    let own = own.and_then(|context| with_stream(context, opening));
    own.map_err(|error| {
        let own = match error {
            DeviceError::Lost(why) | DeviceError::Unavailable(why) => why,
            other => format!("{opening}: {other}"),
        };
        DeviceError::Lost(format!("{why}; {own}; {NEW_PROCESS}"))
    })
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
    opening: &str,
) -> Result<(Arc<CudaContext>, Arc<CudaStream>), DeviceError> {
    let failed = |error, step: &str| failed(error, &format!("{opening}, {step}"));
    let stream = launch::own_stream(&context).map_err(|error| failed(error, "making a stream"))?;
    // Nothing runs there yet, so this waits for nothing; a broken context says that it is.
    stream.synchronize().map_err(|error| failed(error, "waiting for the stream"))?;
    Ok((context, stream))
}
