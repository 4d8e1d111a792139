//! A session with a device that CubeCL reaches.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;
use std::sync::{Arc, Weak};

use cubecl::client::Client;
use cubecl::prelude::CubeElement;
use cubecl::server::{Handle, ServerError};
use cubecl_environment::bytes::Bytes;
use cubecl_environment::future::block_on;
use cubecl_environment::stream::StreamId;
use odeon_device::{Device, DeviceError, Memory};

use crate::buffer::{BufferMemory, GpuBuffer, MOST, physical};
use crate::fault;
use crate::launch::Launch;
use crate::which::{Which, reach};

/// How many buffers that kernels wrote into are remembered between two looks at what became of
/// them.
/// TUNE: a look costs some microseconds; what is remembered is some bytes for each, also of buffers
/// that are gone: their memory is given back before.
const MOST_WRITTEN: usize = 256;

/// A session with a GPU, or with what stands in for one, through [CubeCL](https://docs.rs/cubecl).
///
/// Sessions with one device share a thread of CubeCL's, which talks to the driver, and are
/// independent otherwise: each has its order of launches, its buffers, and its account of memory.
/// That thread looks for work some thousand times a second, from the first session to the end of
/// the process.
///
/// What goes wrong with a launch is known when its results are asked for: by
/// [`download`](Device::download), or by [`synchronize`](Device::synchronize). After
/// [`DeviceError::Lost`] all that a session is asked for fails so; a new one with the same device
/// may succeed.
///
/// # Examples
///
/// A kernel is a function with `#[cube(launch)]`, outside of other functions, where `cubecl` is in
/// scope and all that its `prelude` has.
///
/// ```
/// use odeon_device::{Device, DeviceError};
/// use odeon_gpu::{GpuDevice, Which, cubecl};
/// use cubecl::prelude::*;
///
/// #[cube(launch)]
/// fn squares(of: &[f32], into: &mut [f32]) {
///     if ABSOLUTE_POS < into.len() {
///         into[ABSOLUTE_POS] = of[ABSOLUTE_POS] * of[ABSOLUTE_POS];
///     }
/// }
///
/// fn main() -> Result<(), DeviceError> {
///     let mut gpu = match GpuDevice::open(Which::Default) {
///         Ok(gpu) => gpu,
///         Err(DeviceError::Unavailable(why)) => { println!("{why}"); return Ok(()) }
///         Err(other) => return Err(other),
///     };
///     let of = gpu.upload_slice(&[1.0f32, 2.0, 3.0])?;
///     let mut into = gpu.allocate(of.bytes())?;
///     gpu.launch(|on| {
///         let (count, dim) = on.over(3);
///         squares::launch(on.client(), count, dim, on.input::<f32>(&of), on.output::<f32>(&mut into));
///     })?;
///     let mut result = [0.0f32; 3];
///     gpu.download_slice(&into, &mut result)?;
///     assert_eq!(result, [1.0, 4.0, 9.0]);
///     Ok(())
/// }
/// ```
pub struct GpuDevice {
    /// `Err` once the device is lost, with why.
    client: Result<Client, String>,
    stream: StreamId,
    name: String,
    memory: Memory,
    written: Vec<Weak<BufferMemory>>,
}

impl GpuDevice {
    /// A session with that device. It may use as much memory as the driver says that there is;
    /// where that says nothing (with CubeCL 0.11 Vulkan does not), as much as
    /// [`NO_STATEMENT`](Self::NO_STATEMENT).
    ///
    /// # Errors
    /// [`DeviceError::Unavailable`] if there is no such device, or no driver for it, or this
    /// program was built without what reaches it.
    pub fn open(which: Which) -> Result<Self, DeviceError> {
        let client = reach(which)?;
        let properties = client.properties();
        let limit = properties.memory.max_memory().unwrap_or(Self::NO_STATEMENT);
        let name = format!("{} ({})", properties.identity.name, client.name());
        let stream = StreamId::allocate();
        Ok(Self {
            client: Ok(client),
            stream,
            name,
            memory: Memory::new(limit),
            written: Vec::new(),
        })
    }

