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

/// What kernels run on in a run of these parameters, in words: whether it is a GPU.
pub(crate) fn told(params: &Params) -> Option<String> {
    let which = chosen(params).ok()?;
    let found = FOUND.get_or_init(devices).iter().find(|found| found.which == which)?;
    Some(format!("Kernels run on {}.", in_words(found)))
}

/// All devices that kernels can run on here, in words.
pub(crate) fn all_told() -> String {
    all_in_words(FOUND.get_or_init(devices))
}

/// The same if something has looked for them before.
pub(crate) fn told_if_open() -> Option<String> {
    FOUND.get().map(|found| all_in_words(found))
}

fn all_in_words(found: &[Found]) -> String {
    let all: Vec<String> = found.iter().map(in_words).collect();
    if all.is_empty() { "none".to_owned() } else { all.join("; ") }
}

fn in_words(found: &Found) -> String {
    let kind = if found.is_processor { "no GPU: the processor stands in for one" } else { "a GPU" };
    format!("{}, {kind}", found.name)
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
        let named =
            |is_processor| Found { name: "X".to_owned(), ..found(Which::Cpu, is_processor) };
        assert_eq!(in_words(&named(false)), "X, a GPU");
        assert_eq!(in_words(&named(true)), "X, no GPU: the processor stands in for one");
        let both = [found(Which::Vulkan(0), true), found(Which::Vulkan(1), false)];
        assert_eq!(first(&both, false), Ok(Which::Vulkan(0)));
        assert_eq!(first(&both, true), Ok(Which::Vulkan(1)));
        assert_eq!(first(&both[..1], true), Err("no GPU here".to_owned()));
        assert!(first(&[], false).is_err_and(|why| why.contains("no driver")));
    }
}
