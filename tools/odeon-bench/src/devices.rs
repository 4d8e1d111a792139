//! Which devices kernels can run on here.

use odeon_gpu::{Found, Which, devices};
use std::sync::OnceLock;

/// Those that were found. WHY once: each is opened to see what it is, and a run shall not wait for that.
pub(crate) struct Devices(OnceLock<Vec<Found>>);

impl Devices {
    pub(crate) const fn new() -> Self {
        Self(OnceLock::new())
    }

    fn all(&self) -> &[Found] {
        self.0.get_or_init(devices)
    }

    /// The first one; or the first that is a GPU.
    ///
    /// # Errors
    /// What is missing, in words.
    pub(crate) fn first(&self, must_be_gpu: bool) -> Result<Which, String> {
        first(self.all(), must_be_gpu)
    }
}

fn first(all: &[Found], must_be_gpu: bool) -> Result<Which, String> {
    let found = all.iter().find(|found| !must_be_gpu || !found.is_processor);
    found.map(|found| found.which).ok_or_else(|| match must_be_gpu {
        true => "no GPU here".to_owned(),
        false => "no GPU here, and no driver that stands in for one".to_owned(),
    })
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
