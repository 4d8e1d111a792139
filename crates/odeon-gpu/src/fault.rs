//! What CubeCL says when something goes wrong, as errors of devices.

use std::any::Any;

use cubecl::server::{IoError, LaunchError, ServerError};
use odeon_device::DeviceError;

/// An error of CubeCL. `available` is how much memory could have been had.
pub(crate) fn of_server(error: &ServerError, available: u64) -> DeviceError {
    if error.is_device_poisoned() {
        return DeviceError::Lost(told(error));
    }
    match error {
        ServerError::Unwritten { root, .. } => of_server(root, available),
        // The others are mostly consequences of the first one.
        ServerError::Several { errors, .. } if !errors.is_empty() => {
            of_server(&errors[0], available)
        }
        ServerError::Launch(
            LaunchError::CompilationError(_) | LaunchError::TooManyResources(_),
        ) => DeviceError::Kernel(told(error)),
        ServerError::Launch(LaunchError::OutOfMemory { .. }) => {
            DeviceError::OutOfMemory { asked: 0, available }
        }
        ServerError::Io(IoError::BufferTooBig { size, .. } | IoError::OutOfMemory { size, .. }) => {
            DeviceError::OutOfMemory { asked: *size, available }
        }
        ServerError::ForeignHandle { .. } | ServerError::ServiceMismatch { .. } => {
            DeviceError::Invalid(told(error))
        }
        _ => of_text(told(error), available),
    }
}

/// A panic of CubeCL's, on its own thread or here.
pub(crate) fn of_panic(panic: Box<dyn Any + Send>, available: u64) -> DeviceError {
    let text = panic
        .downcast::<String>()
        .map(|text| *text)
        .or_else(|panic| panic.downcast::<&'static str>().map(|text| (*text).to_owned()))
        .unwrap_or_else(|_| "a panic without a text".to_owned());
    of_text(brief(&text), available)
}

/// WHY: wgpu has some of its errors as panics only, and those have nothing but a text.
fn of_text(text: String, available: u64) -> DeviceError {
    let lower = text.to_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    // The last one is of memory that is asked about after wgpu's panic for want of it.
    if says(&[
        "out of memory",
        "outofmemory",
        "out of device memory",
        "can't allocate",
        "never allocated",
    ]) {
        DeviceError::OutOfMemory { asked: 0, available }
    } else if says(&["pipeline", "shader"]) {
        DeviceError::Kernel(text)
    } else {
        DeviceError::Lost(text)
    }
}

fn told(error: &ServerError) -> String {
    brief(&error.to_string())
}

/// The text without the traces of calls that CubeCL appends to each of its errors.
fn brief(text: &str) -> String {
    let told = text.split("Backtrace").next().unwrap_or(text);
    let told = told.split("No backtrace").next().unwrap_or(told);
    let lines: Vec<_> = told.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    lines.join(": ").replace(":: ", ": ").replace(".: ", ". ").trim_end_matches(':').to_owned()
}

#[cfg(test)]
mod tests;
