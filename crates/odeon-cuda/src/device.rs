//! A session with a device.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use cudarc::driver::sys::CUevent_flags;
use cudarc::driver::{CudaContext, CudaModule, CudaStream};
use odeon_device::{Device, DeviceError, Memory};

use crate::argument::{Argument, Grid};
use crate::buffer::CudaBuffer;
use crate::context;
use crate::error;
use crate::launch;
use crate::libraries;
use crate::module::{self, Function, Module};
use crate::timing::Mark;

/// A session with a CUDA device: a stream of its own, in which all happens in order.
///
/// All sessions of a process with one device share its primary context. A fault of a kernel breaks
/// the context for all of them: whatever such a session is asked for is [`DeviceError::Lost`] from
/// the moment on at which it learns of that. A new session tries the shared context again, and one
/// of its own if others still hold the broken one. Whether either works after a fault is up to the
/// driver, whose documentation says that the process must be started anew; opening is `Lost` then,
/// and says so.
///
/// Nothing ends a kernel but the kernel, or the end of the process. Whoever waits for one that does
/// not end waits for ever, and so does who drops its session. Other sessions of the process may
/// have to wait for it as well: to load a kernel, which their context may do only when nothing runs
/// in it.
pub struct CudaDevice {
    name: String,
    memory: Memory,
    capability: (i32, i32),
    context: Arc<CudaContext>,
    stream: Arc<CudaStream>,
    /// Kept until all that was launched is done.
    modules: Vec<Arc<CudaModule>>,
    /// Why all that it is asked for fails, once the device is lost.
    lost: Option<String>,
}

impl CudaDevice {
    /// Opens a session with the device of that number, from 0 on, that may have `limit` bytes of
    /// memory: all there is, if none is said.
    ///
    /// # Errors
    /// [`DeviceError::Unavailable`] if there is no driver or no such device; [`DeviceError::Lost`]
    /// after a fault, if the driver lets this process have the device no more.
    pub fn open(number: u32, limit: Option<u64>) -> Result<Self, DeviceError> {
        // WHY: cudarc panics where there is no library.
        if !libraries::has_driver() {
            let why = "no NVIDIA driver: the library libcuda cannot be loaded";
            return Err(DeviceError::Unavailable(why.to_owned()));
        }
        let (context, stream) = context::open(number)?;
        let failed = |error| context::failed(error, &format!("opening CUDA device {number}"));
        let capability = context.compute_capability().map_err(failed)?;
        let (model, all) =
            (context.name().map_err(failed)?, context.total_mem().map_err(failed)? as u64);
        let name = format!("{model} (CUDA {}.{})", capability.0, capability.1);
        let memory = Memory::new(limit.unwrap_or(all).min(all));
        let (modules, lost) = (Vec::new(), None);
        Ok(Self { name, memory, capability, context, stream, modules, lost })
    }

    /// Compiles CUDA C for this device and loads it there. `name` is what the compiler calls it;
    /// `options` are those of NVRTC: `-DK=16`.
    ///
    /// # Errors
    /// [`DeviceError::Kernel`] with what the compiler says; [`DeviceError::Unavailable`] if there
    /// is no compiler.
    pub fn compile(
        &mut self,
        name: &str,
        source: &str,
        options: &[&str],
    ) -> Result<Module, DeviceError> {
        self.is_there()?;
        let compiled = module::compiled(name, source, self.capability, options)?;
        let loaded = self.context.load_module(compiled.clone());
        let loaded = loaded.map_err(|error| match error::of(error, &format!("loading {name}")) {
            DeviceError::Kernel(why) => {
                let text = module::text(&compiled);
                let log = text.and_then(|ptx| launch::why_not_loaded(&self.context, ptx));
                DeviceError::Kernel(log.map_or(why.clone(), |log| format!("{why}:\n{log}")))
            }
            other => other,
        });
        let loaded = self.noted(loaded)?;
        self.modules.push(loaded.clone());
        Ok(Module { loaded, session: self.context.clone() })
    }

