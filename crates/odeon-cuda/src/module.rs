//! Compiled sources.

use std::ffi::CStr;
use std::fmt;
use std::sync::Arc;

use cudarc::driver::{CudaContext, CudaFunction, CudaModule};
use cudarc::nvrtc::{CompileOptions, Ptx, compile_ptx_with_opts};
use odeon_device::DeviceError;

use crate::argument::Parameter;
use crate::error;
use crate::libraries;

/// A source that has been compiled for a device and is loaded there.
#[derive(Debug, Clone)]
pub struct Module {
    pub(crate) loaded: Arc<CudaModule>,
    pub(crate) session: Arc<CudaContext>,
}

/// A function of a [`Module`], for [`CudaDevice::launch`](crate::CudaDevice::launch).
#[derive(Clone)]
pub struct Function {
    pub(crate) name: String,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) function: CudaFunction,
    pub(crate) session: Arc<CudaContext>,
}

impl fmt::Debug for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Function")
            .field("name", &self.name)
            .field("parameters", &self.parameters)
            .finish_non_exhaustive()
    }
}

/// Compiles CUDA C for devices of that compute capability, major and minor; answers PTX, which the
/// driver of a device makes its code of. `name` is what the compiler calls it; `options` are those
/// of NVRTC: `-DK=16`.
///
/// [`CudaDevice::compile`](crate::CudaDevice::compile) does this for its own device. No device is
/// needed here, so that a program's tests can say on any machine which has the compiler's library
/// whether its kernels compile.
///
/// # Errors
/// [`DeviceError::Kernel`] with what the compiler says, or if the options ask for something else
/// than PTX; [`DeviceError::Unavailable`] if there is no compiler; [`DeviceError::Invalid`] if a
/// text has a zero in it.
///
/// # Examples
///
/// ```
/// use odeon_device::DeviceError;
///
/// let ptx = odeon_cuda::compile("one.cu", "extern \"C\" __global__ void one() {}", (8, 0), &[]);
/// match ptx {
///     Ok(ptx) => assert!(ptx.contains(".entry one")),
///     Err(error) => assert!(matches!(error, DeviceError::Unavailable(_)), "{error}"),
/// }
/// ```
pub fn compile(
    name: &str,
    source: &str,
    capability: (i32, i32),
    options: &[&str],
) -> Result<String, DeviceError> {
    let ptx = compiled(name, source, capability, options)?;
    match text(&ptx).map(CStr::to_string_lossy) {
        Some(text) if !text.is_empty() => Ok(text.into_owned()),
        _ => Err(DeviceError::Kernel(format!(
            "{name}: with `{}` it becomes no PTX",
            options.join(" ")
        ))),
    }
}

/// PTX as a text of C. With options that have the compiler make something else there is none.
pub(crate) fn text(ptx: &Ptx) -> Option<&CStr> {
    ptx.as_bytes().and_then(|bytes| CStr::from_bytes_until_nul(bytes).ok())
}

/// As [`compile`], for the driver.
pub(crate) fn compiled(
    name: &str,
    source: &str,
    (major, minor): (i32, i32),
    options: &[&str],
) -> Result<Ptx, DeviceError> {
    check_text(name)?;
    check_text(source)?;
    options.iter().try_for_each(|option| check_text(option))?;
    // WHY: cudarc panics where there is no library.
    if !libraries::has_compiler() {
        let why = "no CUDA compiler: the library libnvrtc cannot be loaded";
        return Err(DeviceError::Unavailable(why.to_owned()));
    }
    let mut all = vec![format!("--gpu-architecture=compute_{major}{minor}")];
    all.extend(options.iter().map(|&option| option.to_owned()));
    let options =
        CompileOptions { name: Some(name.to_owned()), options: all, ..Default::default() };
    compile_ptx_with_opts(source, options).map_err(|error| error::of_compiler(error, name))
}

/// C has no texts with a zero in them, and cudarc panics at one.
pub(crate) fn check_text(text: &str) -> Result<(), DeviceError> {
    match text.contains('\0') {
        false => Ok(()),
        true => Err(DeviceError::Invalid("a text for CUDA has a zero in it".to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_with_a_zero_are_no_texts() {
        for (name, source, option) in [("a\0", "", ""), ("", "\0", ""), ("", "", "-D\0")] {
            let compiled = compile(name, source, (8, 0), &[option]);
            assert!(matches!(compiled, Err(DeviceError::Invalid(_))));
        }
    }
}
