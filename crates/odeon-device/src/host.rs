//! Host memory as a device: the CPU path, and the device of tests.

use bytemuck::Pod;

use crate::device::Device;
use crate::error::DeviceError;
use crate::memory::{Memory, Reserved};

/// A [`Device`] whose memory is the memory of this process, and whose kernels are Rust closures,
/// run at once by who launches them. So everything that is written for a device runs where there is
/// none.
///
/// ```
/// use odeon_device::{Device, DeviceError, HostDevice};
///
/// let mut device = HostDevice::new(1 << 20);
/// let ones = device.upload(bytemuck::cast_slice(&[1.0_f32; 100]))?;
/// let mut sums = device.allocate(400)?;
/// device.launch(|| {
///     for (sum, one) in sums.as_mut_slice::<f32>().iter_mut().zip(ones.as_slice::<f32>()) {
///         *sum = one + one;
///     }
/// });
/// let mut back = [0.0_f32; 100];
/// device.download(&sums, bytemuck::cast_slice_mut(&mut back))?;
/// assert_eq!((back, device.memory().used()), ([2.0; 100], 800));
/// # Ok::<(), DeviceError>(())
/// ```
#[derive(Debug)]
pub struct HostDevice {
    memory: Memory,
    launches: u64,
}

/// Memory of a [`HostDevice`]: bytes that kernels see as numbers.
#[derive(Debug)]
pub struct HostBuffer {
    /// Whole words, so that the numbers of kernels lie where numbers must.
    words: Vec<u64>,
    reserved: Reserved,
}

impl HostDevice {
    /// A session that may have `limit` bytes in use at once.
    pub fn new(limit: u64) -> Self {
        Self { memory: Memory::new(limit), launches: 0 }
    }

    /// Runs a kernel, which has the buffers that it names.
    ///
    /// # Panics
    /// If the kernel does.
    #[inline]
    pub fn launch<R>(&mut self, kernel: impl FnOnce() -> R) -> R {
        self.launches += 1;
        kernel()
    }

    /// How many kernels this session has run.
    pub fn launches(&self) -> u64 {
        self.launches
    }
}

impl Device for HostDevice {
    type Buffer = HostBuffer;

    fn name(&self) -> &str {
        "host memory"
    }

    fn memory(&self) -> &Memory {
        &self.memory
    }

    fn allocate(&mut self, bytes: usize) -> Result<HostBuffer, DeviceError> {
        let reserved = self.memory.reserve(bytes as u64)?;
        let count = bytes.div_ceil(size_of::<u64>());
        let mut words = Vec::new();
        if words.try_reserve_exact(count).is_err() {
            // The machine has less than the account allows, and does not say how much.
            return Err(DeviceError::OutOfMemory { asked: bytes as u64, available: 0 });
        }
        words.resize(count, 0);
        Ok(HostBuffer { words, reserved })
    }

    fn upload(&mut self, bytes: &[u8]) -> Result<HostBuffer, DeviceError> {
        let mut buffer = self.allocate(bytes.len())?;
        buffer.as_mut_slice().copy_from_slice(bytes);
        Ok(buffer)
    }

    fn write(&mut self, buffer: &mut HostBuffer, bytes: &[u8]) -> Result<(), DeviceError> {
        let length = buffer.len();
        let Some(place) = buffer.as_mut_slice().get_mut(..bytes.len()) else {
            return Err(too_short(length, bytes.len()));
        };
        place.copy_from_slice(bytes);
        Ok(())
    }

    fn download(&mut self, buffer: &HostBuffer, into: &mut [u8]) -> Result<(), DeviceError> {
        let Some(content) = buffer.as_slice().get(..into.len()) else {
            return Err(too_short(buffer.len(), into.len()));
        };
        into.copy_from_slice(content);
        Ok(())
    }

    fn synchronize(&mut self) -> Result<(), DeviceError> {
        Ok(())
    }
}

fn too_short(length: usize, wanted: usize) -> DeviceError {
    DeviceError::Invalid(format!("{wanted} bytes of a buffer that has {length}"))
}

impl HostBuffer {
    /// How many bytes it has.
    pub fn len(&self) -> usize {
        self.reserved.bytes() as usize
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Its content as numbers of one type, for a kernel; what is left over at the end is left out.
    ///
    /// # Panics
    /// If `T` is to lie at multiples of more than 8 bytes, or has no size.
    #[inline]
    pub fn as_slice<T: Pod>(&self) -> &[T] {
        let whole = self.len() / size_of::<T>() * size_of::<T>();
        bytemuck::cast_slice(&bytemuck::cast_slice::<u64, u8>(&self.words)[..whole])
    }

    /// As [`as_slice`](Self::as_slice), to be changed.
    ///
    /// # Panics
    /// As there.
    #[inline]
    pub fn as_mut_slice<T: Pod>(&mut self) -> &mut [T] {
        let whole = self.len() / size_of::<T>() * size_of::<T>();
        bytemuck::cast_slice_mut(&mut bytemuck::cast_slice_mut::<u64, u8>(&mut self.words)[..whole])
    }
}
