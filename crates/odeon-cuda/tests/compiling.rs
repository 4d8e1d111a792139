//! What NVRTC makes of sources. It needs no device, only the compiler's library.

use odeon_cuda::compile;
use odeon_device::DeviceError;
use std::io::Write;

fn has_compiler() -> bool {
    match compile("nothing.cu", "", (7, 5), &[]) {
        Err(DeviceError::Unavailable(why)) => {
            // WHY not `eprintln!`: the output of a test that passes is kept back.
            let _ = writeln!(std::io::stderr(), "skipped: CUDA C by its compiler: {why}");
            false
        }
        _ => true,
    }
}

#[test]
fn a_source_becomes_ptx_for_each_capability() {
    if !has_compiler() {
        return;
    }
    let source = r#"
        extern "C" __global__ void scale(float* x, unsigned long long x_bytes, unsigned n) {
            unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i < n && (i + 1ull) * 4 <= x_bytes) x[i] *= FACTOR;
        }
    "#;
    // Of Turing and Hopper.
    for capability in [(7, 5), (9, 0)] {
        let ptx = compile("scale.cu", source, capability, &["-DFACTOR=2"]).unwrap();
        let target = format!(".target sm_{}{}", capability.0, capability.1);
        assert!(ptx.contains(".entry scale") && ptx.contains(&target), "{ptx}");
    }
}

/// What the tests of kernels on cores run.
#[test]
fn a_kernel_that_calls_mathematics_compiles() {
    if has_compiler() {
        let source = include_str!("../kernels/logistic.cu");
        let ptx = compile("logistic.cu", source, (7, 5), &["-DMOST_DIMS=8192"]).unwrap();
        assert!(ptx.contains(".entry"), "{ptx}");
    }
}

/// What the tests of failures run on a device.
#[test]
fn kernels_with_which_something_goes_wrong_compile() {
    if has_compiler() {
        for capability in [(7, 5), (9, 0)] {
            let ptx = compile("failing.cu", crate::support::FAILING, capability, &[]).unwrap();
            for name in ["trap", "stray", "misaligned", "endless", "few_threads"] {
                assert!(ptx.contains(&format!(".entry {name}(")), "{name}: {ptx}");
            }
        }
    }
}

#[test]
fn what_is_wrong_is_said_with_its_line() {
    if !has_compiler() {
        return;
    }
    let wrong = "extern \"C\" __global__ void wrong() {\n    missing(1);\n}";
    let error = compile("wrong.cu", wrong, (7, 5), &["-DK=16"]).unwrap_err();
    assert!(matches!(error, DeviceError::Kernel(_)), "{error:?}");
    let said = error.to_string();
    assert!(said.contains("wrong.cu(2)") && said.contains("\"missing\" is undefined"), "{said}");
    assert!(said.contains("-DK=16"), "{said}");
}

#[test]
fn what_does_not_become_ptx_is_refused() {
    if !has_compiler() {
        return;
    }
    let source = "extern \"C\" __global__ void one() {}";
    for (capability, options, said) in
        [((1, 0), &[][..], "invalid value for --gpu-architecture"), ((7, 5), &["-dlto"], "no PTX")]
    {
        let error = compile("one.cu", source, capability, options).unwrap_err();
        assert!(matches!(error, DeviceError::Kernel(_)), "{error:?}");
        assert!(error.to_string().contains(said), "{error}");
    }
}
