//! What the compiler cannot check: memory that has nothing in it yet, and functions whose
//! parameters somebody has to know.
#![allow(unsafe_code, reason = "nowhere else in this crate but in `libraries.rs`")]

use std::ffi::{CStr, c_uint, c_void};
use std::ptr;
use std::sync::Arc;

use cudarc::driver::sys::{self, CUcontext, CUdevice, CUresult};
use cudarc::driver::{
    CudaContext, CudaSlice, CudaStream, DriverError, LaunchArgs, LaunchConfig, PushKernelArg,
    result,
};
use odeon_device::DeviceError;

use crate::argument::{self, Argument, Grid, Parameter};
use crate::error;
use crate::module::{Function, Module, check_text};

/// A context that nobody else in this process has, with the device of that number; or the error,
/// and what it came from.
///
/// WHY by the function's name: cudarc has another function for it in each version of CUDA. Every
/// driver has this one, from the first with 64 bits on.
pub(crate) fn own_context(number: u32) -> Result<Arc<CudaContext>, (DriverError, &'static str)> {
    type Create = unsafe extern "C" fn(*mut CUcontext, c_uint, CUdevice) -> CUresult;
    let at = |step| move |error| (error, step);
    let mut context = ptr::null_mut();
    // SAFETY: the caller has seen that the driver's library is there; its function of that name has
    // this type. The pointer is to a variable of ours. No context is always one that can be made a
    // thread's own. What is made is alive, of that device, and nobody else has it, so what is made
    // of it here may end it.
    unsafe {
        // WHY: the thread may have the broken one, and the driver may tell the fault of a thread's
        // context by whatever is asked for there. Whoever needs a context makes it the thread's own
        // first; an error is told by what comes next.
        let _ = sys::cuCtxSetCurrent(ptr::null_mut());
        let device = result::device::get(number as i32).map_err(at("cuDeviceGet"))?;
        let create = sys::culib().get::<Create>(b"cuCtxCreate_v2\0");
        let create = create.map_err(|_| DriverError(CUresult::CUDA_ERROR_NOT_SUPPORTED));
        let create = create.map_err(at("cuCtxCreate"))?;
        create(&mut context, 0, device).result().map_err(at("cuCtxCreate"))?;
        let made = CudaContext::from_raw_context(number as usize, device, context);
        made.map_err(at("using what cuCtxCreate has made"))
    }
}