    /// The limit of memory where a driver does not state how much there is, in bytes.
    /// TUNE: not more than what the smallest GPUs in use have.
    pub const NO_STATEMENT: u64 = 2 << 30;

    /// With another limit of memory, in bytes: what the buffers of this session may have in all.
    ///
    /// # Panics
    /// If the session has buffers.
    #[must_use]
    pub fn with_memory_limit(mut self, bytes: u64) -> Self {
        assert_eq!(self.memory.used(), 0, "the limit of a session's memory, while it has buffers");
        self.memory = Memory::new(bytes);
        self
    }

    /// How many bytes the units of a cube may share; 0 of a lost device.
    pub fn shared_memory(&self) -> usize {
        let of = |client: &Client| client.properties().hardware.max_shared_memory_size;
        self.client.as_ref().map_or(0, of)
    }

    /// How many units a cube may have, all in one row; 0 of a lost device.
    pub fn most_units(&self) -> u32 {
        let of = |client: &Client| {
            let hardware = &client.properties().hardware;
            hardware.max_units_per_cube.min(hardware.max_cube_dim.0)
        };
        self.client.as_ref().map_or(0, of)
    }

    /// Launches kernels: `kernels` calls the functions that `#[cube(launch)]` makes, with the
    /// client and the buffers that it gets from its argument. They are done in the order in which
    /// they are launched, behind all that this session was asked for before; this does not wait for
    /// any of them.
    ///
    /// # Errors
    /// [`DeviceError::Lost`]. What is wrong with the kernels themselves is known later: see
    /// [`GpuDevice`].
    ///
    /// # Panics
    /// If `kernels` does.
    pub fn launch(&mut self, kernels: impl FnOnce(&Launch<'_>)) -> Result<(), DeviceError> {
        let client = self.client.as_ref().map_err(|why| DeviceError::Lost(why.clone()))?;
        let stream = self.stream;
        let owns = |buffer: &GpuBuffer| buffer.held().handle().stream == stream;
        let launch = Launch::new(client, &owns);
        stream.executes(|| kernels(&launch));
        self.written.append(&mut launch.into_written());
        if self.written.len() > MOST_WRITTEN { self.look_at_written() } else { Ok(()) }
    }

    /// Has the device begin with what was launched, without waiting for it. Launches are collected
    /// otherwise, until something is downloaded or waited for, or there are some tens of them.
    ///
    /// # Errors
    /// [`DeviceError::Lost`].
    pub fn flush(&mut self) -> Result<(), DeviceError> {
        self.ask(Client::flush)
    }

    /// As [`upload`](Device::upload).
    ///
    /// # Errors
    /// As [`upload`](Device::upload).
    pub fn upload_slice<T: CubeElement>(&mut self, data: &[T]) -> Result<GpuBuffer, DeviceError> {
        self.upload(T::as_bytes(data))
    }

    /// As [`download`](Device::download).
    ///
    /// # Errors
    /// As [`download`](Device::download).
    pub fn download_slice<T: CubeElement + bytemuck::Pod>(
        &mut self,
        buffer: &GpuBuffer,
        into: &mut [T],
    ) -> Result<(), DeviceError> {
        self.download(buffer, bytemuck::cast_slice_mut(into))
    }

    /// As [`download`](Device::download) of each of these, with one wait for all of them.
    ///
    /// # Errors
    /// As [`download`](Device::download). What has been written into the others is not known then.
    ///
    /// # Examples
    ///
    /// ```
    /// use odeon_device::{Device, DeviceError};
    /// use odeon_gpu::{GpuDevice, Which};
    ///
    /// fn main() -> Result<(), DeviceError> {
    ///     let mut gpu = match GpuDevice::open(Which::Default) {
    ///         Ok(gpu) => gpu,
    ///         Err(DeviceError::Unavailable(why)) => { println!("{why}"); return Ok(()) }
    ///         Err(other) => return Err(other),
    ///     };
    ///     let (one, other) = (gpu.upload(&[1, 2, 3, 4, 5])?, gpu.upload(&[6, 7])?);
    ///     let (mut of_one, mut of_other) = ([0; 5], [0; 1]);
    ///     gpu.download_all(vec![(&one, &mut of_one), (&other, &mut of_other), (&other, &mut [])])?;
    ///     assert_eq!((of_one, of_other), ([1, 2, 3, 4, 5], [6]));
    ///     let too_long = gpu.download_all(vec![(&one, &mut of_one), (&other, &mut [0; 3])]);
    ///     assert!(matches!(too_long, Err(DeviceError::Invalid(_))));
    ///     Ok(())
    /// }
    /// ```
    pub fn download_all(
        &mut self,
        mut all: Vec<(&GpuBuffer, &mut [u8])>,
    ) -> Result<(), DeviceError> {
        for (buffer, into) in &all {
            self.owns(buffer)?;
            buffer.holds(into.len())?;
        }
        all.retain(|(_, into)| !into.is_empty());
        let part = |(buffer, into): &(&GpuBuffer, &mut [u8])| buffer.part(0, physical(into.len()));
        let parts: Vec<Handle> = all.iter().map(part).collect();
        if parts.is_empty() {
            return Ok(());
        }
        let read = self.ask(|client| client.read(parts));
        if read.is_err() {
            // As in `download`.
            let is_known = |held: &Weak<BufferMemory>| {
                all.iter().any(|(buffer, _)| ptr::eq(held.as_ptr(), Arc::as_ptr(buffer.held())))
            };
            self.written.retain(|held| !is_known(held));
        }
        for ((_, into), read) in all.into_iter().zip(read?) {
            into.copy_from_slice(&read[..into.len()]);
        }
        Ok(())
    }

    /// Asks CubeCL for something, in this session's order. All that can go wrong there comes out of
    /// here as an error.
    fn ask<R>(
        &mut self,
        question: impl FnOnce(&Client) -> Result<R, ServerError>,
    ) -> Result<R, DeviceError> {
        let client = self.client.as_ref().map_err(|why| DeviceError::Lost(why.clone()))?;
        let available = self.memory.limit() - self.memory.used();
        let stream = self.stream;
        // WHY: CubeCL carries panics of its own thread over to who waits for it, and wgpu's errors
        // are such panics.
        let answer = catch_unwind(AssertUnwindSafe(|| stream.executes(|| question(client))));
        let error = match answer {
            Ok(Ok(answer)) => return Ok(answer),
            Ok(Err(error)) => fault::of_server(&error, available),
            Err(panic) => fault::of_panic(panic, available),
        };
        if let DeviceError::Lost(why) = &error {
            // A client that is kept would keep the thread of the lost device.
            self.client = Err(why.clone());
        }
        Err(error)
    }

    /// What is known by now of the buffers that kernels were to write.
    fn look_at_written(&mut self) -> Result<(), DeviceError> {
        let written = self.take_written();
        self.ask(|client| client.check(written.iter().map(|held| held.handle())))
    }

    fn take_written(&mut self) -> Vec<Arc<BufferMemory>> {
        self.written.drain(..).filter_map(|held| held.upgrade()).collect()
    }

    /// Memory with what `fill` puts into it, once it is known that there is enough.
    fn filled(
        &mut self,
        bytes: usize,
        fill: impl Fn(&Client) -> Handle,
    ) -> Result<GpuBuffer, DeviceError> {
        if bytes > MOST {
            return Err(self.refused(bytes as u64));
        }
        let reserved = self.memory.reserve(bytes as u64)?;
        let attempt = |client: &Client| {
            let handle = fill(client);
            client.check([&handle])?;
            Ok(handle)
        };
        let mut handle = self.ask(attempt);
        if matches!(handle, Err(DeviceError::OutOfMemory { .. })) {
            // Memory that this and other sessions have given back may still be held for them.
            self.ask(Client::memory_cleanup)?;
            handle = self.ask(attempt);
        }
        match handle {
            Ok(handle) => Ok(GpuBuffer::new(handle, bytes, reserved)),
            Err(DeviceError::OutOfMemory { .. }) => {
                drop(reserved);
                Err(self.refused(bytes as u64))
            }
            Err(other) => Err(other),
        }
    }

    /// That the driver has refused so many bytes. It does not say how many there are: less than
    /// that, and not more than one buffer may have, nor than the account has left.
    fn refused(&self, asked: u64) -> DeviceError {
        let largest = self.client.as_ref().map_or(0, |it| it.properties().memory.max_page_size);
        let left = self.memory.limit() - self.memory.used();
        DeviceError::OutOfMemory {
            asked,
            available: left.min(largest).min(asked.saturating_sub(1)),
        }
    }

    fn owns(&self, buffer: &GpuBuffer) -> Result<(), DeviceError> {
        if buffer.held().handle().stream == self.stream {
            return Ok(());
        }
        Err(DeviceError::Invalid("a buffer of another session".to_owned()))
    }

    fn read(&mut self, buffer: &GpuBuffer, from: usize, to: usize) -> Result<Bytes, DeviceError> {
        self.ask(|client| client.read_one(buffer.part(from, to)))
    }

    fn write_words(
        &mut self,
        buffer: &GpuBuffer,
        from: usize,
        words: &[u8],
    ) -> Result<(), DeviceError> {
        let handle = buffer.part(from, from + words.len());
        self.ask(|client| {
            client.write(&handle, Bytes::from_bytes_vec(words.to_vec()));
            Ok(())
        })
    }
}

impl Device for GpuDevice {
    type Buffer = GpuBuffer;

