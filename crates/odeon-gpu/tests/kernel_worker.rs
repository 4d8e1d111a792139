//! A worker that works by kernels passes the suite of workers, several pieces in one launch, and
//! brings shared data to the device once.

use crate::support;
use std::sync::{Arc, OnceLock};

use cubecl::prelude::*;
use odeon_device::conformance::WorkerUnderTest;
use odeon_device::{Device, DeviceError, Worker, worker_conformance};
use odeon_gpu::{GpuDevice, Kernel, KernelWorker, Which, Workbench, cubecl};

/// Stretches of a table, each times a factor, one behind the other. `stretches` has for each: where
/// it begins in the table, and where in the result.
#[cube(launch)]
fn stretch(table: &[f32], stretches: &[u32], factors: &[f32], into: &mut [f32]) {
    if ABSOLUTE_POS < into.len() {
        let mut of = 0usize;
        for other in 1..factors.len() {
            if stretches[2 * other + 1] <= ABSOLUTE_POS as u32 {
                of = other;
            }
        }
        let behind = ABSOLUTE_POS - stretches[2 * of + 1] as usize;
        into[ABSOLUTE_POS] = table[stretches[2 * of] as usize + behind] * factors[of];
    }
}

struct Stretch {
    table: Arc<[f32]>,
    from: usize,
    length: usize,
    factor: f32,
    result: Vec<f32>,
}

/// All pieces of a batch have the same table.
struct Stretches;

impl Kernel for Stretches {
    type Work = Stretch;

    fn most_at_once(&self) -> usize {
        8
    }

    fn work(&mut self, bench: &mut Workbench, batch: &mut [Stretch]) -> Result<(), DeviceError> {
        let table = bench.input(&batch[0].table)?;
        let mut sum = 0;
        let mut stretches = Vec::new();
        for piece in &*batch {
            assert!(Arc::ptr_eq(&piece.table, &batch[0].table));
            stretches.extend([piece.from as u32, sum as u32]);
            sum += piece.length;
        }
        let stretches = bench.upload(&stretches)?;
        let factors: Vec<f32> = batch.iter().map(|piece| piece.factor).collect();
        let factors = bench.upload(&factors)?;
        let mut into = bench.allocate::<f32>(sum)?;
        bench.gpu().launch(|on| {
            let (count, dim) = on.over(sum);
            stretch::launch(
                on.client(),
                count,
                dim,
                on.input::<f32>(&table),
                on.input::<u32>(&stretches),
                on.input::<f32>(&factors),
                on.output::<f32>(&mut into),
            );
        })?;
        let mut all = vec![0.0; sum];
        bench.gpu().download_slice(&into, &mut all)?;
        let mut rest = all.as_slice();
        for piece in batch {
            let (result, behind) = rest.split_at(piece.length);
            piece.result = result.to_vec();
            rest = behind;
        }
        Ok(())
    }
}

const TABLE: usize = 10_000;

/// The same for all pieces, as in programs that share one.
fn table() -> Arc<[f32]> {
    static TABLE_OF_ALL: OnceLock<Arc<[f32]>> = OnceLock::new();
    TABLE_OF_ALL.get_or_init(|| (0..TABLE).map(|n| n as f32 + 0.5).collect()).clone()
}

fn piece(number: u64) -> Stretch {
    let mut numbers = support::Numbers(number);
    let from = numbers.below(TABLE as u64) as usize;
    let length = 1 + numbers.below((TABLE - from) as u64) as usize;
    let factor = numbers.unit() * 10.0;
    Stretch { table: table(), from, length, factor, result: Vec::new() }
}

struct ByKernel;

impl WorkerUnderTest for ByKernel {
    type Worker = KernelWorker<Stretches>;

    fn open() -> Result<Self::Worker, DeviceError> {
        Ok(KernelWorker::new(GpuDevice::open(Which::Default)?, Stretches))
    }

    fn piece(number: u64) -> Stretch {
        piece(number)
    }

    /// To the last bit: one multiplication is rounded alike everywhere.
    fn check(_number: u64, piece: &Stretch) -> Result<(), String> {
        let of = &piece.table[piece.from..piece.from + piece.length];
        let expected: Vec<f32> = of.iter().map(|x| x * piece.factor).collect();
        if piece.result == expected {
            return Ok(());
        }
        Err(format!("{} elements from {} on are wrong", piece.length, piece.from))
    }
}

worker_conformance!(kernel_worker, ByKernel);

#[test]
fn data_that_pieces_share_is_brought_once_and_given_up_for_other_data() {
    support::on_each_device("data that pieces share", |gpu, _| {
        // Room for one table and a result, not for two tables.
        let gpu = gpu.with_memory_limit(TABLE as u64 * 4 * 2 - 1);
        let mut worker = KernelWorker::new(gpu, Stretches);
        let memory = worker.bench().gpu().memory().clone();
        let small = |table: &Arc<[f32]>| Stretch {
            table: table.clone(),
            from: 1,
            length: 10,
            factor: 1.0,
            result: Vec::new(),
        };
        for _ in 0..10 {
            worker.work(&mut [small(&table()), small(&table())]).expect("there is room");
            assert_eq!(memory.used(), TABLE as u64 * 4, "the table, and nothing else");
        }
        let other: Arc<[f32]> = vec![3.0; TABLE].into();
        let mut batch = [small(&other)];
        worker.work(&mut batch).expect("the first table is given up");
        assert_eq!(batch[0].result, [3.0; 10]);
        assert_eq!((memory.used(), worker.bench().kept().count()), (TABLE as u64 * 4, 1));
        // And it comes back when it is wanted.
        let mut batch = [small(&table())];
        worker.work(&mut batch).expect("the other one is given up");
        assert_eq!(batch[0].result[0], 1.5);
        // Data that is too large for the account with all else gone is an error, and the worker
        // goes on.
        let large: Arc<[f32]> = vec![3.0; 3 * TABLE].into();
        let refused = worker.work(&mut [small(&large)]);
        assert!(matches!(refused, Err(DeviceError::OutOfMemory { .. })), "{refused:?}");
        worker.work(&mut batch).expect("it goes on");
        drop(worker);
        assert_eq!(memory.used(), 0);
    });
}
