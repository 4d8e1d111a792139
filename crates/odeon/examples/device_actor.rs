//! An actor whose state lies in the memory of a GPU: readings of a sensor are added to a histogram
//! there, many messages in one launch. Where there is no GPU, the same actor does it on the
//! processor.
//!
//! `cargo run -p odeon --features gpu --example device_actor`

use odeon::device::{
    Batch, Batching, Device, DeviceActor, DeviceContext, DeviceError, HostDevice, SpawnOnDevice,
};
use odeon::gpu::{GpuDevice, Which, cubecl};
use odeon::prelude::*;

use cubecl::prelude::*;

const BINS: usize = 8;

/// One function for every device that CubeCL reaches. A unit counts for one bin, so no two write to
/// the same place.
#[cube(launch)]
fn count(readings: &[u32], bins: &mut [u32]) {
    if ABSOLUTE_POS < bins.len() {
        for reading in 0..readings.len() {
            if readings[reading] as usize == ABSOLUTE_POS {
                bins[ABSOLUTE_POS] += 1;
            }
        }
    }
}

/// What the actor wants of a device beyond memory.
trait Counts: Device {
    fn count(&mut self, readings: &[u32], bins: &mut Self::Buffer) -> Result<(), DeviceError>;
}

impl Counts for GpuDevice {
    fn count(&mut self, readings: &[u32], bins: &mut Self::Buffer) -> Result<(), DeviceError> {
        let readings = self.upload_slice(readings)?;
        self.launch(|on| {
            let (cubes, cube) = on.over(BINS);
            let (readings, bins) = (on.input::<u32>(&readings), on.output::<u32>(bins));
            count::launch(on.client(), cubes, cube, readings, bins);
        })?;
        // What is wrong with a launch is known when it was waited for; messages are taken after
        // that.
        self.synchronize()
    }
}

impl Counts for HostDevice {
    fn count(&mut self, readings: &[u32], bins: &mut Self::Buffer) -> Result<(), DeviceError> {
        self.launch(|| {
            let bins = bins.as_mut_slice::<u32>();
            readings.iter().for_each(|&reading| bins[reading as usize] += 1);
        });
        Ok(())
    }
}

enum Sensor {
    Reading(u32),
    Histogram(Reply<Vec<u32>>),
}

impl Message for Sensor {}

struct Histogram<D: Device> {
    bins: D::Buffer,
}

impl<D: Counts> DeviceActor for Histogram<D> {
    type Msg = Sensor;
    type Device = D;

    fn handle(
        &mut self,
        batch: &mut Batch<'_, Sensor>,
        device: &mut D,
        _ctx: &mut DeviceContext<'_, Self>,
    ) -> Result<(), DeviceError> {
        if let [Sensor::Histogram(_)] = batch.messages() {
            let mut bytes = [0; 4 * BINS];
            device.download(&self.bins, &mut bytes)?;
            let words = bytes.chunks_exact(4);
            let bins: Vec<u32> =
                words.map(|word| u32::from_ne_bytes(word.try_into().expect("4 bytes"))).collect();
            batch.finish(|message| {
                if let Sensor::Histogram(reply) = message {
                    reply.send(bins.clone());
                }
            });
            return Ok(());
        }
        let readings = batch.messages().iter().filter_map(|message| match message {
            Sensor::Reading(reading) => Some(*reading),
            Sensor::Histogram(_) => None,
        });
        device.count(&readings.collect::<Vec<_>>(), &mut self.bins)?;
        batch.finish(|_counted| {});
        Ok(())
    }

    /// A question is answered with what was counted before it.
    fn is_alone(message: &Sensor) -> bool {
        matches!(message, Sensor::Histogram(_))
    }
}

fn histogram_on<D: Counts>(
    theater: &Theater,
    open: impl Fn() -> Result<D, DeviceError> + Send + Sync + 'static,
) -> Result<Vec<u32>, Box<dyn std::error::Error>> {
    let sensor = theater.spawn_device("histogram", Batching::new(), move || {
        let mut device = open()?;
        Ok((Histogram { bins: device.upload(&[0; 4 * BINS])? }, device))
    })?;
    for reading in 0..1_000 {
        sensor.send(Sensor::Reading(reading * reading % BINS as u32))?;
    }
    Ok(sensor.ask(Sensor::Histogram).wait()?)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let theater = Theater::new()?;
    let bins = match GpuDevice::open(Which::Default) {
        Ok(gpu) => {
            eprintln!("on {}", gpu.name());
            histogram_on(&theater, || GpuDevice::open(Which::Default))?
        }
        Err(why) => {
            eprintln!("on the processor: {why}");
            histogram_on(&theater, || Ok(HostDevice::new(1 << 20)))?
        }
    };
    for (bin, readings) in bins.iter().enumerate() {
        println!("{bin}: {readings}");
    }
    Ok(())
}
