//! Which devices there are, and how one is reached.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

use cubecl::Device as Reachable;
use cubecl::client::Client;
use cubecl::device::{DeviceUnavailable, WgpuBackend, WgpuDevice, WgpuDeviceKind};
use cubecl_environment::future::block_on;
use odeon_device::DeviceError;

/// Which device a session is with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Which {
    /// The first of these that there is and that works: a GPU by CUDA; a GPU by the graphics
    /// interface of the system; the processor by kernels compiled for it; a graphics driver that
    /// computes on the processor.
    #[default]
    Default,
    /// The GPU of this number by Vulkan: discrete ones first, what is no GPU last.
    Vulkan(usize),
    /// The GPU of this number by CUDA. Only where the feature `cuda` of `odeon-gpu` is on.
    Cuda(usize),
    /// The processor, by kernels compiled for it. Only where the feature `cpu` of `odeon-gpu` is
    /// on.
    Cpu,
}

/// A device that is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// What opens it.
    pub which: Which,
    /// As [`GpuDevice::name`](odeon_device::Device::name) will say.
    pub name: String,
    /// Whether the processor computes what is launched there.
    pub is_processor: bool,
}

/// All devices that this program can open, each once by each way that leads to it. Each is opened,
/// to ask for its name: that takes some tens of milliseconds the first time.
pub fn devices() -> Vec<Found> {
    let named = |which| Some((which, candidates(which).ok()?.pop()?));
    let cuda = (0..).map(Which::Cuda).map_while(named);
    let vulkan = vulkan().into_iter().enumerate();
    let vulkan = vulkan.map(|(n, device)| (Which::Vulkan(n), Reachable::Wgpu(device)));
    let cpu = named(Which::Cpu);
    cuda.chain(vulkan)
        .chain(cpu)
        .filter_map(|(which, device)| {
            let client = client(&device).ok()?;
            let name = format!("{} ({})", client.properties().identity.name, client.name());
            Some(Found { which, name, is_processor: is_processor(&device) })
        })
        .collect()
}

/// A client of that device, which works.
pub(crate) fn reach(which: Which) -> Result<Client, DeviceError> {
    first_that_works(candidates(which)?, working)
}

/// What the first of `candidates` leads to that works; if none does, why the best one does not.
fn first_that_works<D, T>(
    candidates: Vec<D>,
    reach: impl Fn(&D) -> Result<T, DeviceError>,
) -> Result<T, DeviceError> {
    let mut first = None;
    for candidate in candidates {
        match reach(&candidate) {
            Ok(reached) => return Ok(reached),
            Err(error) => _ = first.get_or_insert(error),
        }
    }
    Err(first.expect("there is at least one candidate"))
}

/// A client of the device, which has answered.
fn working(device: &Reachable) -> Result<Client, DeviceError> {
    let reached = client(device)?;
    match block_on(reached.sync()) {
        Ok(()) => Ok(reached),
        Err(error) if error.is_device_poisoned() => {
            anew(device, reached.properties().identity.name.as_str())
        }
        Err(error) => Err(DeviceError::Unavailable(format!("{device:?} does not work: {error}"))),
    }
}

/// A device that was lost, once more.
///
/// WHY: CubeCL keeps the connection to a lost device as long as the process lives, and has one for
/// each of the names that a device has. There is no way to end one: a thread of it that ends takes
/// the process with it. So another name is looked for that leads to the same device.
fn anew(lost: &Reachable, called: &str) -> Result<Client, DeviceError> {
    let works = |client: &Client| {
        client.properties().identity.name == called && block_on(client.sync()).is_ok()
    };
    let is_only = is_only_one(&names_of_all(), called);
    let mut reached = names(lost)
        .filter(|device| is_only || !is_any(device))
        .filter_map(|device| client(&device).ok());
    reached.find(works).ok_or_else(|| {
        DeviceError::Unavailable(format!("{called} was lost more often than one process can stand"))
    })
}

/// What the devices of Vulkan are called.
fn names_of_all() -> Vec<String> {
    let clients = vulkan().into_iter().filter_map(|it| client(&Reachable::Wgpu(it)).ok());
    clients.map(|client| client.properties().identity.name.to_string()).collect()
}

/// Whether the name tells this device from all others.
fn is_only_one(all: &[String], called: &str) -> bool {
    all.iter().filter(|name| *name == called).count() <= 1
}

/// Whether this says of no device in particular that it is meant: nothing but what it is called
/// tells then which one it has led to.
fn is_any(device: &Reachable) -> bool {
    matches!(device, Reachable::Wgpu(it) if it.kind == WgpuDeviceKind::DefaultDevice)
}

/// Other names of a device, and of others perhaps.
fn names(device: &Reachable) -> impl Iterator<Item = Reachable> {
    let graphics = match device {
        Reachable::Wgpu(graphics) => Some(graphics.clone()),
        _ => None,
    };
    graphics.into_iter().flat_map(|graphics| {
        // What was asked for on Vulkan is not looked for elsewhere.
        let interfaces = [graphics.backend, WgpuBackend::Vulkan];
        let kinds = [graphics.kind, WgpuDeviceKind::DefaultDevice];
        let pairs = interfaces.into_iter().flat_map(move |interface| {
            kinds.clone().into_iter().map(move |kind| (interface, kind))
        });
        pairs.filter_map(|(interface, kind)| {
            Reachable::wgpu(kind).and_then(|it| it.on(interface)).ok()
        })
    })
}

