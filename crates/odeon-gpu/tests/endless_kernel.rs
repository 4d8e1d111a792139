//! A kernel that does not end: the end of its process ends it, and others have the device again.

use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use cubecl::prelude::*;
use odeon_device::{Device, DeviceError};
use odeon_gpu::{GpuDevice, Which, cubecl, devices};
use odeon_testkit::OwnProcess;

mod support;
use support::say;

/// Compilers, and a card that others use too: far more than all of it takes.
const LONG: Duration = Duration::from_secs(100);

#[cube(launch)]
fn add_one(words: &mut [u32]) {
    if ABSOLUTE_POS < words.len() {
        words[ABSOLUTE_POS] += 1;
    }
}

/// Until somebody changes the first word, which nobody does. It counts in the second one, so that
/// no compiler finds it has no effect.
#[cube(launch)]
fn endless(words: &mut [Atomic<u32>]) {
    while words[0].load() == 0 {
        words[1].fetch_add(1u32);
    }
}

/// Opens a session on another thread and has it work; how long that took, or nothing in time.
fn fresh_session_works(which: Which, within: Duration) -> Option<Result<Duration, DeviceError>> {
    let begun = Instant::now();
    let (told, answer) = mpsc::channel();
    thread::spawn(move || {
        let worked = GpuDevice::open(which).and_then(|mut gpu| {
            let mut words = gpu.upload_slice(&[1u32, 2, 3])?;
            gpu.launch(|on| {
                let (count, dim) = on.over(3);
                add_one::launch(on.client(), count, dim, on.output::<u32>(&mut words));
            })?;
            let mut back = [0u32; 3];
            gpu.download_slice(&words, &mut back)?;
            assert_eq!(back, [2, 3, 4]);
            Ok(begun.elapsed())
        });
        let _ = told.send(worked);
    });
    answer.recv_timeout(within).ok()
}

#[test]
fn who_kills_the_process_has_the_device_again() {
    const NAME: &str = "who_kills_the_process_has_the_device_again";
    let gpu = devices().into_iter().find(|device| !device.is_processor);
    let Some(gpu) = gpu else {
        // Mesa's llvmpipe ends each loop after a while.
        return support::skipped("a kernel that does not end", "there is no GPU");
    };
    if OwnProcess::is_of(NAME) {
        return run_without_end(gpu.which);
    }
    let mut process = OwnProcess::start(NAME);
    let said = process.says("it ", LONG);
    assert_eq!(said.as_deref(), Some("runs"));
    let meanwhile = fresh_session_works(gpu.which, Duration::from_secs(20));
    say(&format!("found: {gpu}: a session beside another process's kernel: {meanwhile:?}"));
    let killed = Instant::now();
    let status = process.kill();
    say(&format!("found: killed, it ends after {:?}: {status:?}", killed.elapsed()));
    let after = fresh_session_works(gpu.which, Duration::from_secs(60));
    say(&format!("found: a session after that: {after:?}"));
    assert!(matches!(after, Some(Ok(_))), "{after:?}");
    assert!(status.is_some(), "it has not ended");
}

fn run_without_end(which: Which) {
    let mut gpu = GpuDevice::open(which).expect("the parent has found it");
    let mut words = gpu.upload_slice(&[0u32, 0]).expect("there is room");
    gpu.launch(|on| {
        let (count, dim) = on.over(1);
        endless::launch(on.client(), count, dim, on.output::<u32>(&mut words));
    })
    .expect("it is right");
    let (ended, end) = mpsc::channel();
    thread::spawn(move || ended.send((gpu.synchronize(), words)));
    match end.recv_timeout(Duration::from_secs(3)) {
        Err(_) => OwnProcess::tell("it runs"),
        Ok((result, _)) => OwnProcess::tell(&format!("it has ended: {result:?}")),
    }
    let other = fresh_session_works(which, Duration::from_secs(5));
    say(&format!("found: another session of the process with that kernel: {other:?}"));
    // Longer than the parent lets this process live.
    thread::sleep(3 * LONG);
}
