//! What can go wrong with a device or a worker.

use std::error::Error;
use std::fmt;

/// Why a device or a [`Worker`](crate::Worker) could not do what it was asked for. Nothing that it
/// was asked for counts as done: who asked has all its work still, and may have it done again, here
/// or elsewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum DeviceError {
    /// There is no such device here, or nothing to reach it by: no driver, no library, no broker.
    Unavailable(String),
    /// More memory was asked for than the owner may have, or than the device has left.
    OutOfMemory {
        /// Bytes asked for.
        asked: u64,
        /// Bytes that could have been had.
        available: u64,
    },
    /// A kernel does not compile, or not for this device: what its compiler said.
    Kernel(String),
    /// The device is gone with all that was in its memory: a reset, a driver that gave up, a
    /// process that ended. A new session may find it again.
    Lost(String),
    /// The connection to where the work is done is gone: a broker that stopped. Another attempt may
    /// find it again.
    Disconnected(String),
    /// What was asked for makes no sense: a range beyond a buffer, a result that cannot be read.
    Invalid(String),
}

impl DeviceError {
    /// Whether a new session with the device, or a new connection, may succeed where this one
    /// failed.
    pub fn is_transient(&self) -> bool {
        matches!(self, Self::Lost(_) | Self::Disconnected(_))
    }
}

impl fmt::Display for DeviceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unavailable(why) => write!(f, "no such device: {why}"),
            Self::OutOfMemory { asked, available } => {
                write!(f, "out of device memory: {asked} bytes asked for, {available} available")
            }
            Self::Kernel(why) => write!(f, "the kernel does not compile: {why}"),
            Self::Lost(why) => write!(f, "the device is lost: {why}"),
            Self::Disconnected(why) => write!(f, "the connection is lost: {why}"),
            Self::Invalid(why) => write!(f, "invalid: {why}"),
        }
    }
}

impl Error for DeviceError {}
