//! More memory than the account allows, and more than the driver has: errors, and the session goes
//! on.

use std::time::Instant;

use odeon_cuda::{CudaBuffer, CudaDevice, Function};
use odeon_device::{Device, DeviceError};

mod support;
use support::{kernel, open, plus_one_by, say};

const GIB: usize = 1 << 30;

/// Takes buffers of that size until it is told that there are no more; answers the refusal.
fn fill(device: &mut CudaDevice, size: usize, taken: &mut Vec<CudaBuffer>) -> DeviceError {
    loop {
        // More than any card has: some driver has not refused what it does not have.
        assert!(taken.len() < 4_000, "{} buffers, and no end", taken.len());
        match device.allocate(size) {
            Ok(buffer) => taken.push(buffer),
            Err(error) => return error,
        }
    }
}

/// That a kernel that was compiled before still runs.
fn runs(device: &mut CudaDevice, add_one: &Function) {
    assert_eq!(plus_one_by(device, add_one, &[1, 2, 3]), Ok(vec![2, 3, 4]));
}

fn is_refused(error: &DeviceError, size: usize) {
    assert!(
        matches!(error, DeviceError::OutOfMemory { asked, available }
            if *asked == size as u64 && available < asked),
        "{error:?}"
    );
}

#[test]
fn what_the_driver_refuses_is_an_error_and_what_is_given_back_can_be_had_again() {
    let Some(mut device) = open("all memory of a device") else { return };
    let add_one = kernel(&mut device, "add_one").expect("it compiles");
    let all = device.memory().limit();
    // Of the account, whose limit is what the card has: nobody can set a higher one.
    let too_much = device.allocate(all as usize + 1).err();
    assert_eq!(too_much, Some(DeviceError::OutOfMemory { asked: all + 1, available: all }));
    runs(&mut device, &add_one);

    // Of the driver: the context and its kernels have some hundred megabytes that the account knows
    // nothing of.
    let begun = Instant::now();
    let (mut large, mut small) = (Vec::new(), Vec::new());
    let first = fill(&mut device, GIB, &mut large);
    let last = fill(&mut device, GIB / 64, &mut small);
    let left = device.memory().limit() - device.memory().used();
    let (gib, took) = (large.len(), begun.elapsed());
    say(&format!("found: {gib} GiB, and {} of 16 MiB in {took:?}", small.len()));
    say(&format!("found: of {all} bytes {left} are left in the account: {first}; {last}"));
    is_refused(&last, GIB / 64);
    assert!(left >= GIB as u64 / 64, "the driver has refused nothing, only the account");
    assert_eq!(device.memory().used(), (gib * GIB + small.len() * (GIB / 64)) as u64);
    assert_eq!(device.synchronize(), Ok(()));

    // In the same size, in a smaller one, in a larger one.
    for round in 0..3 {
        small.truncate(small.len().saturating_sub(2));
        runs(&mut device, &add_one);
        let kept = large.len();
        assert!(kept > 6, "a card with {kept} GiB is too small for this test");
        large.truncate(kept - 3);
        for _ in 0..3 {
            large.push(device.allocate(GIB).expect("it was given back"));
        }
        large.truncate(kept - 3);
        let smaller: Vec<_> =
            (0..11).map(|_| device.allocate(GIB / 4).expect("it was given back")).collect();
        drop(smaller);
        let larger = device.allocate(5 * (GIB / 2));
        say(&format!("found: 2.5 GiB after 3 of 1 GiB, round {round}: {:?}", larger.is_ok()));
        drop(larger.expect("it was given back"));
        // Two of the next ones would have their place in this one, and the third none.
        assert_eq!(device.synchronize(), Ok(()));
        for _ in 0..3 {
            large.push(device.allocate(GIB).expect("it was given back"));
        }
    }

    // A refusal to one session is nothing to another, and what one had is there for the next.
    let mut other = CudaDevice::open(0, None);
    say(&format!("found: a session beside one that has all: {:?}", other.as_mut().err()));
    drop(other);
    small.clear();
    runs(&mut device, &add_one);
    drop((large, add_one, device));
    let mut device = open("all memory of a device").expect("it was there");
    let mut again = Vec::new();
    fill(&mut device, GIB, &mut again);
    assert!(again.len() >= gib, "{} GiB, where the first session had {gib}", again.len());
    again.truncate(gib - 1);
    let add_one = kernel(&mut device, "add_one").expect("there is room");
    runs(&mut device, &add_one);
}
