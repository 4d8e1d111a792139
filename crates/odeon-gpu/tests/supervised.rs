//! What goes wrong on a GPU reaches who decides: the supervision of a device actor, the hook of a
//! pool. Nothing is lost by it.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use cubecl::device::{WgpuDevice, WgpuDeviceKind};
use cubecl::prelude::*;
use cubecl::wgpu::WgpuSetup;
use odeon_core::{Directive, Message, Reply, Theater};
use odeon_device::{
    BalancingPool, Batch, Batching, Device, DeviceActor, DeviceContext, DeviceError, DeviceFailure,
    Kind, Place, SpawnOnDevice, WorkerError, device_supervision,
};
use odeon_gpu::{GpuBuffer, GpuDevice, Kernel, KernelWorker, Which, Workbench, cubecl};

mod support;
use support::{is_only_one, setup_of_the_best, setup_on};

#[cube(launch)]
fn add_one(words: &mut [u32]) {
    if ABSOLUTE_POS < words.len() {
        words[ABSOLUTE_POS] += 1;
    }
}

/// What is to go wrong, the next time something is launched.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(u32)]
enum Fault {
    Nothing,
    Memory,
    Kernel,
    Loss,
}

/// The script of a test: each fault happens once.
#[derive(Clone)]
struct Script(Arc<AtomicU32>, Option<Arc<WgpuSetup>>);

impl Script {
    fn next(&self, fault: Fault) {
        self.0.store(fault as u32, Ordering::SeqCst);
    }

    /// A number and one more, by a kernel.
    fn add_one(&self, gpu: &mut GpuDevice, numbers: &[u32]) -> Result<Vec<u32>, DeviceError> {
        let fault = self.0.swap(Fault::Nothing as u32, Ordering::SeqCst);
        if fault == Fault::Memory as u32 {
            gpu.allocate(1 << 40)?;
        }
        let mut words = gpu.upload_slice(numbers)?;
        if fault == Fault::Loss as u32 {
            lose(self.1.as_ref().expect("only tried with a device that can be lost"));
        }
        launch(gpu, &mut words, numbers.len(), fault == Fault::Kernel as u32)?;
        let mut sums = vec![0; numbers.len()];
        gpu.download_slice(&words, &mut sums)?;
        Ok(sums)
    }
}

fn launch(
    gpu: &mut GpuDevice,
    words: &mut GpuBuffer,
    n: usize,
    wrong: bool,
) -> Result<(), DeviceError> {
    gpu.launch(|on| {
        let (count, dim) = on.over(n);
        // More units in a cube than any device has.
        let dim = if wrong { CubeDim::new_1d(1 << 16) } else { dim };
        add_one::launch(on.client(), count, dim, on.output::<u32>(words));
    })
}

fn lose(setup: &WgpuSetup) {
    setup.device.destroy();
    let _ = setup.device.poll(cubecl::wgpu::wgpu::PollType::wait_indefinitely());
}

/// Numbers to which one is added, with the answer.
struct Add(u32, Reply<u32>);
impl Message for Add {}

struct Adder(Script);

impl DeviceActor for Adder {
    type Msg = Add;
    type Device = GpuDevice;
    fn handle(
        &mut self,
        batch: &mut Batch<'_, Add>,
        gpu: &mut GpuDevice,
        _: &mut DeviceContext<'_, Self>,
    ) -> Result<(), DeviceError> {
        let numbers: Vec<u32> = batch.messages().iter().map(|Add(number, _)| *number).collect();
        let mut sums = self.0.add_one(gpu, &numbers)?.into_iter();
        batch.finish(|Add(_, reply)| reply.send(sums.next().expect("one for each")));
        Ok(())
    }
}

struct Pieces(Script);

impl Kernel for Pieces {
    type Work = u32;
    fn most_at_once(&self) -> usize {
        8
    }
    fn work(&mut self, bench: &mut Workbench, batch: &mut [u32]) -> Result<(), DeviceError> {
        let sums = self.0.add_one(bench.gpu(), batch)?;
        batch.copy_from_slice(&sums);
        Ok(())
    }
}

fn is(error: &DeviceError, fault: Fault) -> bool {
    match error {
        DeviceError::OutOfMemory { .. } => fault == Fault::Memory,
        DeviceError::Kernel(why) => fault == Fault::Kernel && !why.is_empty(),
        DeviceError::Lost(why) => fault == Fault::Loss && !why.is_empty(),
        _ => false,
    }
}

