//! A worker whose work is done by a kernel.

use std::sync::Arc;

use cubecl::prelude::CubeElement;
use odeon_device::{Device, DeviceError, Place, Worker};

use crate::{GpuBuffer, GpuDevice, Kept};

/// How a kind of work is done by kernels: what is brought to the device, launched, and brought
/// back. See [`KernelWorker`].
pub trait Kernel: Send + 'static {
    /// A piece of work: what it needs, owned or by handle, and room for its result.
    type Work: Send + 'static;

    /// How many pieces go into one launch at most.
    fn most_at_once(&self) -> usize {
        1
    }

    /// Does all of `batch`, which is not empty and has at most [`most_at_once`](Self::most_at_once)
    /// pieces, and writes the results into them.
    ///
    /// # Errors
    /// If not all of it is done.
    fn work(&mut self, bench: &mut Workbench, batch: &mut [Self::Work]) -> Result<(), DeviceError>;
}

/// A [`Worker`] that has kernels work for it. What pieces of work have in common is brought to the
/// device once, as long as its memory suffices for that.
///
/// # Examples
///
/// ```
/// use std::sync::Arc;
/// use odeon_device::{DeviceError, Worker};
/// use odeon_gpu::{GpuDevice, Kernel, KernelWorker, Which, Workbench, cubecl};
/// use cubecl::prelude::*;
///
/// #[cube(launch)]
/// fn scale(table: &[f32], by: f32, into: &mut [f32]) {
///     if ABSOLUTE_POS < into.len() {
///         into[ABSOLUTE_POS] = table[ABSOLUTE_POS] * by;
///     }
/// }
///
/// struct Scaled { table: Arc<[f32]>, by: f32, result: Vec<f32> }
///
/// struct ByKernel;
/// impl Kernel for ByKernel {
///     type Work = Scaled;
///     fn work(&mut self, bench: &mut Workbench, batch: &mut [Scaled]) -> Result<(), DeviceError> {
///         for piece in batch {
///             let table = bench.input(&piece.table)?;
///             let mut into = bench.allocate::<f32>(piece.table.len())?;
///             bench.gpu().launch(|on| {
///                 let (count, dim) = on.over(piece.table.len());
///                 let (table, into) = (on.input::<f32>(&table), on.output::<f32>(&mut into));
///                 scale::launch(on.client(), count, dim, table, piece.by, into);
///             })?;
///             piece.result.resize(piece.table.len(), 0.0);
///             bench.gpu().download_slice(&into, &mut piece.result)?;
///         }
///         Ok(())
///     }
/// }
///
/// fn main() -> Result<(), DeviceError> {
///     let gpu = match GpuDevice::open(Which::Default) {
///         Ok(gpu) => gpu,
///         Err(DeviceError::Unavailable(why)) => { println!("{why}"); return Ok(()) }
///         Err(other) => return Err(other),
///     };
///     let mut worker = KernelWorker::new(gpu, ByKernel);
///     let table: Arc<[f32]> = [1.0, 2.0, 3.0].into();
///     let mut batch = [Scaled { table: table.clone(), by: 2.0, result: Vec::new() }];
///     worker.work(&mut batch)?;
///     assert_eq!(batch[0].result, [2.0, 4.0, 6.0]);
///     Ok(())
/// }
/// ```
pub struct KernelWorker<K> {
    kernel: K,
    bench: Workbench,
}

/// What a [`Kernel`] works with: a session with the device, and the data that was brought there
/// before.
pub struct Workbench {
    // Dropped before the session: that gives back what copies had.
    kept: Kept<GpuDevice>,
    gpu: GpuDevice,
}

impl<K: Kernel> KernelWorker<K> {
    /// A worker that works by this kernel, with this session.
    pub fn new(gpu: GpuDevice, kernel: K) -> Self {
        Self { kernel, bench: Workbench { kept: Kept::new(), gpu } }
    }

    /// What the kernel works with.
    pub fn bench(&mut self) -> &mut Workbench {
        &mut self.bench
    }
}

impl Workbench {
    /// The session.
    pub fn gpu(&mut self) -> &mut GpuDevice {
        &mut self.gpu
    }

    /// A copy of `data` on the device, the one that was made before if there is one.
    ///
    /// # Errors
    /// As [`Device::upload`]. If there is not enough memory, copies of other data that are not used
    /// at the moment are given up first.
    pub fn input<T: CubeElement>(
        &mut self,
        data: &Arc<[T]>,
    ) -> Result<Arc<GpuBuffer>, DeviceError> {
        self.kept.copy_of(&mut self.gpu, data, |data| T::as_bytes(data))
    }

    /// Brings data to the device that is not to be kept there.
    ///
    /// # Errors
    /// As [`input`](Self::input).
    pub fn upload<T: CubeElement>(&mut self, data: &[T]) -> Result<GpuBuffer, DeviceError> {
        self.kept.or_let_go(|| self.gpu.upload_slice(data))
    }

    /// Memory of so many elements, with anything in it.
    ///
    /// # Errors
    /// As [`input`](Self::input).
    pub fn allocate<T: CubeElement>(&mut self, elements: usize) -> Result<GpuBuffer, DeviceError> {
        self.kept.or_let_go(|| self.gpu.allocate(elements.saturating_mul(size_of::<T>())))
    }

    /// The data that is kept on the device.
    pub fn kept(&mut self) -> &mut Kept<GpuDevice> {
        &mut self.kept
    }
}

impl<K: Kernel> Worker for KernelWorker<K> {
    type Work = K::Work;

    fn place(&self) -> Place {
        Place::Device
    }

    fn device(&self) -> Option<String> {
        Some(self.bench.gpu.name().to_owned())
    }

    fn most_at_once(&self) -> usize {
        self.kernel.most_at_once()
    }

    fn work(&mut self, batch: &mut [K::Work]) -> Result<(), DeviceError> {
        self.kernel.work(&mut self.bench, batch)
    }
}
