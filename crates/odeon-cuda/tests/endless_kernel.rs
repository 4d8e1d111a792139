//! A kernel that does not end: the end of its process ends it, and nothing else does. A theater
//! does not wait for it.

use std::sync::{Mutex, MutexGuard, PoisonError, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use odeon_core::{Message, Theater};
use odeon_cuda::{Argument, CudaDevice, Function, Grid};
use odeon_device::{
    Batch, Batching, Device, DeviceActor, DeviceContext, DeviceError, SpawnOnDevice,
};
use odeon_testkit::OwnProcess;

mod support;
use support::{fresh_session_works, kernel, launch, open, say, works};

/// Compilers, contexts and a card that others use too: far more than all of it takes.
const LONG: Duration = Duration::from_secs(60);

/// Tests of what others find while a kernel runs see one such kernel at a time.
fn alone() -> MutexGuard<'static, ()> {
    static RUNNING: Mutex<()> = Mutex::new(());
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Longer than the parent lets this process live.
fn wait_to_be_killed() {
    thread::sleep(3 * LONG);
}

#[test]
fn who_kills_the_process_has_the_device_again() {
    const NAME: &str = "who_kills_the_process_has_the_device_again";
    if OwnProcess::is_of(NAME) {
        let mut device = open(NAME).expect("the parent has one");
        let endless = kernel(&mut device, "endless").expect("it compiles");
        let mut words = device.upload(&[0; 4]).expect("there is room");
        launch(&mut device, &endless, &mut words).expect("it is right");
        let (ended, end) = mpsc::channel();
        thread::spawn(move || ended.send((device.synchronize(), words)));
        match end.recv_timeout(Duration::from_secs(2)) {
            Err(_) => OwnProcess::tell("it runs"),
            Ok((result, _)) => OwnProcess::tell(&format!("it has ended: {result:?}")),
        }
        return wait_to_be_killed();
    }
    let _alone = alone();
    // Open all the time: what happens to the other process is nothing to it.
    let Some(mut before) = open(NAME) else { return };
    works(&mut before);
    let mut process = OwnProcess::start(NAME);
    let said = process.says("it ", LONG);
    assert_eq!(said.as_deref(), Some("runs"));
    let meanwhile = fresh_session_works(Duration::from_secs(15));
    say(&format!("found: a session of another process while the kernel runs: {meanwhile:?}"));
    let killed = Instant::now();
    let status = process.kill();
    say(&format!("found: killed, it ends after {:?}: {status:?}", killed.elapsed()));
    let after = fresh_session_works(Duration::from_secs(30));
    say(&format!("found: a session after that: {after:?}"));
    assert!(after.is_ok(), "{after:?}");
    assert!(status.is_some(), "it has not ended");
    works(&mut before);
}

struct Start;
impl Message for Start {}

struct Endless {
    endless: Function,
    begun: mpsc::Sender<()>,
}

impl DeviceActor for Endless {
    type Msg = Start;
    type Device = CudaDevice;

    fn handle(
        &mut self,
        batch: &mut Batch<'_, Start>,
        device: &mut CudaDevice,
        _: &mut DeviceContext<'_, Self>,
    ) -> Result<(), DeviceError> {
        let mut words = device.upload(&[0; 4])?;
        device.launch(&self.endless, Grid::of(1, 32), &mut [Argument::Write(&mut words)])?;
        let _ = self.begun.send(());
        device.synchronize()?;
        batch.finish(drop);
        Ok(())
    }
}

/// S4: an actor that is busy a second after the deadline is left behind, and counted.
#[test]
fn a_theater_ends_without_an_actor_whose_kernel_does_not() {
    const NAME: &str = "a_theater_ends_without_an_actor_whose_kernel_does_not";
    if OwnProcess::is_of(NAME) {
        return end_a_theater();
    }
    let _alone = alone();
    if open(NAME).is_none() {
        return;
    }
    let mut process = OwnProcess::start(NAME);
    let beside = process.says("beside it ", LONG);
    say(&format!("found: another session of the process while a kernel runs: {beside:?}"));
    let after = process.says("the theater ", LONG);
    say(&format!("found: a theater whose actor waits for that kernel: {after:?}"));
    let begun = Instant::now();
    // The harness ends the process when its only test has passed.
    let ended = process.end(Duration::from_secs(20));
    say(&format!("found: the process itself: {ended:?} after {:?}", begun.elapsed()));
    let killed = process.kill();
    assert_eq!(after.as_deref(), Some("has left 1 behind"));
    assert!(killed.is_some(), "it has not ended");
    let fresh = fresh_session_works(Duration::from_secs(30));
    assert!(fresh.is_ok(), "{fresh:?}");
}

fn end_a_theater() {
    let (begun, begins) = mpsc::channel();
    let theater = Theater::new().expect("it can be started");
    let make = move || {
        let mut device = CudaDevice::open(0, None)?;
        let endless = kernel(&mut device, "endless")?;
        Ok((Endless { endless, begun: begun.clone() }, device))
    };
    let endless = theater.spawn_device("endless", Batching::new(), make).expect("it is spawned");
    endless.send(Start).expect("it lives");
    begins.recv_timeout(LONG).expect("it is launched");
    // It may have to wait for that kernel, whose context is its own: this only tells which.
    let beside = fresh_session_works(Duration::from_secs(3));
    OwnProcess::tell(&format!("beside it {beside:?}"));
    let asked = Instant::now();
    let report = theater.shutdown(Duration::from_secs(1));
    let took = asked.elapsed();
    // The deadline, a second of grace, and what a busy machine takes.
    match took < Duration::from_secs(10) {
        true => OwnProcess::tell(&format!("the theater has left {} behind", report.stuck)),
        false => OwnProcess::tell(&format!("the theater has taken {took:?}: {report:?}")),
    }
}
