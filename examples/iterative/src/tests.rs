use super::*;
use odeon_device::{DeviceError, Kind};
use odeon_example_run::theater_with;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// Adds the round's number to each of some numbers.
struct Adding {
    rounds: u64,
    pieces: usize,
    sum: u64,
}

struct Sum {
    number: usize,
    of: u64,
    round: u64,
    result: u64,
}

impl RoundPiece for Sum {
    fn number(&self) -> usize {
        self.number
    }
}

impl Adding {
    fn round(&self, round: u64) -> Vec<Sum> {
        let piece = |number| Sum { number, of: number as u64, round, result: 0 };
        (0..self.pieces).map(piece).collect()
    }
}

impl Rounds for Adding {
    type Piece = Sum;

    fn first(&mut self) -> Vec<Sum> {
        self.round(0)
    }

    fn next(&mut self, done: Vec<Sum>) -> Option<Vec<Sum>> {
        assert!(done.iter().enumerate().all(|(place, piece)| piece.number == place));
        self.sum += done.iter().map(|piece| piece.result).sum::<u64>();
        let round = done[0].round + 1;
        (round < self.rounds).then(|| self.round(round))
    }
}

struct Adder {
    place: Place,
    at_once: usize,
    /// Answers with this error so often.
    failures: Arc<AtomicUsize>,
    error: DeviceError,
}

impl Adder {
    fn new(place: Place, at_once: usize) -> Self {
        let error = DeviceError::Lost("pulled out".to_owned());
        Self { place, at_once, failures: Arc::new(AtomicUsize::new(0)), error }
    }
}

impl Worker for Adder {
    type Work = Sum;

    fn place(&self) -> Place {
        self.place
    }

    fn most_at_once(&self) -> usize {
        self.at_once
    }

    fn work(&mut self, batch: &mut [Sum]) -> Result<(), DeviceError> {
        assert!((1..=self.at_once).contains(&batch.len()));
        for piece in &mut *batch {
            piece.result = piece.of + piece.round;
        }
        let less = |left: usize| left.checked_sub(1);
        match self.failures.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less) {
            Ok(_) => Err(self.error.clone()),
            Err(_) => Ok(()),
        }
    }
}

fn run(workers: Vec<Adder>, pieces: usize, rounds: u64) -> Result<u64, RunError> {
    let theater = theater_with(2)?;
    let mut crew = Crew::new();
    for worker in workers {
        crew.add(&theater, worker)?;
    }
    add(&theater, crew, pieces, rounds)
}

fn add(theater: &Theater, crew: Crew<Sum>, pieces: usize, rounds: u64) -> Result<u64, RunError> {
    let adding = Adding { rounds, pieces, sum: 0 };
    Ok(CrewRun::new(theater, adding, crew).complete()?.sum)
}

/// What all rounds come to.
fn expected(pieces: u64, rounds: u64) -> u64 {
    rounds * (pieces * (pieces - 1) / 2) + pieces * (rounds * (rounds - 1) / 2)
}

#[test]
fn every_piece_of_every_round_is_done_once() {
    for pieces in [1, 2, 7, 40] {
        for at_once in [1, 3] {
            let workers = vec![
                Adder::new(Place::Cpu, at_once),
                Adder::new(Place::Cpu, 1),
                Adder::new(Place::Device, 4),
            ];
            let sum = run(workers, pieces, 30).expect("it runs");
            assert_eq!(sum, expected(pieces as u64, 30), "{pieces} pieces");
        }
    }
}

#[test]
fn a_pool_does_every_piece_of_every_round_once() {
    let theater = theater_with(2).expect("it starts");
    let pool = |makes: fn() -> Result<Adder, DeviceError>| {
        let pool = BalancingPool::builder()
            .kind(Kind::new("cores", Place::Cpu, 2, move |_| makes()))
            .kind(Kind::new("device", Place::Device, 1, |_| Ok(Adder::new(Place::Device, 4))))
            .profile_of(40 * 30);
        Crew::Pool(pool.start(&theater).expect("it starts"))
    };
    let crew = pool(|| Ok(Adder::new(Place::Cpu, 1)));
    assert_eq!(add(&theater, crew, 40, 30).expect("it runs"), expected(40, 30));
    // Without workers of one kind the others do it all.
    let crew = pool(|| Err(DeviceError::Unavailable("no cores".to_owned())));
    assert_eq!(add(&theater, crew, 5, 30).expect("it runs"), expected(5, 30));
}

