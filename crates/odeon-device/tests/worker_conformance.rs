//! The suite of workers: one on the cores, one on host memory as a device, and what it finds in one
//! that is wrong.

use std::panic::{AssertUnwindSafe, catch_unwind};

use odeon_device::conformance::{WorkerUnderTest, workers};
use odeon_device::*;

/// The sum of squares of some numbers.
struct Sum {
    of: Vec<u32>,
    result: Option<u64>,
}

fn piece(number: u64) -> Sum {
    Sum { of: (0..number as u32 % 50 + 1).map(|n| n + number as u32 + 1).collect(), result: None }
}

fn sum_of_squares(numbers: &[u32]) -> u64 {
    numbers.iter().map(|&n| u64::from(n) * u64::from(n)).sum()
}

fn check(piece: &Sum) -> Result<(), String> {
    let expected = Some(sum_of_squares(&piece.of));
    if piece.result == expected {
        return Ok(());
    }
    Err(format!("{:?} instead of {expected:?}", piece.result))
}

struct OnCores;

impl Worker for OnCores {
    type Work = Sum;

    fn place(&self) -> Place {
        Place::Cpu
    }

    fn work(&mut self, batch: &mut [Sum]) -> Result<(), DeviceError> {
        for piece in batch {
            piece.result = Some(sum_of_squares(&piece.of));
        }
        Ok(())
    }
}

/// All pieces of a batch by one launch.
struct OnDevice {
    device: HostDevice,
}

impl Worker for OnDevice {
    type Work = Sum;

    fn place(&self) -> Place {
        Place::Device
    }

    fn most_at_once(&self) -> usize {
        16
    }

    fn work(&mut self, batch: &mut [Sum]) -> Result<(), DeviceError> {
        let all: Vec<u32> = batch.iter().flat_map(|piece| &piece.of).copied().collect();
        let numbers = self.device.upload(bytemuck::cast_slice(&all))?;
        let mut sums = self.device.allocate(8 * batch.len())?;
        let ends: Vec<usize> = batch
            .iter()
            .scan(0, |end, piece| {
                *end += piece.of.len();
                Some(*end)
            })
            .collect();
        self.device.launch(|| {
            let numbers = numbers.as_slice::<u32>();
            let mut begin = 0;
            for (sum, &end) in sums.as_mut_slice::<u64>().iter_mut().zip(&ends) {
                *sum = sum_of_squares(&numbers[begin..end]);
                begin = end;
            }
        });
        let mut results = vec![0_u64; batch.len()];
        self.device.download(&sums, bytemuck::cast_slice_mut(&mut results))?;
        for (piece, result) in batch.iter_mut().zip(results) {
            piece.result = Some(result);
        }
        Ok(())
    }
}

struct Cores;
struct Kernel;

impl WorkerUnderTest for Cores {
    type Worker = OnCores;

    fn open() -> Result<OnCores, DeviceError> {
        Ok(OnCores)
    }

    fn piece(number: u64) -> Sum {
        piece(number)
    }

    fn check(_: u64, piece: &Sum) -> Result<(), String> {
        check(piece)
    }
}

impl WorkerUnderTest for Kernel {
    type Worker = OnDevice;

    fn open() -> Result<OnDevice, DeviceError> {
        Ok(OnDevice { device: HostDevice::new(1 << 20) })
    }

    fn piece(number: u64) -> Sum {
        piece(number)
    }

    fn check(_: u64, piece: &Sum) -> Result<(), String> {
        check(piece)
    }
}

worker_conformance!(cores, Cores);
worker_conformance!(kernel, Kernel);

/// Adds to results that are there.
struct Adds;

impl Worker for Adds {
    type Work = Sum;

    fn place(&self) -> Place {
        Place::Cpu
    }

    fn work(&mut self, batch: &mut [Sum]) -> Result<(), DeviceError> {
        for piece in batch {
            piece.result = Some(piece.result.unwrap_or(0) + sum_of_squares(&piece.of));
        }
        Ok(())
    }
}

struct Wrong;

impl WorkerUnderTest for Wrong {
    type Worker = Adds;

    fn open() -> Result<Adds, DeviceError> {
        Ok(Adds)
    }

    fn piece(number: u64) -> Sum {
        piece(number)
    }

    fn check(_: u64, piece: &Sum) -> Result<(), String> {
        check(piece)
    }
}

#[test]
fn the_suite_finds_a_worker_that_cannot_do_a_piece_again() {
    workers::each_piece_alone_is_right::<Wrong>();
    let found = catch_unwind(AssertUnwindSafe(workers::what_is_done_again_is_the_same::<Wrong>));
    let text = *found.expect_err("it is wrong").downcast::<String>().expect("a text");
    assert!(text.starts_with("piece 0 in a batch of 1: "), "{text}");
}

struct NotHere;

impl WorkerUnderTest for NotHere {
    type Worker = OnCores;

    fn open() -> Result<OnCores, DeviceError> {
        Err(DeviceError::Unavailable("no driver".into()))
    }

    fn piece(_: u64) -> Sum {
        unreachable!("nothing is done")
    }

    fn check(_: u64, _: &Sum) -> Result<(), String> {
        unreachable!("nothing is done")
    }
}

worker_conformance!(what_is_not_here_is_skipped, NotHere);
