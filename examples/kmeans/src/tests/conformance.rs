//! The suite of workers, on all four ways to write one: `cpu`, `direct`, `middleware`, `kernel`.

use super::super::*;
use odeon_device::conformance::WorkerUnderTest;
use odeon_device::{DeviceError, Place, Worker, worker_conformance};
use odeon_example_iterative::Rounds;
use odeon_gpu::Which;
use odeon_rabbitmq::RabbitWorker;
use std::sync::{Arc, OnceLock};

const ROWS: usize = 600;
const DIMS: usize = 5;
const CENTRES: usize = 7;

/// The same for all pieces, as in a run: a device keeps them.
fn points() -> Arc<Points> {
    static POINTS: OnceLock<Arc<Points>> = OnceLock::new();
    POINTS.get_or_init(|| Arc::new(generate(ROWS, DIMS, 2, 3))).clone()
}

/// Pieces of different sizes, from different rows, with different centres.
fn piece(number: u64) -> PointsPiece {
    let points = points();
    let centres = Centres::drawn(&points, CENTRES, number);
    let parts = 1 + number as usize % 9;
    let mut pieces = Clustering::new(points.clone(), centres, parts, Stop::After(1)).first();
    let mut piece = pieces.swap_remove(number as usize % parts);
    piece.previous.iter_mut().step_by(3).for_each(|previous| *previous = 0);
    if number % 4 == 3 {
        // Its members of the round before were left out: they are those that other centres lead to.
        piece.before = Some(Arc::new(Centres::drawn(&points, CENTRES, number + 1)));
        piece.previous.clear();
    }
    piece
}

/// The first of several centres that are equally close.
fn closest_of(point: &[f32], centres: &Centres) -> usize {
    let distance = |centre: usize| -> f32 {
        let differences = point.iter().zip(centres.row(centre)).map(|(x, y)| x - y);
        differences.fold(0.0, |sum, difference| sum + difference * difference)
    };
    (1..CENTRES)
        .fold(0, |best, centre| if distance(centre) < distance(best) { centre } else { best })
}

/// The piece with its result, by the definition: one point after the other, one centre after the
/// other.
fn expected(number: u64) -> PointsPiece {
    let mut piece = piece(number);
    piece.partial.clear();
    for (place, row) in piece.rows.clone().enumerate() {
        let point = piece.points.row(row);
        let closest = closest_of(point, &piece.centres);
        let previous = match &piece.before {
            Some(before) => closest_of(point, before) as u32,
            None => piece.previous[place],
        };
        piece.members[place] = closest as u32;
        piece.partial.counts[closest] += 1;
        piece.partial.changed += u64::from(previous != closest as u32);
        let sums = &mut piece.partial.sums[closest * DIMS..(closest + 1) * DIMS];
        sums.iter_mut().zip(point).for_each(|(sum, value)| *sum += f64::from(*value));
    }
    piece
}

/// Sums may be off by that part.
fn check(number: u64, found: &PointsPiece, off: f64) -> Result<(), String> {
    let expected = expected(number);
    let others = found.members.iter().zip(&expected.members).filter(|(one, other)| one != other);
    let others = others.count();
    if others > 0 {
        return Err(format!("{others} of {} points have another centre", found.members.len()));
    }
    let (found, expected) = (&found.partial, &expected.partial);
    if (&found.counts, found.changed) != (&expected.counts, expected.changed) {
        return Err(format!("{found:?} instead of {expected:?}"));
    }
    let mut sums = found.sums.iter().zip(&expected.sums);
    // So that what is not a number is wrong, too.
    let is_close = |(one, other): (&f64, &f64)| (one - other).abs() <= off * other.abs().max(1.0);
    match sums.all(is_close) {
        true => Ok(()),
        false => Err(format!("{:?} instead of {:?}", found.sums, expected.sums)),
    }
}

const IN_F64: f64 = 1e-12;
const IN_F32: f64 = 1e-4;

/// A way, and how far its sums may be off.
macro_rules! way {
    ($name:ident, $worker:ty, $off:expr, $open:expr) => {
        struct $name;

        impl WorkerUnderTest for $name {
            type Worker = $worker;

            fn open() -> Result<$worker, DeviceError> {
                $open
            }

            fn piece(number: u64) -> PointsPiece {
                piece(number)
            }

            fn check(number: u64, found: &PointsPiece) -> Result<(), String> {
                check(number, found, $off)
            }
        }
    };
}

way!(Cpu, OnCores, IN_F64, Ok(OnCores));
way!(Direct, ByCuda, IN_F32, ByCuda::open());
way!(Kernels, odeon_gpu::KernelWorker<ByKernels>, IN_F32, ByKernels::on(Which::Default));
way!(Middleware, ByMiddleware, IN_F64, ByMiddleware::open());

worker_conformance!(cpu, Cpu);
worker_conformance!(direct, Direct);
worker_conformance!(kernel, Kernels);
worker_conformance!(middleware, Middleware);

/// A worker and those that serve it, by a broker that all tests of this program share.
struct ByMiddleware {
    client: RabbitWorker<PointsPiece>,
    _servers: Servers,
}

impl ByMiddleware {
    fn open() -> Result<Self, DeviceError> {
        static BROKER: Broker = Broker::new();
        if let Some(missing) = Broker::missing() {
            return Err(DeviceError::Unavailable(missing));
        }
        let queue = BROKER.queue().expect("a broker that is installed starts");
        let servers = Servers::start(queue, ServedBy::Cores, 2, false, 8).expect("they serve");
        let client = servers.client().expect("the broker lets it in");
        Ok(Self { client, _servers: servers })
    }
}

impl Worker for ByMiddleware {
    type Work = PointsPiece;

    fn place(&self) -> Place {
        self.client.place()
    }

    fn most_at_once(&self) -> usize {
        self.client.most_at_once()
    }

    fn work(&mut self, batch: &mut [PointsPiece]) -> Result<(), DeviceError> {
        self.client.work(batch)
    }
}