    fn name(&self) -> &str {
        &self.name
    }

    fn memory(&self) -> &Memory {
        &self.memory
    }

    fn allocate(&mut self, bytes: usize) -> Result<GpuBuffer, DeviceError> {
        self.filled(bytes, |client| client.empty(physical(bytes)))
    }

    fn upload(&mut self, bytes: &[u8]) -> Result<GpuBuffer, DeviceError> {
        self.filled(bytes.len(), |client| {
            let mut words = Vec::with_capacity(physical(bytes.len()));
            words.extend_from_slice(bytes);
            words.resize(physical(bytes.len()), 0);
            client.create(Bytes::from_bytes_vec(words))
        })
    }

    fn write(&mut self, buffer: &mut GpuBuffer, bytes: &[u8]) -> Result<(), DeviceError> {
        self.owns(buffer)?;
        buffer.holds(bytes.len())?;
        let (words, rest) = bytes.split_at(bytes.len() / 4 * 4);
        if !words.is_empty() {
            self.write_words(buffer, 0, words)?;
        }
        if !rest.is_empty() {
            // Only whole words can be written: the last one with what stands behind the end of
            // `bytes`.
            let mut word = self.read(buffer, words.len(), words.len() + 4)?.to_vec();
            word[..rest.len()].copy_from_slice(rest);
            self.write_words(buffer, words.len(), &word)?;
        }
        Ok(())
    }

    fn download(&mut self, buffer: &GpuBuffer, into: &mut [u8]) -> Result<(), DeviceError> {
        self.owns(buffer)?;
        buffer.holds(into.len())?;
        if !into.is_empty() {
            let read = self.read(buffer, 0, physical(into.len()));
            if read.is_err() {
                // What became of it is known with this.
                self.written.retain(|held| !ptr::eq(held.as_ptr(), Arc::as_ptr(buffer.held())));
            }
            let read = read?;
            into.copy_from_slice(&read[..into.len()]);
        }
        Ok(())
    }

    fn synchronize(&mut self) -> Result<(), DeviceError> {
        let written = self.take_written();
        self.ask(|client| block_on(client.sync_buffers(written.iter().map(|held| held.handle()))))
    }
}

impl Drop for GpuDevice {
    fn drop(&mut self) {
        // What its buffers had goes back to the driver. Who has buffers still keeps those; a lost
        // device has nothing to give back.
        let _ = self.ask(Client::memory_cleanup);
    }
}

impl fmt::Debug for GpuDevice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GpuDevice")
            .field("name", &self.name)
            .field("memory", &self.memory)
            .field("lost", &self.client.as_ref().err())
            .finish_non_exhaustive()
    }
}
