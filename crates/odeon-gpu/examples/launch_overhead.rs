//! What a launch costs: by CubeCL alone, through a session, and by a device actor. All in short turns, so that what else the machine does
//! meets all of them; medians of the rounds, and of what each round says of the difference.
//!
//! `cargo run --release -p odeon-gpu --example launch_overhead`

use std::time::{Duration, Instant};

use cubecl::client::Client;
use cubecl::prelude::*;
use cubecl::server::Handle;
use odeon_core::{Message, Reply, Theater};
use odeon_device::{
    Batch, Batching, Device, DeviceActor, DeviceContext, DeviceError, SpawnOnDevice,
};
use odeon_gpu::{GpuBuffer, GpuDevice, Which, cubecl};

const ROUNDS: usize = 301;
const LAUNCHES: u32 = 30;

#[cube(launch)]
fn add_one(words: &mut [u32]) {
    if ABSOLUTE_POS < words.len() {
        words[ABSOLUTE_POS] += 1;
    }
}

/// By CubeCL alone: what any program has to pay.
fn bare(client: &Client, words: &Handle) {
    // SAFETY: the buffer has 64 words.
    let argument = unsafe { BufferArg::from_raw_parts(words.clone(), 64) };
    add_one::launch(client, CubeCount::Static(1, 1, 1), CubeDim::new_1d(64), argument);
}

fn wait_bare(client: &Client) {
    cubecl::future::block_on(client.sync()).expect("the kernel is right");
}

fn through_session(gpu: &mut GpuDevice, words: &mut GpuBuffer) -> Result<(), DeviceError> {
    gpu.launch(|on| {
        let (count, dim) = (CubeCount::Static(1, 1, 1), CubeDim::new_1d(64));
        add_one::launch(on.client(), count, dim, on.output::<u32>(words));
    })
}

enum Launch {
    Only,
    AndWait,
    AndTell(Reply<()>),
}

impl Message for Launch {}

struct Launcher {
    words: GpuBuffer,
}

impl DeviceActor for Launcher {
    type Msg = Launch;
    type Device = GpuDevice;

    fn handle(
        &mut self,
        batch: &mut Batch<'_, Launch>,
        gpu: &mut GpuDevice,
        _ctx: &mut DeviceContext<'_, Self>,
    ) -> Result<(), DeviceError> {
        through_session(gpu, &mut self.words)?;
        if !matches!(batch.messages(), [Launch::Only]) {
            gpu.synchronize()?;
        }
        batch.finish(|message| {
            if let Launch::AndTell(reply) = message {
                reply.send(());
            }
        });
        Ok(())
    }
}

/// In microseconds.
fn median(samples: impl IntoIterator<Item = f64>) -> f64 {
    let mut samples: Vec<f64> = samples.into_iter().collect();
    samples.sort_by(f64::total_cmp);
    samples[samples.len() / 2] * 1e6
}

fn timed(work: impl FnOnce()) -> f64 {
    let begun = Instant::now();
    work();
    begun.elapsed().as_secs_f64() / f64::from(LAUNCHES)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut gpu = match GpuDevice::open(Which::Default) {
        Ok(gpu) => gpu,
        Err(why) => {
            println!("skipped: {why}");
            return Ok(());
        }
    };
    println!("device: {}", gpu.name());
    // The same connection to the driver.
    let mut client = None;
    gpu.launch(|on| client = Some(on.client().clone()))?;
    let client = client.expect("it was just set");
    let handle = client.create_from_slice(&[0; 256]);
    let mut words = gpu.upload_slice(&[0u32; 64])?;

    let theater = Theater::new()?;
    // One message a batch: a launch for each, as in the two loops beside it.
    let batching = Batching::new().at_most(1).window(Duration::ZERO);
    let launcher = theater.spawn_device("launcher", batching, || {
        let mut gpu = GpuDevice::open(Which::Default)?;
        Ok((Launcher { words: gpu.upload_slice(&[0u32; 64])? }, gpu))
    })?;
    launcher.ask(Launch::AndTell).wait()?;

    for wait in [true, false] {
        let (mut alone, mut session, mut actor) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            alone.push(timed(|| {
                for n in 1..=LAUNCHES {
                    bare(&client, &handle);
                    if wait || n == LAUNCHES {
                        wait_bare(&client);
                    }
                }
            }));
            session.push(timed(|| {
                for n in 1..=LAUNCHES {
                    through_session(&mut gpu, &mut words).expect("it works");
                    if wait || n == LAUNCHES {
                        gpu.synchronize().expect("it works");
                    }
                }
            }));
            actor.push(timed(|| {
                for _ in 1..LAUNCHES {
                    let message = if wait { Launch::AndWait } else { Launch::Only };
                    launcher.send(message).expect("it is there");
                }
                launcher.ask(Launch::AndTell).wait().expect("it is there");
            }));
        }
        let waits = if wait { "each waited for" } else { "the last one waited for" };
        println!(
            "{LAUNCHES} launches, {waits}: us a launch, median of {ROUNDS} rounds and of their differences"
        );
        for (what, times) in [("bare", &alone), ("session", &session), ("device actor", &actor)] {
            let differences = times.iter().zip(&alone).map(|(time, alone)| time - alone);
            println!(
                "{what:>14} {:9.2} {:+9.2}",
                median(times.iter().copied()),
                median(differences)
            );
        }
    }
    Ok(())
}
