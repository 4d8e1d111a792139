//! Without a driver: one clear sentence, and nothing else happens. In a process of its own, whose
//! environment hides the drivers.

use std::env;
use std::process::Command;

use odeon_device::DeviceError;
use odeon_gpu::{GpuDevice, Which, devices};

const CHILD: &str = "ODEON_TEST_WITHOUT_DRIVERS";

fn told(which: Which) -> String {
    match GpuDevice::open(which) {
        Err(DeviceError::Unavailable(why)) => why,
        other => panic!("{which:?}: {other:?}"),
    }
}

#[test]
fn without_a_driver_there_is_one_clear_sentence() {
    if env::var_os(CHILD).is_none() {
        let this_program = env::current_exe().expect("a running program has a path");
        // The loader of Vulkan, and that of EGL, look where these say, and nowhere else.
        let nowhere = "/nowhere/driver.json";
        let output = Command::new(this_program)
            .args(["--exact", "without_a_driver_there_is_one_clear_sentence", "--nocapture"])
            .env(CHILD, "1")
            .env("VK_DRIVER_FILES", nowhere)
            .env("VK_ICD_FILENAMES", nowhere)
            .env("__EGL_VENDOR_LIBRARY_FILENAMES", nowhere)
            .output()
            .expect("this program can be started");
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
        return;
    }
    assert_eq!(devices(), []);
    assert_eq!(told(Which::Vulkan(0)), "no driver for Vulkan was found");
    assert!(told(Which::Default).starts_with("neither a GPU nor a graphics driver"));
}

#[test]
fn devices_that_are_not_there_are_unavailable() {
    let why = told(Which::Vulkan(1_000));
    assert!(why.contains("none of number 1000") || why.contains("no driver for Vulkan"), "{why}");
    let why = told(Which::Cuda(1_000));
    assert!(why.contains("CUDA"), "{why}");
}

/// What this program was built without is an error, not something that is missing from it.
#[test]
fn what_is_not_built_in_is_unavailable() {
    for (which, feature) in [(Which::Cuda(0), "cuda"), (Which::Cpu, "cpu")] {
        match GpuDevice::open(which) {
            // Built with this feature.
            Ok(_) => {}
            Err(DeviceError::Unavailable(why)) => {
                let off = format!("the feature `{feature}` of `odeon-gpu` is off");
                assert!(why.contains(&off) || why.contains("no device or no driver"), "{why}");
            }
            Err(other) => panic!("{other}"),
        }
    }
}