    /// Launches a function of a module of this session, behind all that was launched before. Does
    /// not wait for it.
    ///
    /// # Errors
    /// [`DeviceError::Invalid`] if the arguments are not those that it takes, or are not of this
    /// session; [`DeviceError::Kernel`] if the device cannot run it so; [`DeviceError::Lost`].
    pub fn launch(
        &mut self,
        function: &Function,
        grid: Grid,
        arguments: &mut [Argument<'_>],
    ) -> Result<(), DeviceError> {
        self.is_there()?;
        self.own(&function.session)?;
        for argument in &*arguments {
            match argument {
                Argument::Read(buffer) => self.own(&buffer.session)?,
                Argument::Write(buffer) => self.own(&buffer.session)?,
                _ => {}
            }
        }
        let launched = launch::launch(&self.stream, function, grid, arguments);
        self.noted(launched)
    }

    /// Marks this moment in what has been launched.
    ///
    /// # Errors
    /// [`DeviceError::Lost`].
    pub fn mark(&mut self) -> Result<Mark, DeviceError> {
        self.is_there()?;
        let event = self.stream.record_event(Some(CUevent_flags::CU_EVENT_DEFAULT));
        let mark = event.map(|event| Mark { event });
        self.noted(mark.map_err(|error| error::of(error, "recording an event")))
    }

    /// How long the device took for what was launched between two marks, for which it waits. About
    /// half a microsecond is its resolution.
    ///
    /// # Errors
    /// [`DeviceError::Lost`]; [`DeviceError::Invalid`] if one of them is of another device, or of
    /// another context of this one; [`DeviceError::Unavailable`] if the driver cannot tell.
    pub fn between(&mut self, from: &Mark, to: &Mark) -> Result<Duration, DeviceError> {
        self.is_there()?;
        // WHY: cudarc says of these what it says of a context that is broken.
        if from.event.context() != to.event.context() {
            return Err(DeviceError::Invalid(
                "two marks are of two devices, or contexts".to_owned(),
            ));
        }
        // WHY: drivers before CUDA 12.8 lack the function for which cudarc asks if it was built for
        // a later version, and it panics at one that is not there. Nothing has changed then.
        let asking = AssertUnwindSafe(|| from.event.elapsed_ms(&to.event));
        let ms = catch_unwind(asking).map_err(|_| {
            let why = "the driver is too old to say how long something took";
            DeviceError::Unavailable(why.to_owned())
        })?;
        let ms = self.noted(ms.map_err(|error| error::of(error, "waiting for an event")))?;
        Ok(Duration::from_secs_f64(f64::from(ms.max(0.0)) / 1_000.0))
    }

    /// That it is not known to be lost.
    fn is_there(&self) -> Result<(), DeviceError> {
        self.lost.as_ref().map_or(Ok(()), |why| Err(DeviceError::Lost(why.clone())))
    }

    /// Remembers it if the device is lost.
    fn noted<T>(&mut self, result: Result<T, DeviceError>) -> Result<T, DeviceError> {
        if let Err(DeviceError::Lost(why)) = &result {
            self.lost.get_or_insert_with(|| why.clone());
        }
        result
    }

    fn own(&self, session: &Arc<CudaContext>) -> Result<(), DeviceError> {
        match Arc::ptr_eq(session, &self.context) {
            true => Ok(()),
            false => Err(DeviceError::Invalid("this belongs to another session".to_owned())),
        }
    }

    fn fits(&self, buffer: &CudaBuffer, bytes: usize) -> Result<(), DeviceError> {
        self.is_there()?;
        self.own(&buffer.session)?;
        if bytes > buffer.bytes {
            let why = format!("{bytes} bytes of a buffer that has {}", buffer.bytes);
            return Err(DeviceError::Invalid(why));
        }
        Ok(())
    }

    fn wait(&mut self, what: &str) -> Result<(), DeviceError> {
        self.is_there()?;
        let waited = self.stream.synchronize();
        if waited.is_err() {
            // WHY: it may be an error that something met when it was dropped; cudarc tells it here,
            // once, and has not waited then.
            let _ = self.stream.synchronize();
        }
        self.noted(waited.map_err(|error| error::of(error, what)))
    }
}

impl Device for CudaDevice {
    type Buffer = CudaBuffer;

    fn name(&self) -> &str {
        &self.name
    }

    fn memory(&self) -> &Memory {
        &self.memory
    }

    fn allocate(&mut self, bytes: usize) -> Result<CudaBuffer, DeviceError> {
        self.is_there()?;
        let reserved = self.memory.reserve(bytes as u64)?;
        let mut memory = launch::allocate(&self.stream, bytes.max(1));
        if memory.as_ref().is_err_and(error::is_of_memory) {
            // The driver may keep what was given back in other sizes until somebody waits.
            self.wait("waiting for memory that was given back")?;
            memory = launch::allocate(&self.stream, bytes.max(1));
        }
        let memory = memory.map_err(|error| {
            let free = self.context.mem_get_info().map_or(0, |(free, _)| free as u64);
            error::of_memory(error, bytes as u64, free)
        });
        let memory = self.noted(memory)?;
        let session = self.context.clone();
        Ok(CudaBuffer { memory, bytes, session, _reserved: reserved })
    }

    fn upload(&mut self, bytes: &[u8]) -> Result<CudaBuffer, DeviceError> {
        let mut buffer = self.allocate(bytes.len())?;
        self.write(&mut buffer, bytes)?;
        Ok(buffer)
    }

    fn write(&mut self, buffer: &mut CudaBuffer, bytes: &[u8]) -> Result<(), DeviceError> {
        self.fits(buffer, bytes.len())?;
        if bytes.is_empty() {
            return Ok(());
        }
        let copied = self.stream.memcpy_htod(bytes, &mut buffer.memory);
        // WHY also after an error: it may have begun, and `bytes` are the caller's again
        // afterwards.
        let waited = self.wait("copying to the device");
        let copied = copied.map_err(|error| error::of(error, "copying to the device"));
        self.noted(copied)?;
        waited
    }

    fn download(&mut self, buffer: &CudaBuffer, into: &mut [u8]) -> Result<(), DeviceError> {
        self.fits(buffer, into.len())?;
        if into.is_empty() {
            return Ok(());
        }
        let copied = self.stream.memcpy_dtoh(&buffer.memory.slice(..into.len()), into);
        // WHY: as in `write`.
        let waited = self.wait("copying from the device");
        let copied = copied.map_err(|error| error::of(error, "copying from the device"));
        self.noted(copied)?;
        waited
    }

    fn synchronize(&mut self) -> Result<(), DeviceError> {
        self.wait("waiting for the device")
    }
}

impl Drop for CudaDevice {
    fn drop(&mut self) {
        // Modules are unloaded after this. An error means that nothing runs any more.
        let _ = self.wait("waiting for the device");
    }
}
