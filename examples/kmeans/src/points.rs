//! What is clustered.

use odeon_device::DeviceError;
use odeon_rabbitmq::Shared;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// Points of a space, one behind the other.
#[derive(Debug, Clone)]
pub struct Points {
    dims: usize,
    values: Arc<[f32]>,
    /// The same values, as they are known to processes elsewhere. Made when it is first asked for.
    travelling: OnceLock<Shared<[f32]>>,
}

impl PartialEq for Points {
    fn eq(&self, other: &Self) -> bool {
        (self.dims, &self.values) == (other.dims, &other.values)
    }
}

impl Points {
    /// Points of so many dimensions, one behind the other.
    ///
    /// # Panics
    /// If the last one is not whole, or there are no dimensions.
    pub fn new(dims: usize, values: Vec<f32>) -> Self {
        assert!(dims > 0 && values.len() % dims == 0, "{} values, {dims} dimensions", values.len());
        Self { dims, values: values.into(), travelling: OnceLock::new() }
    }

    /// Points that have come from another process.
    ///
    /// # Errors
    /// If the last one is not whole, or there are no dimensions.
    pub fn arrived(dims: usize, values: Shared<[f32]>) -> Result<Self, DeviceError> {
        if dims == 0 || values.len() % dims != 0 {
            let problem = format!("{} values, {dims} dimensions", values.len());
            return Err(DeviceError::Invalid(problem));
        }
        let handle = values.handle().clone();
        Ok(Self { dims, values: handle, travelling: values.into() })
    }

    /// How many.
    pub fn rows(&self) -> usize {
        self.values.len() / self.dims
    }

    /// Of how many dimensions.
    pub fn dims(&self) -> usize {
        self.dims
    }

    /// The values of one.
    pub fn row(&self, row: usize) -> &[f32] {
        &self.values[row * self.dims..(row + 1) * self.dims]
    }

    /// The values of some, one behind the other.
    pub fn values(&self, rows: Range<usize>) -> &[f32] {
        &self.values[rows.start * self.dims..rows.end * self.dims]
    }

    /// All values, one point behind the other, for who keeps a copy of them elsewhere.
    pub fn shared(&self) -> &Arc<[f32]> {
        &self.values
    }

    /// The same, for who asks a process elsewhere to do something with them.
    pub fn travelling(&self) -> &Shared<[f32]> {
        self.travelling.get_or_init(|| {
            Shared::new(self.values.clone()).expect("numbers can always be written")
        })
    }
}
