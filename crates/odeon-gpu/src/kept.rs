//! Data that a worker has brought to its device before.

use std::any::Any;
use std::sync::{Arc, Weak};

use odeon_device::{Device, DeviceError};

/// Copies of immutable data in the memory of a device, found again by the identity of what they are
/// copies of. Each stays until what it is a copy of is dropped, or until there is no memory left
/// for something else: then those go first that were asked for longest ago.
///
/// # Examples
///
/// ```
/// use std::sync::Arc;
/// use odeon_device::{Device, HostDevice};
/// use odeon_gpu::Kept;
///
/// let mut device = HostDevice::new(1_000);
/// let mut kept = Kept::new();
/// let table: Arc<[u8]> = vec![7; 600].into();
/// let first = kept.copy_of(&mut device, &table, |table| table)?;
/// let second = kept.copy_of(&mut device, &table, |table| table)?;
/// assert!(Arc::ptr_eq(&first, &second));
///
/// // Nobody needs the copy just now, and there is not enough memory beside it.
/// drop((first, second));
/// let other = kept.or_let_go(|| device.allocate(500))?;
/// assert_eq!(device.memory().used(), 500);
/// # Ok::<(), odeon_device::DeviceError>(())
/// ```
pub struct Kept<D: Device> {
    /// The one that was asked for longest ago first.
    copies: Vec<Copy<D>>,
}

struct Copy<D: Device> {
    /// WHY: it keeps the address from being used again, and the data from being changed through
    /// `Arc::get_mut`.
    of: Box<dyn CopySource>,
    /// Where the bytes are, and how many.
    bytes: (usize, usize),
    buffer: Arc<D::Buffer>,
}

trait CopySource: Send {
    fn is_there(&self) -> bool;
}

impl<S: ?Sized + Any + Send + Sync> CopySource for Weak<S> {
    fn is_there(&self) -> bool {
        self.strong_count() > 0
    }
}

impl<D: Device> Default for Kept<D> {
    fn default() -> Self {
        Self::new()
    }
}

impl<D: Device> Kept<D>
where
    D::Buffer: Sync,
{
    /// The copy of bytes of `data` in the memory of this device, which is always the same one. It
    /// is made if there is none.
    ///
    /// `bytes` says which bytes; they must not be what can be changed through a shared reference.
    ///
    /// # Errors
    /// As [`Device::upload`], if all copies that nobody uses were let go.
    pub fn copy_of<S: ?Sized + Any + Send + Sync>(
        &mut self,
        device: &mut D,
        data: &Arc<S>,
        bytes: impl FnOnce(&S) -> &[u8],
    ) -> Result<Arc<D::Buffer>, DeviceError> {
        self.copies.retain(|copy| copy.of.is_there());
        let content = bytes(data);
        let place = (content.as_ptr() as usize, content.len());
        if let Some(at) = self.copies.iter().position(|copy| copy.bytes == place) {
            let copy = self.copies.remove(at);
            let buffer = copy.buffer.clone();
            self.copies.push(copy);
            return Ok(buffer);
        }
        let buffer = Arc::new(self.or_let_go(|| device.upload(content))?);
        let of = Box::new(Arc::downgrade(data));
        self.copies.push(Copy { of, bytes: place, buffer: buffer.clone() });
        Ok(buffer)
    }
}

impl<D: Device> Kept<D> {
    /// Nothing as yet.
    pub fn new() -> Self {
        Self { copies: Vec::new() }
    }

    /// What `attempt` makes; as long as there is not enough memory for it, copies are let go that
    /// nobody uses.
    ///
    /// # Errors
    /// What `attempt` says, if there is nothing to let go or that does not help.
    pub fn or_let_go<R>(
        &mut self,
        mut attempt: impl FnMut() -> Result<R, DeviceError>,
    ) -> Result<R, DeviceError> {
        loop {
            let outcome = attempt();
            if !matches!(outcome, Err(DeviceError::OutOfMemory { .. })) {
                return outcome;
            }
            let unused = |copy: &Copy<D>| Arc::strong_count(&copy.buffer) == 1;
            let Some(oldest) = self.copies.iter().position(unused) else {
                return outcome;
            };
            self.copies.remove(oldest);
        }
    }

    /// How many copies there are.
    pub fn count(&self) -> usize {
        self.copies.len()
    }

    /// Lets go of all copies. Those that somebody uses are freed after that.
    pub fn clear(&mut self) {
        self.copies.clear();
    }
}

#[cfg(test)]
mod tests;
