//! How kernels of users get at the buffers of a session. The only file with `unsafe` in it.
#![allow(unsafe_code)]

use std::cell::RefCell;
use std::sync::{Arc, Weak};

use cubecl::client::Client;
use cubecl::prelude::{BufferArg, CubeElement};
use cubecl::{CubeCount, CubeDim};

use crate::buffer::{BufferMemory, GpuBuffer};

/// What a kernel is launched with: see [`GpuDevice::launch`](crate::GpuDevice::launch).
pub struct Launch<'g> {
    client: &'g Client,
    /// Whether a buffer is of this session.
    owns: &'g dyn Fn(&GpuBuffer) -> bool,
    /// What kernels write into: CubeCL keeps with a buffer why it was not written.
    written: RefCell<Vec<Weak<BufferMemory>>>,
}

impl<'g> Launch<'g> {
    pub(crate) fn new(client: &'g Client, owns: &'g dyn Fn(&GpuBuffer) -> bool) -> Self {
        Self { client, owns, written: RefCell::default() }
    }

    pub(crate) fn into_written(self) -> Vec<Weak<BufferMemory>> {
        self.written.into_inner()
    }

    /// What the functions that `#[cube(launch)]` makes want first. What is launched through it with
    /// anything but the buffers of this session is not on its account.
    pub fn client(&self) -> &Client {
        self.client
    }

    /// How many cubes of how many units: at least `units` of them in all, in cubes of 256 or what
    /// the device has at most. The kernel itself has to see to it that those beyond do nothing.
    pub fn over(&self, units: usize) -> (CubeCount, CubeDim) {
        self.in_cubes_of(256, units)
    }

    /// As [`over`](Self::over), in cubes of `size` units or what the device has at most.
    pub fn in_cubes_of(&self, size: u32, units: usize) -> (CubeCount, CubeDim) {
        let hardware = &self.client.properties().hardware;
        let size = size.min(hardware.max_units_per_cube).min(hardware.max_cube_dim.0).max(1);
        let cubes = units.div_ceil(size as usize) as u64;
        let (most_x, most_y, _) = hardware.max_cube_count;
        let x = cubes.min(u64::from(most_x));
        let y = cubes.div_ceil(x.max(1)).min(u64::from(most_y));
        let z = cubes.div_ceil((x * y).max(1));
        (CubeCount::Static(x as u32, y as u32, z as u32), CubeDim::new_1d(size))
    }

    /// A buffer as a slice that the kernel reads, of as many elements as it has room for.
    ///
    /// # Panics
    /// If the buffer is of another session.
    #[track_caller]
    pub fn input<T: CubeElement>(&self, buffer: &GpuBuffer) -> BufferArg {
        self.input_of::<T>(buffer, buffer.bytes() / size_of::<T>())
    }

    /// The first `elements` of a buffer as a slice that the kernel reads.
    ///
    /// # Panics
    /// If the buffer is shorter, or of another session, or if `T` has no size.
    #[track_caller]
    pub fn input_of<T: CubeElement>(&self, buffer: &GpuBuffer, elements: usize) -> BufferArg {
        assert!((self.owns)(buffer), "a buffer of another session");
        slice::<T>(buffer, elements)
    }

    /// A buffer as a slice that the kernel writes, or reads and writes, of as many elements as it
    /// has room for.
    ///
    /// # Panics
    /// If the buffer is of another session.
    #[track_caller]
    pub fn output<T: CubeElement>(&self, buffer: &mut GpuBuffer) -> BufferArg {
        self.output_of::<T>(buffer, buffer.bytes() / size_of::<T>())
    }

    /// The first `elements` of a buffer as a slice that the kernel writes, or reads and writes.
    ///
    /// # Panics
    /// If the buffer is shorter, or of another session, or if `T` has no size.
    #[track_caller]
    pub fn output_of<T: CubeElement>(&self, buffer: &mut GpuBuffer, elements: usize) -> BufferArg {
        assert!((self.owns)(buffer), "a buffer of another session");
        self.written.borrow_mut().push(Arc::downgrade(buffer.held()));
        slice::<T>(buffer, elements)
    }
}

/// The first `elements` of a buffer.
#[track_caller]
fn slice<T: CubeElement>(buffer: &GpuBuffer, elements: usize) -> BufferArg {
    assert!(size_of::<T>() > 0, "elements without a size");
    let bytes = elements.checked_mul(size_of::<T>()).filter(|&bytes| bytes <= buffer.bytes());
    let Some(bytes) = bytes else {
        panic!("{elements} elements of {} bytes in a buffer of {}", size_of::<T>(), buffer.bytes());
    };
    // SAFETY: The length must be that of the memory, in elements. The handle is cut to exactly so
    // many bytes, which was just checked to be no more than it has; and it owns its memory until
    // the launch is done. That the kernel's elements are of this type is not known here and need
    // not be: CubeCL takes the length that kernels see from the size of the handle.
    unsafe { BufferArg::from_raw_parts(buffer.part(0, bytes), elements) }
}
