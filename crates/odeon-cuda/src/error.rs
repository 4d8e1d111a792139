//! Errors of the driver and of its compiler, as errors of a device.

use cudarc::driver::DriverError;
use cudarc::nvrtc::CompileError;
use odeon_device::DeviceError;

/// What an error of the driver means to who did `what`.
pub(crate) fn of(error: DriverError, what: &str) -> DeviceError {
    // WHY not by its `Debug`: that asks the driver for a text, which may be what is not there.
    by_name(&format!("{:?}", error.0), what)
}

/// By the name, since which codes there are depends on the version of the driver's interface.
fn by_name(code: &str, what: &str) -> DeviceError {
    let name = code.strip_prefix("CUDA_ERROR_").unwrap_or(code);
    let why = format!("{what}: {code}");
    match name {
        "NO_DEVICE"
        | "INVALID_DEVICE"
        | "NOT_INITIALIZED"
        | "STUB_LIBRARY"
        | "DEVICE_UNAVAILABLE"
        | "DEVICE_NOT_LICENSED"
        | "SYSTEM_DRIVER_MISMATCH"
        | "COMPAT_NOT_SUPPORTED_ON_DEVICE"
        | "CALL_REQUIRES_NEWER_DRIVER"
        | "NOT_PERMITTED"
        | "OPERATING_SYSTEM"
        | "SYSTEM_NOT_READY" => DeviceError::Unavailable(why),
        "UNSUPPORTED_PTX_VERSION" => DeviceError::Kernel(format!(
            "{why}: the compiler's library (NVRTC) is newer than the driver; one of the driver's \
             version of CUDA, or an older one, belongs into LD_LIBRARY_PATH"
        )),
        "NO_BINARY_FOR_GPU"
        | "INVALID_PTX"
        | "INVALID_IMAGE"
        | "INVALID_SOURCE"
        | "JIT_COMPILER_NOT_FOUND"
        | "JIT_COMPILATION_DISABLED"
        | "NOT_FOUND"
        | "LAUNCH_OUT_OF_RESOURCES" => DeviceError::Kernel(why),
        // After these nothing works in this context any more.
        "ILLEGAL_ADDRESS"
        | "LAUNCH_TIMEOUT"
        | "LAUNCH_FAILED"
        | "HARDWARE_STACK_ERROR"
        | "ILLEGAL_INSTRUCTION"
        | "MISALIGNED_ADDRESS"
        | "INVALID_ADDRESS_SPACE"
        | "INVALID_PC"
        | "ASSERT"
        | "ECC_UNCORRECTABLE"
        | "NVLINK_UNCORRECTABLE"
        | "CONTAINED"
        | "CONTEXT_IS_DESTROYED"
        | "INVALID_CONTEXT"
        | "DEINITIALIZED"
        | "EXTERNAL_DEVICE"
        | "TENSOR_MEMORY_LEAK"
        | "UNKNOWN" => DeviceError::Lost(why),
        name if name.starts_with("MPS_") => DeviceError::Lost(why),
        // Of something that was not asked for by size.
        "OUT_OF_MEMORY" => DeviceError::OutOfMemory { asked: 0, available: 0 },
        _ => DeviceError::Invalid(why),
    }
}

/// Whether there is not enough memory.
pub(crate) fn is_of_memory(error: &DriverError) -> bool {
    matches!(of(*error, ""), DeviceError::OutOfMemory { .. })
}

/// An error when so many bytes were asked for; `available` are left.
pub(crate) fn of_memory(error: DriverError, asked: u64, available: u64) -> DeviceError {
    match of(error, "allocating memory") {
        // The driver takes memory in pieces, so it may refuse less than it says that it has.
        DeviceError::OutOfMemory { .. } => {
            let available = available.min(asked.saturating_sub(1));
            DeviceError::OutOfMemory { asked, available }
        }
        other => other,
    }
}

/// What the compiler says of a source of that name.
pub(crate) fn of_compiler(error: CompileError, name: &str) -> DeviceError {
    DeviceError::Kernel(match error {
        CompileError::CompileError { log, options, .. } => {
            let (log, options) = (log.to_string_lossy(), options.join(" "));
            format!("{name} with `{options}`:\n{}", log.trim_end())
        }
        CompileError::CreationError(error)
        | CompileError::GetLogError(error)
        | CompileError::GetPtxError(error)
        | CompileError::DestroyError(error) => format!("{name}: {:?}", error.0),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use cudarc::driver::sys::CUresult;

    #[test]
    fn errors_of_the_driver_are_of_few_kinds() {
        let of = |code| of(DriverError(code), "launching `f`");
        let lost = of(CUresult::CUDA_ERROR_ILLEGAL_ADDRESS);
        let said = "the device is lost: launching `f`: CUDA_ERROR_ILLEGAL_ADDRESS";
        assert_eq!(lost.to_string(), said);
        assert!(lost.is_transient());
        let unavailable = of(CUresult::CUDA_ERROR_NO_DEVICE);
        assert!(matches!(unavailable, DeviceError::Unavailable(_)), "{unavailable:?}");
        let kernel = of(CUresult::CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
        assert!(matches!(kernel, DeviceError::Kernel(_)), "{kernel:?}");
        assert!(kernel.to_string().contains("newer than the driver"), "{kernel}");
        let invalid = of(CUresult::CUDA_ERROR_INVALID_VALUE);
        assert!(matches!(invalid, DeviceError::Invalid(_)), "{invalid:?}");
        assert!(matches!(by_name("CUDA_ERROR_MPS_RPC_FAILURE", "x"), DeviceError::Lost(_)));
        assert!(matches!(by_name("CUDA_ERROR_OF_TOMORROW", "x"), DeviceError::Invalid(_)));
    }

    #[test]
    fn memory_that_is_not_there_is_told_with_its_size() {
        let full = DriverError(CUresult::CUDA_ERROR_OUT_OF_MEMORY);
        assert_eq!(of_memory(full, 7, 3), DeviceError::OutOfMemory { asked: 7, available: 3 });
        assert_eq!(of_memory(full, 7, 9), DeviceError::OutOfMemory { asked: 7, available: 6 });
        let lost = DriverError(CUresult::CUDA_ERROR_LAUNCH_FAILED);
        assert!(matches!(of_memory(lost, 7, 3), DeviceError::Lost(_)));
    }

    #[test]
    fn the_log_of_the_compiler_is_in_the_error() {
        let error = CompileError::CompileError {
            nvrtc: cudarc::nvrtc::result::NvrtcError(
                cudarc::nvrtc::sys::nvrtcResult::NVRTC_ERROR_COMPILATION,
            ),
            options: vec!["-DK=3".to_owned()],
            log: c"f.cu(1): error: no such thing\n".to_owned(),
        };
        let said = "the kernel does not compile: f.cu with `-DK=3`:\nf.cu(1): error: no such thing";
        assert_eq!(of_compiler(error, "f.cu").to_string(), said);
    }
}