#[test]
fn pieces_that_come_back_undone_are_done_again() {
    let failing = Adder::new(Place::Cpu, 2);
    failing.failures.store(5, Ordering::Relaxed);
    let sum = run(vec![failing, Adder::new(Place::Cpu, 1)], 9, 20).expect("the reason passes");
    assert_eq!(sum, expected(9, 20));
}

/// Refuses everything at once until that moment: a broker that is started anew.
struct Refusing {
    until: Instant,
    refused: Arc<AtomicUsize>,
}

impl Worker for Refusing {
    type Work = Sum;

    fn place(&self) -> Place {
        Place::Device
    }

    fn work(&mut self, batch: &mut [Sum]) -> Result<(), DeviceError> {
        if Instant::now() < self.until {
            self.refused.fetch_add(1, Ordering::Relaxed);
            return Err(DeviceError::Disconnected("connection refused".to_owned()));
        }
        batch.iter_mut().for_each(|piece| piece.result = piece.of + piece.round);
        Ok(())
    }
}

#[test]
fn a_connection_that_is_refused_for_a_while_is_waited_for() {
    let theater = theater_with(2).expect("it starts");
    let mut crew = Crew::new();
    let refused = Arc::new(AtomicUsize::new(0));
    let until = Instant::now() + Duration::from_millis(500);
    for _ in 0..2 {
        let worker = Refusing { until, refused: refused.clone() };
        crew.add(&theater, worker).expect("a thread can be started");
    }
    assert_eq!(add(&theater, crew, 9, 20).expect("it passes"), expected(9, 20));
    // Two each at the beginning, and one or two each after 10, 20, 40, 80, 160 and 320 ms.
    let refused = refused.load(Ordering::Relaxed);
    assert!((4..=40).contains(&refused), "{refused} times");
}

#[test]
fn what_does_not_pass_ends_the_run() {
    let forever = Adder::new(Place::Cpu, 1);
    forever.failures.store(usize::MAX, Ordering::Relaxed);
    let error = run(vec![forever], 3, 2).unwrap_err();
    assert_eq!(error.to_string(), "the runtime refused: the device is lost: pulled out");

    let mut no_kernel = Adder::new(Place::Device, 1);
    no_kernel.failures.store(1, Ordering::Relaxed);
    no_kernel.error = DeviceError::Kernel("line 3".to_owned());
    let error = run(vec![no_kernel, Adder::new(Place::Cpu, 1)], 3, 2).unwrap_err();
    assert!(error.to_string().contains("does not compile: line 3"), "{error}");
}

/// A worker that panics at its third piece.
struct Panics(usize);

impl Worker for Panics {
    type Work = Sum;

    fn place(&self) -> Place {
        Place::Cpu
    }

    fn work(&mut self, _batch: &mut [Sum]) -> Result<(), DeviceError> {
        self.0 += 1;
        assert!(self.0 < 3, "the third piece");
        Ok(())
    }
}

#[test]
fn a_worker_that_panics_ends_the_run() {
    for others in [0, 2] {
        let theater = theater_with(2).expect("it starts");
        let mut crew = Crew::new();
        crew.add(&theater, Panics(0)).expect("no thread is needed");
        for _ in 0..others {
            crew.add(&theater, Adder::new(Place::Cpu, 1)).expect("no thread is needed");
        }
        // More rounds than could be done before the panic, and so many pieces that each gets some.
        let error = add(&theater, crew, 40, 1_000).unwrap_err();
        assert_eq!(error.to_string(), "the runtime refused: a worker has panicked");
    }
}
