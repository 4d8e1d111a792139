//! Which devices kernels can run on here.

use odeon_gpu::{Found, Which, devices};
use std::io::Write;
use std::sync::OnceLock;

/// Those that were found. WHY once: each is opened to see what it is, and a run shall not wait for
/// that.
static FOUND: OnceLock<Vec<Found>> = OnceLock::new();

/// The first device; or the first that is a GPU.
///
/// # Errors
/// What is missing, in words.
pub fn first_found(must_be_gpu: bool) -> Result<Which, String> {
    first(FOUND.get_or_init(devices), must_be_gpu)
}

/// Whether that one is the processor, whose driver computes kernels.
pub fn is_processor(which: Which) -> bool {
    FOUND.get_or_init(devices).iter().any(|found| found.which == which && found.is_processor)
}

/// That one in words: whether it is a GPU.
pub fn told(which: Which) -> Option<String> {
    let found = FOUND.get_or_init(devices).iter().find(|found| found.which == which);
    found.map(in_words)
}

/// All devices that kernels can run on here, in words.
pub fn all_told() -> String {
    all_in_words(FOUND.get_or_init(devices))
}

/// The same if something has looked for them before.
pub fn told_if_open() -> Option<String> {
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

fn first(all: &[Found], must_be_gpu: bool) -> Result<Which, String> {
    let found = all.iter().find(|found| !must_be_gpu || !found.is_processor);
    found.map(|found| found.which).ok_or_else(|| match must_be_gpu {
        true => "no GPU here".to_owned(),
        false => "no GPU here, and no driver that stands in for one".to_owned(),
    })
}

/// The device of a test, which says so where there is none. Not by `println`: of tests that pass
/// the harness shows nothing.
pub fn device_for(test: &str) -> Option<Which> {
    first_found(false)
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