/// One test, in this order: a device is lost for the whole process.
#[test]
fn failures_reach_who_decides_and_nothing_is_lost() {
    const NAME: &str = "failures on a GPU under supervision";
    // The second one is the name by which the device is opened anew when it is lost by the first.
    let other = setup_on(&WgpuDevice::new(WgpuDeviceKind::DefaultDevice));
    let best = setup_of_the_best(NAME);
    if GpuDevice::open(Which::Default).is_err() {
        return;
    }
    let mut faults = vec![Fault::Memory, Fault::Kernel];
    let called = |setup: &WgpuSetup| setup.adapter.get_info().name;
    let [by_actor, by_pool] = match (best, other) {
        (Some((_, best)), Ok(other)) if called(&best) != called(&other) => {
            let why = format!("the default of wgpu is {}", called(&other));
            support::skipped("a lost device under supervision", &why);
            [None, None]
        }
        (Some((_, best)), Ok(other)) if is_only_one(NAME, &best) => {
            faults.push(Fault::Loss);
            [best, other].map(|setup| Some(Arc::new(setup)))
        }
        _ => [None, None],
    };
    in_an_actor(&Script(Arc::default(), by_actor), &faults);
    in_a_pool(&Script(Arc::default(), by_pool), &faults);
}

fn in_an_actor(script: &Script, faults: &[Fault]) {
    let theater = Theater::new().unwrap();
    let told = Arc::new(Mutex::new(Vec::new()));
    let note = told.clone();
    let policy = device_supervision().decide(move |failure| {
        let failure = DeviceFailure::of(failure).expect("the error itself");
        note.lock().unwrap().push((failure.error().clone(), failure.left()));
        Directive::Restart
    });
    let make = {
        let script = script.clone();
        move || Ok((Adder(script.clone()), GpuDevice::open(Which::Default)?))
    };
    let batching = Batching::new().window(Duration::from_millis(1));
    let adder = theater.spawn_device_supervised("adder", policy, batching, make).unwrap();
    let mut first = 0;
    for &fault in faults {
        script.next(fault);
        let asks: Vec<_> = (first..first + 20).map(|n| adder.ask(|reply| Add(n, reply))).collect();
        for (n, ask) in (first..).zip(asks) {
            assert_eq!(ask.wait().unwrap(), n + 1, "after {fault:?}");
        }
        first += 20;
        let told = std::mem::take(&mut *told.lock().unwrap());
        let [(error, left)] = &told[..] else { panic!("{fault:?}: {told:?}") };
        assert!(is(error, fault) && *left > 0, "{fault:?}: {error}, {left} left");
    }
    // It counts a batch after its answers.
    let until = Instant::now() + Duration::from_secs(30);
    while adder.stats().messages != u64::from(first) && Instant::now() < until {
        thread::yield_now();
    }
    let stats = adder.stats();
    assert_eq!(stats.messages, u64::from(first), "each was taken once: {stats}");
    assert_eq!(stats.failures, faults.len() as u64, "{stats}");
    assert_eq!(stats.sessions, 1 + faults.len() as u64, "{stats}");
}

fn in_a_pool(script: &Script, faults: &[Fault]) {
    let theater = Theater::new().unwrap();
    let told = Arc::new(Mutex::new(Vec::new()));
    let note = told.clone();
    let make = {
        let script = script.clone();
        move |_| Ok(KernelWorker::new(GpuDevice::open(Which::Default)?, Pieces(script.clone())))
    };
    let pool = BalancingPool::builder()
        .kind(Kind::new("gpu", Place::Device, 1, make))
        .on_failure(move |failure| {
            if let WorkerError::Error(error) = &failure.error {
                note.lock().unwrap().push(error.clone());
            }
        })
        .start(&theater)
        .unwrap();
    for &fault in faults {
        script.next(fault);
        let done = pool.submit_all((0..50).collect::<Vec<u32>>()).wait().unwrap();
        let done: Vec<u32> = done.into_iter().map(|piece| piece.expect("it is done")).collect();
        assert_eq!(done, (1..51).collect::<Vec<_>>(), "after {fault:?}");
        let until = Instant::now() + Duration::from_secs(60);
        while told.lock().unwrap().is_empty() && Instant::now() < until {
            thread::yield_now();
        }
        let told = std::mem::take(&mut *told.lock().unwrap());
        assert!(matches!(&told[..], [error] if is(error, fault)), "{fault:?}: {told:?}");
    }
    let report = pool.report();
    assert_eq!((report.done, report.undone), (50 * faults.len() as u64, 0), "{report:?}");
}
