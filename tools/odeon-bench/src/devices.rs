//! Which devices the parameters of a run allow.

use crate::parameter::{Parameter, Params};
use odeon_device::DeviceError;
use odeon_example_iterative::devices::{first_found, told as told_of};
use odeon_example_kmeans::ByCuda;
use odeon_gpu::Which;
use std::sync::OnceLock;

pub(crate) use odeon_example_iterative::devices::{all_told, is_processor, told_if_open};

/// What is missing for CUDA C, in words.
static CUDA_MISSING: OnceLock<Option<String>> = OnceLock::new();

/// The parameter that says which of them may be taken.
pub(crate) const WHICH: Parameter =
    Parameter::word("device", "which device: any, or a GPU only", &["any", GPU]);

/// The same where the floor has no device.
pub(crate) const DEVICE: Parameter = WHICH.outside_floor();

const GPU: &str = "gpu";

/// The first device of those that the [parameter](WHICH) allows.
///
/// # Errors
/// What is missing, in words.
pub(crate) fn chosen(params: &Params) -> Result<Which, String> {
    first_found(must_be_gpu(params))
}

/// What kernels run on in a run of these parameters, in words: whether it is a GPU.
pub(crate) fn told(params: &Params) -> Option<String> {
    Some(format!("Kernels run on {}.", told_of(chosen(params).ok()?)?))
}

/// What is missing for CUDA C, in words; what else is wrong with it shall be seen when it is run.
pub(crate) fn cuda_missing() -> Option<String> {
    let missing = CUDA_MISSING.get_or_init(|| match ByCuda::open() {
        Err(DeviceError::Unavailable(why)) => Some(format!("no GPU here: {why}")),
        _ => None,
    });
    missing.clone()
}

/// Whether the [parameter](WHICH) allows GPUs only.
pub(crate) fn must_be_gpu(params: &Params) -> bool {
    params.word(WHICH.name) == GPU
}
