//! Work to be done elsewhere, and who does it.

use odeon_device::{DeviceError, Place, Worker};
use odeon_rabbitmq::{Portable, Shared};
use serde::{Deserialize, Serialize};
use std::thread;
use std::time::Duration;

/// Numbers, and what is to be done with them.
#[derive(Debug, Clone)]
pub struct Job {
    pub numbers: Shared<[u32]>,
    pub what: What,
    pub result: Vec<u64>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum What {
    /// The sum, so many times.
    Sum {
        factor: u64,
    },
    /// The same, after a while.
    Slowly {
        factor: u64,
        ms: u64,
    },
    /// So many zeros.
    Zeros(usize),
    Bytes(Vec<u8>),
    /// What the worker answers.
    Fails(String),
    LosesItsDevice,
    Panics,
    /// The process ends.
    Dies,
}

impl Job {
    pub fn new(numbers: &Shared<[u32]>, what: What) -> Self {
        Self { numbers: numbers.clone(), what, result: Vec::new() }
    }

    pub fn sum(numbers: &Shared<[u32]>, factor: u64) -> Self {
        Self::new(numbers, What::Sum { factor })
    }

    #[track_caller]
    pub fn is_right(&self) {
        let (What::Sum { factor } | What::Slowly { factor, .. }) = self.what else {
            panic!("not a sum")
        };
        assert_eq!(self.result, [total(&self.numbers) * factor]);
    }
}

pub fn numbers(count: u32) -> Shared<[u32]> {
    Shared::new((0..count).collect::<Vec<_>>()).unwrap()
}

fn total(numbers: &[u32]) -> u64 {
    numbers.iter().map(|&number| u64::from(number)).sum()
}

impl Portable for Job {
    const KIND: &'static str = "test job 1";
    type Input = [u32];
    type Request = What;
    type Answer = Vec<u64>;

    fn inputs(&self) -> Vec<Shared<[u32]>> {
        vec![self.numbers.clone()]
    }

    fn request(&self) -> What {
        self.what.clone()
    }

    fn again(what: What, inputs: Vec<Shared<[u32]>>) -> Result<Self, DeviceError> {
        match <[Shared<[u32]>; 1]>::try_from(inputs) {
            Ok([numbers]) => Ok(Self { numbers, what, result: Vec::new() }),
            Err(_) => Err(DeviceError::Invalid("a job has one input".to_owned())),
        }
    }

    fn answer(self) -> Vec<u64> {
        self.result
    }

    fn accept(&mut self, result: Vec<u64>) -> Result<(), DeviceError> {
        self.result = result;
        Ok(())
    }
}

/// Does jobs.
pub struct Does {
    pub at_once: usize,
}

impl Worker for Does {
    type Work = Job;

    fn place(&self) -> Place {
        Place::Cpu
    }

    fn most_at_once(&self) -> usize {
        self.at_once
    }

    fn work(&mut self, batch: &mut [Job]) -> Result<(), DeviceError> {
        for job in batch {
            job.result = match &job.what {
                What::Sum { factor } => vec![total(&job.numbers) * factor],
                What::Slowly { factor, ms } => {
                    thread::sleep(Duration::from_millis(*ms));
                    vec![total(&job.numbers) * factor]
                }
                What::Zeros(count) => vec![0; *count],
                What::Bytes(bytes) => vec![bytes.len() as u64],
                What::Fails(why) => return Err(DeviceError::Kernel(why.clone())),
                What::LosesItsDevice => {
                    return Err(DeviceError::Lost("it was pulled out".to_owned()));
                }
                What::Panics => odeon_testkit::silent_panic("a worker that panics"),
                What::Dies => std::process::exit(7),
            };
        }
        Ok(())
    }
}