/// What `Which::Default` may be, the best first; at least one.
fn by_rank() -> Result<Vec<Reachable>, DeviceError> {
    let rank = |device: &Reachable| match device {
        Reachable::Cuda(_) => 0,
        Reachable::Wgpu(device) if device.kind == WgpuDeviceKind::Cpu => 4,
        Reachable::Wgpu(device) => match device.kind {
            WgpuDeviceKind::DiscreteGpu(_) => 1,
            _ => 2,
        },
        _ => 3,
    };
    let mut all: Vec<Reachable> = Reachable::enumerate_all().into_iter().collect();
    // Stable: of several alike the first one.
    all.sort_by_key(rank);
    if all.is_empty() {
        return Err(DeviceError::Unavailable(
            "neither a GPU nor a graphics driver that stands in for one was found; on Linux a \
             driver for Vulkan is wanted, such as Mesa's"
                .to_owned(),
        ));
    }
    Ok(all)
}

/// What this may lead to, the best first; at least one.
fn candidates(which: Which) -> Result<Vec<Reachable>, DeviceError> {
    let device = match which {
        Which::Default => return by_rank(),
        Which::Cuda(n) => Reachable::cuda(n).map_err(|why| unavailable("CUDA", "cuda", n, why)),
        Which::Cpu => {
            Reachable::cpu().map_err(|why| unavailable("kernels for the processor", "cpu", 0, why))
        }
        Which::Vulkan(n) => {
            let all = vulkan();
            let device = all.get(n).cloned().ok_or_else(|| {
                DeviceError::Unavailable(match all.len() {
                    0 => "no driver for Vulkan was found".to_owned(),
                    found => format!("Vulkan has {found} devices, and none of number {n}"),
                })
            })?;
            Ok(Reachable::Wgpu(device))
        }
    };
    device.map(|device| vec![device])
}

fn unavailable(what: &str, feature: &str, n: usize, why: DeviceUnavailable) -> DeviceError {
    DeviceError::Unavailable(match why {
        DeviceUnavailable::NotLinked(_) => {
            format!(
                "this program was built without {what}: the feature `{feature}` of `odeon-gpu` is off"
            )
        }
        DeviceUnavailable::NoSuchDevice { available: 0, .. } => {
            format!("no device or no driver for {what} was found")
        }
        DeviceUnavailable::NoSuchDevice { available, .. } => {
            format!("{what} has {available} devices, and none of number {n}")
        }
    })
}

/// The devices of Vulkan, the fastest kinds first.
fn vulkan() -> Vec<WgpuDevice> {
    use WgpuDeviceKind::{Cpu, DiscreteGpu, IntegratedGpu, Other, VirtualGpu};
    [DiscreteGpu(0), IntegratedGpu(0), VirtualGpu(0), Other(0), Cpu]
        .into_iter()
        .flat_map(|kind| {
            let first = Reachable::Wgpu(WgpuDevice::new(kind).on(WgpuBackend::Vulkan));
            Reachable::enumerate(first.to_id()).into_iter().map(Reachable::from_id)
        })
        .filter_map(|device| match device {
            Reachable::Wgpu(device) => Some(device),
            _ => None,
        })
        .collect()
}

fn is_processor(device: &Reachable) -> bool {
    match device {
        Reachable::Cpu(_) => true,
        Reachable::Wgpu(device) => device.kind == WgpuDeviceKind::Cpu,
        _ => false,
    }
}

/// A client of the device. CubeCL makes the connection when it is asked for the first one.
fn client(device: &Reachable) -> Result<Client, DeviceError> {
    // WHY: CubeCL panics if a driver that is there does not work.
    catch_unwind(AssertUnwindSafe(|| device.client())).map_err(|panic| {
        let why = crate::fault::of_panic(panic, 0).to_string();
        DeviceError::Unavailable(format!("{device:?} does not work: {why}"))
    })
}

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}", self.which, self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_two_devices_have_tells_neither() {
        let all = ["NVIDIA H100", "NVIDIA H100", "llvmpipe"].map(str::to_owned);
        assert!(!is_only_one(&all, "NVIDIA H100") && is_only_one(&all, "llvmpipe"));
        assert!(is_any(&Reachable::Wgpu(WgpuDevice::new(WgpuDeviceKind::DefaultDevice))));
        assert!(!is_any(&Reachable::Wgpu(WgpuDevice::new(WgpuDeviceKind::DiscreteGpu(1)))));
    }

    #[test]
    fn the_default_is_the_best_one_that_works() {
        let reach = |works: u32| {
            move |number: &u32| match *number == works {
                true => Ok(*number),
                false => Err(DeviceError::Unavailable(format!("{number} does not work"))),
            }
        };
        assert_eq!(first_that_works(vec![1, 2, 3], reach(1)), Ok(1));
        assert_eq!(first_that_works(vec![1, 2, 3], reach(3)), Ok(3));
        let why = DeviceError::Unavailable("1 does not work".into());
        assert_eq!(first_that_works(vec![1, 2, 3], reach(4)), Err(why));
    }
}
