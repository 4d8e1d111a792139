//! What every worker promises: the same results as the reference, in batches of every size, once
//! more if need be.

use std::thread;

use super::{WorkerUnderTest, unless_unavailable};
use crate::error::DeviceError;
use crate::faults::{Fault, Faults, Step};
use crate::worker::{Place, Worker};

type Work<T> = <<T as WorkerUnderTest>::Worker as Worker>::Work;

/// Batches are tried up to this size, whatever the worker could do at once.
const LARGEST: usize = 64;

fn largest<T: WorkerUnderTest>(worker: &T::Worker) -> usize {
    let most = worker.most_at_once();
    assert!(most > 0, "a worker does at least one piece at once");
    most.min(LARGEST)
}

fn pieces<T: WorkerUnderTest>(numbers: impl IntoIterator<Item = u64>) -> Vec<Work<T>> {
    numbers.into_iter().map(T::piece).collect()
}

#[track_caller]
fn check<T: WorkerUnderTest>(numbers: impl IntoIterator<Item = u64>, batch: &[Work<T>]) {
    for (number, piece) in numbers.into_iter().zip(batch) {
        if let Err(difference) = T::check(number, piece) {
            panic!("piece {number} in a batch of {}: {difference}", batch.len());
        }
    }
}

/// As the reference says.
pub fn each_piece_alone_is_right<T: WorkerUnderTest>() {
    unless_unavailable(T::open(), |mut worker| {
        for number in 0..20 {
            let mut batch = pieces::<T>([number]);
            let without = T::check(number, &batch[0]);
            assert!(without.is_err(), "piece {number} is right before anything was done");
            worker.work(&mut batch).expect("it works");
            check::<T>([number], &batch);
        }
    });
}

/// From one piece to as many as the worker does at once (64 at most are tried).
pub fn batches_of_every_size_are_right<T: WorkerUnderTest>() {
    unless_unavailable(T::open(), |mut worker| {
        for size in 1..=largest::<T>(&worker) as u64 {
            let numbers = 100 * size..101 * size;
            let mut batch = pieces::<T>(numbers.clone());
            worker.work(&mut batch).expect("it works");
            check::<T>(numbers, &batch);
        }
    });
}

/// Pieces come in another order, among others.
pub fn a_result_does_not_depend_on_what_was_done_before<T: WorkerUnderTest>() {
    unless_unavailable(T::open(), |mut worker| {
        let size = largest::<T>(&worker);
        let order: Vec<u64> = (0..30).map(|n| n * 7 % 30).chain((0..30).rev()).collect();
        for numbers in order.chunks(size) {
            let mut batch = pieces::<T>(numbers.iter().copied());
            worker.work(&mut batch).expect("it works");
            check::<T>(numbers.iter().copied(), &batch);
        }
    });
}

/// Also where there is a result already.
pub fn what_is_done_again_is_the_same<T: WorkerUnderTest>() {
    unless_unavailable(T::open(), |mut worker| {
        let numbers = 0..largest::<T>(&worker) as u64;
        let mut batch = pieces::<T>(numbers.clone());
        for _ in 0..3 {
            worker.work(&mut batch).expect("it works");
            check::<T>(numbers.clone(), &batch);
        }
    });
}

/// Some of a batch has results of another worker, which has failed.
pub fn what_was_half_done_is_done_again<T: WorkerUnderTest>() {
    unless_unavailable(T::open(), |mut fails| {
        let size = largest::<T>(&fails);
        let numbers = 500..500 + size as u64;
        let mut batch = pieces::<T>(numbers.clone());
        fails.work(&mut batch[..size.div_ceil(2)]).expect("it works");
        drop(fails);
        let mut worker = T::open().expect("it was there");
        worker.work(&mut batch).expect("it works");
        check::<T>(numbers, &batch);
    });
}

/// An error of the worker itself, with half of the batch done: the same worker does all of it right
/// afterwards.
pub fn what_failed_is_done_again<T: WorkerUnderTest>() {
    unless_unavailable(T::open(), |worker| {
        let numbers = 300..300 + largest::<T>(&worker) as u64;
        let lost = DeviceError::Lost("as the script says".into());
        let faults = Faults::new().at(Step::Work, 1, Fault::Fail(lost.clone()));
        let mut worker = faults.worker(worker);
        let mut batch = pieces::<T>(numbers.clone());
        assert_eq!(worker.work(&mut batch), Err(lost));
        worker.work(&mut batch).expect("it fails once");
        check::<T>(numbers, &batch);
    });
}

/// A worker that sees to it that it is used as it may be: for tests of whoever uses workers.
///
/// ```
/// use odeon_device::conformance::workers::Strict;
/// use odeon_device::{DeviceError, Place, Worker};
///
/// struct Doubles;
/// impl Worker for Doubles {
///     type Work = u32;
///     fn place(&self) -> Place { Place::Cpu }
///     fn most_at_once(&self) -> usize { 2 }
///     fn work(&mut self, batch: &mut [u32]) -> Result<(), DeviceError> {
///         batch.iter_mut().for_each(|n| *n *= 2);
///         Ok(())
///     }
/// }
///
/// let mut worker = Strict(Doubles);
/// worker.work(&mut [1, 2]).unwrap();
/// # std::panic::set_hook(Box::new(|_| {}));
/// assert!(std::panic::catch_unwind(move || worker.work(&mut [1, 2, 3])).is_err());
/// ```
#[derive(Debug, Clone)]
pub struct Strict<W>(pub W);

impl<W: Worker> Worker for Strict<W> {
    type Work = W::Work;

    fn place(&self) -> Place {
        self.0.place()
    }

    fn device(&self) -> Option<String> {
        self.0.device()
    }

    fn most_at_once(&self) -> usize {
        self.0.most_at_once()
    }

    /// # Panics
    /// If the batch is empty, or larger than the worker says.
    fn work(&mut self, batch: &mut [W::Work]) -> Result<(), DeviceError> {
        let most = self.0.most_at_once();
        assert!(!batch.is_empty(), "a worker is given no empty batch");
        assert!(batch.len() <= most, "a batch of {} for a worker of {most} at once", batch.len());
        self.0.work(batch)
    }
}

/// With what it keeps.
pub fn a_worker_goes_to_another_thread<T: WorkerUnderTest>() {
    unless_unavailable(T::open(), |mut worker| {
        let mut batch = pieces::<T>([1]);
        worker.work(&mut batch).expect("it works");
        let elsewhere = thread::spawn(move || {
            let mut batch = pieces::<T>([2]);
            worker.work(&mut batch).expect("it works");
            batch
        });
        let there = elsewhere.join().expect("it works there");
        check::<T>([1], &batch);
        check::<T>([2], &there);
    });
}
