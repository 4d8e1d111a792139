//! What the supervision of a device actor is told.

use std::error::Error;
use std::fmt;

use odeon_core::Failure;

use crate::error::DeviceError;

/// Why a device actor has failed, if not by a panic.
///
/// ```
/// use odeon_core::Directive;
/// use odeon_device::{DeviceFailure, device_supervision};
///
/// // What another session may do better is tried again, for as long as a driver takes to start; all else is for who reads the log.
/// let supervision = device_supervision().decide(|failure| match DeviceFailure::of(failure) {
///     Some(failure) if failure.may_pass() => Directive::Restart,
///     _ => Directive::Stop,
/// });
/// # let _ = supervision;
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceFailure {
    doing: Doing,
    error: DeviceError,
    had_session: bool,
}

/// What has failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Doing {
    Opening,
    Starting,
    /// A batch of so many messages, of which so many are left.
    Handling {
        size: usize,
        left: usize,
    },
}

impl DeviceFailure {
    /// `had_session`: the actor has had a session before, or has one.
    pub(crate) fn new(doing: Doing, error: DeviceError, had_session: bool) -> Self {
        Self { doing, error, had_session }
    }

    /// The failure of a device actor, if it is one and no panic.
    pub fn of<'a>(failure: &'a Failure<'_>) -> Option<&'a Self> {
        failure.error()?.downcast_ref()
    }

    /// What the device said.
    pub fn error(&self) -> &DeviceError {
        &self.error
    }

    /// Whether another session may do better: the error is [transient](DeviceError::is_transient),
    /// or the device is unavailable and has been there before. Its driver, or the broker before it,
    /// is being started again.
    pub fn may_pass(&self) -> bool {
        let is_away = matches!(self.error, DeviceError::Unavailable(_)) && self.had_session;
        self.error.is_transient() || is_away
    }

    /// Messages of the batch that are not done.
    pub fn left(&self) -> usize {
        match self.doing {
            Doing::Handling { left, .. } => left,
            Doing::Opening | Doing::Starting => 0,
        }
    }
}

impl fmt::Display for DeviceFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let error = &self.error;
        match self.doing {
            Doing::Opening => write!(f, "a session with the device could not be opened: {error}"),
            Doing::Starting => write!(f, "the actor could not start on its device: {error}"),
            Doing::Handling { size, left } => {
                write!(f, "a batch failed, {left} of its {size} messages are not done: {error}")
            }
        }
    }
}

impl Error for DeviceFailure {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&self.error)
    }
}
