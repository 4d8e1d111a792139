//! What is asked of the driver's library.

use crate::unavailable::{Cause, Unavailable};
use nvml_wrapper::Nvml;
use nvml_wrapper::error::NvmlError;

/// What is asked; answered by another one in tests.
pub(super) trait Library: Send {
    /// How many GPUs there are.
    fn count(&self) -> Result<u32, Unavailable>;

    /// What one is called.
    fn gpu(&self, index: u32) -> Result<Gpu, Unavailable>;

    /// What its energy counter shows.
    fn millijoules(&self, index: u32) -> Result<u64, Unavailable>;
}

pub(super) struct Gpu {
    pub(super) name: String,
    pub(super) identity: String,
    /// The limit that it keeps to, if it tells one.
    pub(super) limit_watts: Option<f64>,
}

/// The library of the driver that is installed.
pub(super) struct Driver(Nvml);

impl Driver {
    pub(super) fn load() -> Result<Self, Unavailable> {
        let no_driver = |error: NvmlError| {
            let (cause, sentence) = match &error {
                NvmlError::LibloadingError(_) | NvmlError::LibraryNotFound => (
                    Cause::NotThere,
                    format!(
                        "no NVIDIA driver is installed, or its library libnvidia-ml is not found: {error}"
                    ),
                ),
                NvmlError::DriverNotLoaded => {
                    (Cause::NotThere, "the NVIDIA driver is installed and not running".to_owned())
                }
                // There may be a GPU behind it.
                _ => (Cause::Failed, format!("the NVIDIA driver does not answer: {error}")),
            };
            Unavailable::new(cause, sentence)
        };
        Nvml::init().map(Self).map_err(no_driver)
    }
}

impl Library for Driver {
    fn count(&self) -> Result<u32, Unavailable> {
        self.0.device_count().map_err(|error| failed("the number of GPUs", &error))
    }

    fn gpu(&self, index: u32) -> Result<Gpu, Unavailable> {
        let asked = || {
            let gpu = self.0.device_by_index(index)?;
            let limit =
                gpu.enforced_power_limit().or_else(|_| gpu.power_management_limit_default());
            let limit_watts = limit.ok().filter(|limit| *limit > 0);
            let limit_watts = limit_watts.map(|milliwatts| f64::from(milliwatts) * 1e-3);
            Ok(Gpu { name: gpu.name()?, identity: gpu.uuid()?, limit_watts })
        };
        asked().map_err(|error| failed(&format!("GPU {index}"), &error))
    }

    fn millijoules(&self, index: u32) -> Result<u64, Unavailable> {
        let asked = self.0.device_by_index(index).and_then(|gpu| gpu.total_energy_consumption());
        asked.map_err(|error| failed(&format!("the energy of GPU {index}"), &error))
    }
}

fn failed(what: &str, error: &NvmlError) -> Unavailable {
    match error {
        NvmlError::NotSupported | NvmlError::FailedToLoadSymbol(_) => Unavailable::new(
            Cause::NotSupported,
            format!(
                "{what} is not counted: GPUs before Volta, shares of a GPU, and old drivers do not"
            ),
        ),
        NvmlError::GpuLost => {
            Unavailable::new(Cause::Failed, format!("{what} is not known: the GPU is lost"))
        }
        _ => Unavailable::new(Cause::Failed, format!("{what} is not known: {error}")),
    }
}
