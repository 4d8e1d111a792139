//! `launch`: what a device actor adds to a launch.

mod by_kernels;
mod on_host;

use crate::devices;
use crate::workload::prelude::*;
use by_kernels::ByKernels;
use odeon::prelude::*;
use odeon_device::{
    Batch, Batching, Device, DeviceActor, DeviceContext, DeviceError, SpawnOnDevice,
};
use on_host::OnHost;
use std::time::Duration;

/// See the module.
pub(super) static LAUNCHES: Workload = Workload {
    summary: "messages of which each has a device actor launch a kernel",
    operation: "launch",
    floor_is: "the same kernel launched in a loop by what is below the session",
    parameters: &[
        Parameter::word(
            "way",
            "what is launched: a closure in the memory of the process, a kernel on a device",
            &[HOST, KERNEL],
        ),
        devices::WHICH,
        Parameter::number("launches", "messages", 1, 1_000_000_000, 5_000),
        Parameter::word("wait", "which launches are waited for", &[EACH, LAST]),
        Parameter::number("batch", "messages of one launch at most", 1, 1_000_000, 1)
            .outside_floor(),
        WORKERS,
    ],
    opens_devices: true,
    missing,
    note,
    ..Workload::new("launch", run, floor)
};

const HOST: &str = "host";
const KERNEL: &str = "kernel";
const EACH: &str = "each";
const LAST: &str = "last";

fn missing(params: &Params) -> Option<String> {
    (params.word("way") == KERNEL).then(|| devices::chosen(params).err()).flatten()
}

fn note(params: &Params) -> Option<String> {
    (params.word("way") == KERNEL).then(|| devices::told(params)).flatten()
}

fn run(_variant: Variant, params: &Params) -> Result<Measured, BenchError> {
    match params.word("way") {
        HOST => by_actor(params, OnHost::open),
        _ => {
            let which = chosen(params)?;
            by_actor(params, move || ByKernels::open(which))
        }
    }
}

fn floor(params: &Params) -> Result<Measured, BenchError> {
    match params.word("way") {
        HOST => bare(params, on_host::Bare::new()),
        _ => bare(params, by_kernels::Bare::new(chosen(params)?).map_err(runtime)?),
    }
}

fn chosen(params: &Params) -> Result<odeon_gpu::Which, BenchError> {
    devices::chosen(params).map_err(BenchError::Runtime)
}

/// What launches through a session. The kernel counts on the device, so that no launch can be left
/// out.
trait Launcher: Sized + Send + 'static {
    type Device: Device;

    /// Adds `by` to the device's counter, by one launch.
    fn launch(&mut self, device: &mut Self::Device, by: u32) -> Result<(), DeviceError>;

    /// What the counter has come to.
    fn counted(&mut self, device: &mut Self::Device) -> Result<u32, DeviceError>;
}

/// What launches without a session, or by one that does nothing for it.
trait BareLauncher {
    fn launch(&mut self);
    fn wait(&mut self) -> Result<(), BenchError>;
    fn counted(&mut self) -> Result<u32, BenchError>;
}

#[derive(Message)]
enum LaunchCount {
    One,
    OneAndWait,
    Counted(Reply<u32>),
}

/// The device actor.
struct Counting<L>(L);

impl<L: Launcher> DeviceActor for Counting<L> {
    type Msg = LaunchCount;
    type Device = L::Device;

    fn handle(
        &mut self,
        batch: &mut Batch<'_, LaunchCount>,
        device: &mut L::Device,
        _ctx: &mut DeviceContext<'_, Self>,
    ) -> Result<(), DeviceError> {
        if let [LaunchCount::Counted(_)] = batch.messages() {
            let counted = self.0.counted(device)?;
            batch.finish(|message| {
                if let LaunchCount::Counted(reply) = message {
                    reply.send(counted);
                }
            });
            return Ok(());
        }
        self.0.launch(device, batch.len() as u32)?;
        if matches!(batch.messages().last(), Some(LaunchCount::OneAndWait)) {
            device.synchronize()?;
        }
        batch.finish(drop);
        Ok(())
    }

    fn is_alone(message: &LaunchCount) -> bool {
        matches!(message, LaunchCount::Counted(_))
    }
}

/// One launch before, which compiles the kernel, then all others; what is asked for at the end
/// waits for the last one.
fn by_actor<L: Launcher>(
    params: &Params,
    open: impl Fn() -> Result<(L, L::Device), DeviceError> + Send + Sync + 'static,
) -> Result<Measured, BenchError> {
    let launches = params.number("launches");
    let theater = theater(params)?;
    let batching = Batching::new().window(Duration::ZERO).at_most(params.count("batch"));
    let make = move || open().map(|(launcher, device)| (Counting(launcher), device));
    let actor = theater.spawn_device("launcher", batching, make).map_err(runtime)?;
    actor.send(LaunchCount::OneAndWait).map_err(runtime)?;
    actor.ask(LaunchCount::Counted).wait().map_err(runtime)?;

    let waits = params.word("wait") == EACH;
    let (measured, counted) = Measured::time(launches, || {
        for _ in 0..launches {
            let message = if waits { LaunchCount::OneAndWait } else { LaunchCount::One };
            actor.send(message).map_err(runtime)?;
        }
        actor.ask(LaunchCount::Counted).wait().map_err(runtime)
    });
    check(launches, counted?).map(|()| measured)
}

/// The same without a theater.
fn bare(params: &Params, mut launcher: impl BareLauncher) -> Result<Measured, BenchError> {
    let launches = params.number("launches");
    launcher.launch();
    launcher.wait()?;
    let waits = params.word("wait") == EACH;
    let (measured, counted) = Measured::time(launches, || {
        for _ in 0..launches {
            launcher.launch();
            if waits {
                launcher.wait()?;
            }
        }
        launcher.counted()
    });
    check(launches, counted?).map(|()| measured)
}

fn check(launches: u64, counted: u32) -> Result<(), BenchError> {
    let expected = (launches + 1) as u32;
    if counted == expected {
        return Ok(());
    }
    Err(BenchError::WrongResult(format!("the device counted {counted}, not {expected}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parameter::Value;
    use odeon_example_iterative::devices::device_for;

    fn runs(way: &'static str) {
        for wait in [EACH, LAST] {
            for batch in [1, 7] {
                let params = LAUNCHES
                    .defaults()
                    .with("way", Value::Word(way))
                    .with("wait", Value::Word(wait))
                    .with("batch", Value::Number(batch))
                    .with("launches", Value::Number(100));
                let measured = LAUNCHES.run(Variant::Pool, &params).expect("it runs");
                let floor = LAUNCHES.floor(&params).expect("it runs");
                assert_eq!((measured.ops, floor.ops), (100, 100), "{wait} {batch}");
            }
        }
    }

    #[test]
    fn every_launch_on_host_memory_is_counted() {
        runs(HOST);
    }

    #[test]
    fn every_launch_on_a_device_is_counted() {
        if device_for("every_launch_on_a_device_is_counted").is_some() {
            runs(KERNEL);
        }
    }

    #[test]
    fn a_launch_that_is_missing_is_told() {
        check(10, 11).expect("one more, which was not measured");
        assert!(check(10, 10).is_err());
    }
}
