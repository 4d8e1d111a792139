//! Which devices kernels can run on here.

use crate::kmeans::ByCuda;
use crate::parameter::{Parameter, Params};
use odeon_device::DeviceError;
use odeon_gpu::{Found, Which, devices};
use std::sync::OnceLock;

/// Those that were found. WHY once: each is opened to see what it is, and a run shall not wait for that.
static FOUND: OnceLock<Vec<Found>> = OnceLock::new();

/// What is missing for CUDA C, in words.
static CUDA_MISSING: OnceLock<Option<String>> = OnceLock::new();

/// The parameter that says which of them may be taken.
pub(crate) const DEVICE: Parameter =
    Parameter::word("device", "which device: any, or a GPU only", &["any", GPU]).outside_floor();

const GPU: &str = "gpu";

/// The first device of those that the [parameter](DEVICE) allows.
///
/// # Errors
/// What is missing, in words.
pub(crate) fn chosen(params: &Params) -> Result<Which, String> {
    first_found(must_be_gpu(params))
}

/// The first device; or the first that is a GPU.
///
/// # Errors
/// What is missing, in words.
pub(crate) fn first_found(must_be_gpu: bool) -> Result<Which, String> {
    first(FOUND.get_or_init(devices), must_be_gpu)
}

/// Whether that one is the processor, whose driver computes kernels.
pub(crate) fn is_processor(which: Which) -> bool {
    FOUND.get_or_init(devices).iter().any(|found| found.which == which && found.is_processor)
}

/// What is missing for CUDA C, in words; what else is wrong with it shall be seen when it is run.
pub(crate) fn cuda_missing() -> Option<String> {
    let missing = CUDA_MISSING.get_or_init(|| match ByCuda::open() {
        Err(DeviceError::Unavailable(why)) => Some(format!("no GPU here: {why}")),
        _ => None,
    });
    missing.clone()
}

/// Whether the [parameter](DEVICE) allows GPUs only.
pub(crate) fn must_be_gpu(params: &Params) -> bool {
    params.word(DEVICE.name) == GPU
}

fn first(all: &[Found], must_be_gpu: bool) -> Result<Which, String> {
    let found = all.iter().find(|found| !must_be_gpu || !found.is_processor);
    found.map(|found| found.which).ok_or_else(|| match must_be_gpu {
        true => "no GPU here".to_owned(),
        false => "no GPU here, and no driver that stands in for one".to_owned(),
    })
}

/// The device of a test, which says so where there is none. Not by `println`: of tests that pass the harness shows nothing.
#[cfg(test)]
pub(crate) fn device_for(test: &str) -> Option<Which> {
    use std::io::Write;
    first(FOUND.get_or_init(devices), false)
        .inspect_err(|why| _ = writeln!(std::io::stderr(), "skipped: {test}: {why}"))
        .ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_processor_computes_is_no_gpu() {
        let found = |which, is_processor| Found { which, name: String::new(), is_processor };
        let both = [found(Which::Vulkan(0), true), found(Which::Vulkan(1), false)];
        assert_eq!(first(&both, false), Ok(Which::Vulkan(0)));
        assert_eq!(first(&both, true), Ok(Which::Vulkan(1)));
        assert_eq!(first(&both[..1], true), Err("no GPU here".to_owned()));
        assert!(first(&[], false).is_err_and(|why| why.contains("no driver")));
    }
}