/// What the driver's compiler says of a text in PTX that could not be loaded; nothing if it has
/// nothing to say. WHY once more: cudarc loads without asking for that.
pub(crate) fn why_not_loaded(context: &Arc<CudaContext>, ptx: &CStr) -> Option<String> {
    use sys::CUjit_option::{CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    const MOST_BYTES: usize = 8 << 10;
    context.bind_to_thread().ok()?;
    let mut log = vec![0_u8; MOST_BYTES];
    let mut options = [CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES];
    // The last byte stays a zero.
    let size = ptr::without_provenance_mut::<c_void>(MOST_BYTES - 1);
    let mut values = [log.as_mut_ptr().cast::<c_void>(), size];
    let mut module = ptr::null_mut();
    // SAFETY: the text ends with a zero; the two options have a value each, of the kind that the
    // driver wants: a buffer, and its size in the place of a pointer. All of them outlive the call.
    // What was loaded against expectation is unloaded before anybody knows it.
    unsafe {
        let (options, values) = (options.as_mut_ptr(), values.as_mut_ptr());
        let image = ptx.as_ptr().cast::<c_void>();
        if sys::cuModuleLoadDataEx(&mut module, image, 2, options, values).result().is_ok() {
            let _ = sys::cuModuleUnload(module);
        }
    }
    let log = CStr::from_bytes_until_nul(&log).ok()?.to_string_lossy();
    Some(log.trim().to_owned()).filter(|log| !log.is_empty())
}

/// A stream of a context of which nothing else is used. Uses of buffers are not recorded as events,
/// which would cost at each launch.
pub(crate) fn own_stream(context: &Arc<CudaContext>) -> Result<Arc<CudaStream>, DriverError> {
    // SAFETY: the events are for buffers that several streams use. All buffers are made by
    // `CudaDevice`, on the one stream of its session; it refuses those of other sessions; and they
    // are freed on that stream.
    unsafe { context.disable_event_tracking() };
    context.new_stream()
}

/// Memory of `bytes` bytes, more than none, with anything in it.
pub(crate) fn allocate(
    stream: &Arc<CudaStream>,
    bytes: usize,
) -> Result<CudaSlice<u8>, DriverError> {
    // SAFETY: any value of a byte is one. It is read only by being copied from the device, which is
    // defined for memory that nobody has written.
    unsafe { stream.alloc::<u8>(bytes) }
}

impl Module {
    /// A function of it.
    ///
    /// # Safety
    /// Its parameters in CUDA C are these, in this order, each [`Read`](Parameter::Read) and
    /// [`Write`](Parameter::Write) being two. Whatever grid it is launched with, whatever memory of
    /// whatever size, and whatever numbers: it reads and writes only within the bytes that it was
    /// told of, writes only to what is `Write`, and keeps no pointer.
    ///
    /// # Errors
    /// [`DeviceError::Kernel`] if there is none of that name.
    pub unsafe fn function(
        &self,
        name: &str,
        parameters: &[Parameter],
    ) -> Result<Function, DeviceError> {
        check_text(name)?;
        let what = format!("the function `{name}`");
        // WHY: cudarc does not, and this may be a thread that has done nothing with the device.
        self.session.bind_to_thread().map_err(|error| error::of(error, &what))?;
        let function = self.loaded.load_function(name).map_err(|error| error::of(error, &what))?;
        let (name, parameters) = (name.to_owned(), parameters.to_vec());
        let session = self.session.clone();
        Ok(Function { name, parameters, function, session })
    }
}

/// Launches a function. The caller has seen to it that all buffers are of this stream's session.
pub(crate) fn launch(
    stream: &Arc<CudaStream>,
    function: &Function,
    grid: Grid,
    arguments: &mut [Argument<'_>],
) -> Result<(), DeviceError> {
    grid.check()?;
    let given = arguments.iter().map(Argument::parameter);
    argument::check(&function.name, &function.parameters, given)?;
    let sizes: Vec<u64> = arguments.iter().map(size).collect();
    let mut launching = stream.launch_builder(&function.function);
    for (argument, size) in arguments.iter_mut().zip(&sizes) {
        push(&mut launching, argument, size);
    }
    let config = LaunchConfig {
        grid_dim: (grid.blocks, 1, 1),
        block_dim: (grid.threads, 1, 1),
        shared_mem_bytes: grid.shared_bytes,
    };
    // SAFETY: whoever called `Module::function` has promised that its parameters are those that
    // were checked above, and that it stays within the sizes that are pushed beside each buffer.
    // The driver copies the values before this returns. The buffers are freed behind the launch,
    // since they are freed on the same stream; the module is kept by the session until all has been
    // done.
    let launched = unsafe { launching.launch(config) };
    let what = || format!("launching `{}`", function.name);
    launched.map(|_| ()).map_err(|error| error::of(error, &what()))
}

fn size(argument: &Argument<'_>) -> u64 {
    match argument {
        Argument::Read(buffer) => buffer.len() as u64,
        Argument::Write(buffer) => buffer.len() as u64,
        _ => 0,
    }
}

fn push<'a>(launching: &mut LaunchArgs<'a>, argument: &'a mut Argument<'_>, size: &'a u64) {
    match argument {
        Argument::Read(buffer) => launching.arg(&buffer.memory).arg(size),
        Argument::Write(buffer) => launching.arg(&mut buffer.memory).arg(size),
        Argument::I32(value) => launching.arg(&*value),
        Argument::U32(value) => launching.arg(&*value),
        Argument::U64(value) => launching.arg(&*value),
        Argument::F32(value) => launching.arg(&*value),
        Argument::F64(value) => launching.arg(&*value),
    };
}
