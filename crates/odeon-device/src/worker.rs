//! One way to do a kind of work.

use std::fmt;

use crate::error::DeviceError;

/// Does pieces of work of one kind, in one way: on a core, by a kernel, by a process that a broker
/// leads to. Programs choose the way by the worker that they make, and nothing else of them
/// changes.
///
/// A worker keeps what makes it fast (a session with its device, compiled kernels, data that it has
/// seen before), and nothing that a result depends on: a piece of work brings all that it needs
/// along, by handle, and has room for its own result, as in the thesis, section 6.4. So any worker
/// can do any piece, once more if need be.
///
/// # Examples
///
/// ```
/// use odeon_device::{DeviceError, Place, Worker};
///
/// /// The squares of some numbers.
/// struct Squares { of: std::sync::Arc<[f32]>, result: Vec<f32> }
///
/// struct OnCores;
/// impl Worker for OnCores {
///     type Work = Squares;
///     fn place(&self) -> Place { Place::Cpu }
///     fn work(&mut self, batch: &mut [Squares]) -> Result<(), DeviceError> {
///         for piece in batch {
///             piece.result.clear();
///             piece.result.extend(piece.of.iter().map(|x| x * x));
///         }
///         Ok(())
///     }
/// }
///
/// let mut batch = [Squares { of: [1.0, 2.0, 3.0].into(), result: Vec::new() }];
/// OnCores.work(&mut batch)?;
/// assert_eq!(batch[0].result, [1.0, 4.0, 9.0]);
/// # Ok::<(), DeviceError>(())
/// ```
pub trait Worker: Send + 'static {
    /// A piece of work: what it needs, owned or by handle, and room for its result.
    type Work: Send + 'static;

    /// Where this worker works.
    fn place(&self) -> Place;

    /// What it works on, as the driver of that calls it, if there is something to tell: a report
    /// says by it whether a device was a GPU.
    fn device(&self) -> Option<String> {
        None
    }

    /// How many pieces it does at once at most: more than one where a launch costs much beside a
    /// piece.
    fn most_at_once(&self) -> usize {
        1
    }

    /// Does all of `batch`, which is not empty and has at most [`most_at_once`](Self::most_at_once)
    /// pieces, and writes the results into them.
    ///
    /// # Errors
    /// If not all of it is done. Then none of it counts as done; results that were written are
    /// written again.
    fn work(&mut self, batch: &mut [Self::Work]) -> Result<(), DeviceError>;
}

/// Where a [`Worker`] works.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Place {
    /// On the cores of this machine's processor.
    Cpu,
    /// On a device with memory of its own, by a thread of this process that mostly waits for it.
    Device,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Cpu => "CPU",
            Self::Device => "device",
        })
    }
}
