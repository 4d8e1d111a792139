//! How much of a device's memory its owner has, and may have.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::DeviceError;

/// The account of one session's device memory: what is in use, and the limit. A handle: its clones
/// are the same account.
#[derive(Debug, Clone)]
pub struct Memory {
    account: Arc<MemoryAccount>,
}

#[derive(Debug)]
struct MemoryAccount {
    used: AtomicU64,
    limit: u64,
}

/// Bytes of an account that are in use until this is dropped. Whoever owns device memory keeps it
/// beside that.
#[derive(Debug)]
pub struct Reserved {
    account: Arc<MemoryAccount>,
    bytes: u64,
}

impl Memory {
    /// An account that lets `limit` bytes be in use at once.
    pub fn new(limit: u64) -> Self {
        Self { account: Arc::new(MemoryAccount { used: AtomicU64::new(0), limit }) }
    }

    /// Bytes in use.
    pub fn used(&self) -> u64 {
        // ORDERING: a number to look at; nothing is published with it.
        self.account.used.load(Ordering::Relaxed)
    }

    /// Bytes that may be in use at once.
    pub fn limit(&self) -> u64 {
        self.account.limit
    }

    /// Takes `bytes` of the account.
    ///
    /// # Errors
    /// [`DeviceError::OutOfMemory`] if more would be in use than the limit.
    pub fn reserve(&self, bytes: u64) -> Result<Reserved, DeviceError> {
        let fits = |used: u64| used.checked_add(bytes).filter(|&sum| sum <= self.account.limit);
        // ORDERING: Relaxed: only the sum matters, and each change of it is one step.
        match self.account.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits) {
            Ok(_) => Ok(Reserved { account: self.account.clone(), bytes }),
            Err(used) => {
                Err(DeviceError::OutOfMemory { asked: bytes, available: self.account.limit - used })
            }
        }
    }
}

impl Reserved {
    /// How many bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }
}

impl Drop for Reserved {
    fn drop(&mut self) {
        // ORDERING: as in `reserve`.
        self.account.used.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}
