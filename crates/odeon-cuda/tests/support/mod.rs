//! Sessions for tests, and kernels with which something goes wrong.
#![allow(dead_code, reason = "each test program uses a part of it")]

use std::io::Write;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use odeon_cuda::{Argument, CudaBuffer, CudaDevice, Function, Grid, Parameter};
use odeon_device::{Device, DeviceError};

pub(crate) const FAILING: &str = include_str!("failing.cu");

/// Says something that is to be read also if the test passes: the harness keeps `println` back
/// then.
pub(crate) fn say(what: &str) {
    // WHY one write: lines of other tests come in between otherwise.
    let _ = std::io::stderr().write_all(format!("{what}\n").as_bytes());
}

/// A session with the first device, and whether the kernels compile; says why there is none.
pub(crate) fn open(test: &str) -> Option<CudaDevice> {
    let opened = CudaDevice::open(0, None).and_then(|mut device| {
        device.compile("failing.cu", FAILING, &[])?;
        Ok(device)
    });
    match opened {
        Ok(device) => Some(device),
        Err(DeviceError::Unavailable(why)) => {
            say(&format!("skipped: {test}: {why}"));
            None
        }
        Err(error) => panic!("{test}: it is there and cannot be opened: {error}"),
    }
}

/// One of the kernels in `failing.cu`.
pub(crate) fn kernel(device: &mut CudaDevice, name: &str) -> Result<Function, DeviceError> {
    let module = device.compile("failing.cu", FAILING, &[])?;
    // SAFETY: all of them have these parameters. Those that leave their memory are launched only in
    // a process of their own: no memory of the process is where they write to, and the device says
    // so; what becomes of the session is what the tests ask.
    unsafe { module.function(name, &[Parameter::Write]) }
}

pub(crate) fn launch(
    device: &mut CudaDevice,
    kernel: &Function,
    words: &mut CudaBuffer,
) -> Result<(), DeviceError> {
    device.launch(kernel, Grid::of(1, 32), &mut [Argument::Write(words)])
}

pub(crate) fn words(numbers: &[u32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_ne_bytes()).collect()
}

/// One more than each of these, by a kernel that is compiled for it.
pub(crate) fn plus_one(device: &mut CudaDevice, numbers: &[u32]) -> Result<Vec<u32>, DeviceError> {
    let add_one = kernel(device, "add_one")?;
    plus_one_by(device, &add_one, numbers)
}

/// One more than each of these, by the kernel `add_one`.
pub(crate) fn plus_one_by(
    device: &mut CudaDevice,
    add_one: &Function,
    numbers: &[u32],
) -> Result<Vec<u32>, DeviceError> {
    let mut there = device.upload(&words(numbers))?;
    let grid = Grid::of(numbers.len() as u32, 128);
    device.launch(add_one, grid, &mut [Argument::Write(&mut there)])?;
    let mut back = vec![0; 4 * numbers.len()];
    device.download(&there, &mut back)?;
    let word = |bytes: &[u8]| u32::from_ne_bytes(bytes.try_into().expect("four bytes"));
    Ok(back.chunks_exact(4).map(word).collect())
}

/// That a kernel runs and comes to what it should.
pub(crate) fn works(device: &mut CudaDevice) {
    assert_eq!(plus_one(device, &[1, 2, 3]), Ok(vec![2, 3, 4]));
    assert_eq!(device.synchronize(), Ok(()));
}

/// Opens a session on another thread and has it work; how long that took.
///
/// # Errors
/// What the session is told; `Invalid` with what it waits for, if it is not done in time.
pub(crate) fn fresh_session_works(within: Duration) -> Result<Duration, DeviceError> {
    let begun = Instant::now();
    let (told, answer) = mpsc::channel();
    thread::spawn(move || {
        let tell = |step| _ = told.send(Err(step));
        let worked = (|| {
            tell("opening the device");
            let mut device = CudaDevice::open(0, None)?;
            tell("allocating memory");
            let mut there = device.upload(&words(&[7]))?;
            tell("compiling and loading");
            let add_one = kernel(&mut device, "add_one")?;
            tell("launching");
            launch(&mut device, &add_one, &mut there)?;
            tell("downloading");
            let mut back = [0; 4];
            device.download(&there, &mut back)?;
            assert_eq!(u32::from_ne_bytes(back), 8);
            tell("dropping the session");
            drop((there, add_one, device));
            Ok(begun.elapsed())
        })();
        let _ = told.send(Ok(worked));
    });
    let mut step = "nothing";
    loop {
        let left = within.saturating_sub(begun.elapsed());
        match answer.recv_timeout(left) {
            Ok(Ok(worked)) => return worked,
            Ok(Err(next)) => step = next,
            Err(_) => {
                return Err(DeviceError::Invalid(format!("not done in {within:?}: {step}")));
            }
        }
    }
}
