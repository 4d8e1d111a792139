//! What kernels of applications rely on, against plain Rust that computes the same, on every device
//! that this machine has: launches that go on with what others have left, atomics, and functions of
//! numbers.

use cubecl::prelude::*;
use odeon_device::Device;
use odeon_gpu::cubecl;

use crate::support::{Numbers, on_each_device};

/// The columns of each block of rows of a table, added up: a unit has one column of one block.
#[cube(launch)]
fn add_blocks(
    table: &[f32],
    into: &mut [f32],
    #[comptime] columns: usize,
    #[comptime] block: usize,
) {
    if ABSOLUTE_POS < into.len() {
        let rows = table.len() / columns;
        let begin = ABSOLUTE_POS / columns * block;
        let mut end = begin + block;
        if end > rows {
            end = rows;
        }
        let mut sum = f32::new(0.0);
        for row in begin..end {
            sum += table[row * columns + ABSOLUTE_POS % columns];
        }
        into[ABSOLUTE_POS] = sum;
    }
}

fn sums(table: &[f32], columns: usize, block: usize) -> Vec<f32> {
    let blocks = table.chunks(block * columns);
    let add = |block: &[f32]| {
        let mut sums = vec![0.0; columns];
        for row in block.chunks(columns) {
            sums.iter_mut().zip(row).for_each(|(sum, value)| *sum += value);
        }
        sums
    };
    blocks.flat_map(add).collect()
}

/// To the last bit: the order of the sums is the same everywhere.
#[test]
fn launches_go_on_with_what_others_have_left() {
    const BLOCK: usize = 16;
    on_each_device("launches that follow each other", |mut gpu, device| {
        // Whole blocks and broken ones; more and fewer units than a cube has.
        for (rows, columns) in [(4096, 24), (1000, 3), (7, 2), (513, 1)] {
            let mut numbers = Numbers(rows as u64);
            let table: Vec<f32> = (0..rows * columns).map(|_| numbers.unit()).collect();
            let mut expected = table.clone();
            let mut last = gpu.upload_slice(&table).expect("there is room");
            let mut left = rows;
            while left > 1 {
                left = left.div_ceil(BLOCK);
                let mut into = gpu.allocate(left * columns * 4).expect("there is room");
                gpu.launch(|on| {
                    let (cubes, cube) = on.in_cubes_of(64, left * columns);
                    let (table, into) = (on.input::<f32>(&last), on.output::<f32>(&mut into));
                    add_blocks::launch(on.client(), cubes, cube, table, into, columns, BLOCK);
                })
                .expect("it is launched");
                expected = sums(&expected, columns, BLOCK);
                last = into;
            }
            let mut found = vec![0.0; columns];
            gpu.download_slice(&last, &mut found).expect("the kernels are right");
            assert_eq!(found, expected, "{device}: {rows} x {columns}");
        }
    });
}

/// Where the first of the numbers stands that are not below a limit, and how many those are.
#[cube(launch)]
fn find(numbers: &[u32], limit: u32, first: &mut [Atomic<u32>], count: &mut [Atomic<u32>]) {
    if ABSOLUTE_POS < numbers.len() && numbers[ABSOLUTE_POS] >= limit {
        first[0].fetch_min(ABSOLUTE_POS as u32);
        count[0].fetch_add(1u32);
    }
}

#[test]
fn units_of_all_cubes_share_atomics() {
    on_each_device("atomics", |mut gpu, device| {
        let mut random = Numbers(5);
        let numbers: Vec<u32> = (0..10_000).map(|_| random.below(1000) as u32).collect();
        let there = gpu.upload_slice(&numbers).expect("there is room");
        for limit in [0, 500, 999, 1000] {
            let mut first = gpu.upload_slice(&[u32::MAX]).expect("there is room");
            let mut count = gpu.upload_slice(&[0u32]).expect("there is room");
            gpu.launch(|on| {
                let (cubes, cube) = on.over(numbers.len());
                let (all, first) = (on.input::<u32>(&there), on.output::<u32>(&mut first));
                let count = on.output::<u32>(&mut count);
                find::launch(on.client(), cubes, cube, all, limit, first, count);
            })
            .expect("it is launched");
            let (mut at, mut many) = ([0; 1], [0; 1]);
            gpu.download_slice(&first, &mut at).expect("the kernel is right");
            gpu.download_slice(&count, &mut many).expect("the kernel is right");
            let place = numbers.iter().position(|number| *number >= limit);
            assert_eq!(at[0], place.map_or(u32::MAX, |place| place as u32), "{device}: {limit}");
            let expected = numbers.iter().filter(|number| **number >= limit).count();
            assert_eq!(many[0] as usize, expected, "{device}: {limit}");
        }
    });
}

/// The logarithm of one more than a power, for any number.
#[cube(launch)]
fn softplus(of: &[f32], into: &mut [f32]) {
    if ABSOLUTE_POS < into.len() {
        let mut above = of[ABSOLUTE_POS];
        let small = f32::exp(-f32::abs(above));
        if above < 0.0 {
            above = f32::new(0.0);
        }
        into[ABSOLUTE_POS] = above + f32::ln(1.0 + small);
    }
}

#[test]
fn functions_are_as_exact_as_floats() {
    on_each_device("functions of numbers", |mut gpu, device| {
        let of: Vec<f32> = (-1000..=1000).map(|n| n as f32 / 8.0).collect();
        let there = gpu.upload_slice(&of).expect("there is room");
        let mut into = gpu.allocate(there.bytes()).expect("there is room");
        gpu.launch(|on| {
            let (cubes, cube) = on.over(of.len());
            let (of, into) = (on.input::<f32>(&there), on.output::<f32>(&mut into));
            softplus::launch(on.client(), cubes, cube, of, into);
        })
        .expect("it is launched");
        let mut found = vec![0.0_f32; of.len()];
        gpu.download_slice(&into, &mut found).expect("the kernel is right");
        for (of, found) in of.iter().zip(found) {
            let expected = f64::from(*of).max(0.0) + (-f64::from(*of).abs()).exp().ln_1p();
            let off = (f64::from(found) - expected).abs();
            assert!(off <= 1e-6 + 1e-6 * expected, "{device}: {found}, not {expected}, of {of}");
        }
    });
}

/// As many as any device has that WebGPU is defined for.
#[test]
fn a_device_says_how_large_a_cube_may_be() {
    on_each_device("the limits of cubes", |gpu, _| {
        assert!(gpu.shared_memory() >= 16 << 10 && gpu.most_units() >= 128);
    });
}
