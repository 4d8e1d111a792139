//! What needs no GPU: what the kernel computes, on cores, and what it is given.

use super::*;
use crate::{Centres, Clustering, OnCores, Stop, generate};
use odeon_example_iterative::Rounds;
use odeon_testkit::CudaOnCores;
use std::io::Write;
use std::sync::Arc;

/// With so much memory for the threads of a block.
fn compiled(test: &str, shared_bytes: u32) -> Option<CudaOnCores> {
    let main = include_str!("on_cores.cpp");
    CudaOnCores::compiled(test, SOURCE, main, &[&format!("-DSHARED_BYTES={shared_bytes}")])
}

/// The output of the program for a piece: members, what blocks have found, and that of the whole
/// piece, which is added up in two steps.
fn run(kernel: &CudaOnCores, piece: &PointsPiece, withheld: u32) -> (Vec<u32>, Vec<u32>, Vec<u32>) {
    let (points, centres, rows) = (&piece.points, &piece.centres, piece.rows.len());
    let (grid, words) = (grid(piece), words(piece));
    let numbers = [piece.rows.start, rows, points.dims(), centres.count()].map(|n| n as u32);
    let fan = 3;
    let more = [grid.blocks, grid.threads, withheld, fan, points.rows() as u32];
    let mut input = cast_slice(&numbers).to_vec();
    input.extend_from_slice(cast_slice(&more));
    input.extend_from_slice(cast_slice(points.shared()));
    input.extend_from_slice(cast_slice(centres.values()));
    input.extend_from_slice(cast_slice(&piece.previous));
    let output = kernel.run(&input);
    // Memory of a vector of bytes may be anywhere.
    let all: Vec<u32> = bytemuck::pod_collect_to_vec(&output);
    let (members, all) = all.split_at(rows);
    let (parts, whole) = all.split_at(grid.blocks as usize * words);
    let (other, whole) = whole.split_at(words);
    assert!(other.iter().all(|word| *word == UNTOUCHED), "the place of another piece");
    (members.to_vec(), parts.to_vec(), whole.to_vec())
}

const UNTOUCHED: u32 = 77;

fn pieces(rows: usize, dims: usize, centres: usize, pieces: usize) -> Vec<PointsPiece> {
    let points = Arc::new(generate(rows, dims, 2, rows as u64));
    let first = Centres::drawn(&points, centres, 7);
    Clustering::new(points, first, pieces, Stop::After(1)).first()
}

/// Whole blocks and broken ones, pieces that begin anywhere, one centre and as many as there is
/// room for.
#[test]
fn what_the_kernels_compute_is_what_cores_compute() {
    let test = "what_the_kernels_compute_is_what_cores_compute";
    let Some(kernel) = compiled(test, 4 * MOST_WORDS as u32) else { return };
    let sizes =
        [(1, 1, 1, 1), (256, 3, 2, 1), (1000, 5, 16, 3), (700, 32, 17, 4), (1100, 8, 1024, 1)];
    for (rows, dims, centres, count) in sizes {
        for mut piece in pieces(rows, dims, centres, count) {
            let what = format!("{rows} x {dims} x {centres}, rows {:?}", piece.rows);
            piece.previous.iter_mut().step_by(3).for_each(|previous| *previous = 0);
            let (members, _, whole) = run(&kernel, &piece, 0);
            let mut found = piece.partial.clone();
            // Whatever was there before.
            found.sums.fill(5.0);
            accept(&mut found, &whole);
            OnCores.work(std::slice::from_mut(&mut piece)).expect("cores never fail");
            assert_eq!(members, piece.members, "{what}");
            assert_eq!(found.counts, piece.partial.counts, "{what}");
            assert_eq!(found.changed, piece.partial.changed, "{what}");
            for (found, expected) in found.sums.iter().zip(&piece.partial.sums) {
                let off = (found - expected).abs();
                assert!(off <= 1e-4 * expected.abs().max(1.0), "{what}: {found}, not {expected}");
            }
        }
    }
}

#[test]
fn memory_that_is_too_small_and_centres_that_are_too_many_are_not_touched() {
    let test = "memory_that_is_too_small_is_not_touched";
    let untouched = |kernel: &CudaOnCores, piece: &PointsPiece, withheld: u32| {
        let (members, parts, _) = run(kernel, piece, withheld);
        members.iter().chain(&parts).all(|word| *word == UNTOUCHED)
    };
    let [first, last] = <[PointsPiece; 2]>::try_from(pieces(10, 2, 3, 2)).expect("two pieces");
    let shared = grid(&first).shared_bytes;
    assert_eq!(shared, 4 * (3 * 2 + 3 + 1));
    let Some(kernel) = compiled(test, shared) else { return };
    assert!(!untouched(&kernel, &last, 0));
    assert!(untouched(&kernel, &last, 4), "its last number is not there");
    assert!(!untouched(&kernel, &first, 4 * 2 * 5), "what it lacks is not of its rows");
    assert!(untouched(&kernel, &pieces(10, 2, 4, 1)[0], 0), "a launch without memory for it");
    assert_eq!(ByCuda::is_too_large(1024, 8), None);
    for (centres, dims) in [(12_288, 1), (12, 1024)] {
        let why = ByCuda::is_too_large(centres, dims).expect("it is too large");
        assert!(why.contains(&format!("not for {centres} centres of {dims}")), "{why}");
    }
}

/// That what is said of the functions' parameters is so: the promise that `open` makes.
#[test]
fn parameters_are_those_of_the_source() {
    for (name, expected) in [("assign", &ASSIGN[..]), ("add_up", &ADD_UP)] {
        let (_, behind) = SOURCE.split_once(&format!("void {name}(")).expect("it is there");
        let (inside, _) = behind.split_once(')').expect("it ends");
        let mut words =
            inside.split(',').map(|one| one.trim().rsplit_once(' ').expect("two words"));
        let mut found = Vec::new();
        while let Some((is, name)) = words.next() {
            let is_memory = is.ends_with('*');
            found.push(match is {
                "unsigned" => Parameter::U32,
                is if is.starts_with("const ") && is_memory => Parameter::Read,
                _ if is_memory => Parameter::Write,
                other => panic!("{other} {name}"),
            });
            if is_memory {
                assert_eq!(words.next(), Some(("u64", &*format!("{name}_bytes"))));
            }
        }
        assert_eq!(found, expected, "{name}");
    }
}

#[test]
fn without_a_gpu_there_is_a_sentence_and_with_one_the_right_result() {
    let mut worker = match ByCuda::open() {
        Ok(worker) => worker,
        Err(error) => {
            assert!(matches!(error, DeviceError::Unavailable(_)), "{error:?}");
            let _ = writeln!(std::io::stderr(), "skipped: CUDA C on a GPU: {error}");
            return;
        }
    };
    let mut batch = pieces(3000, 8, 16, 3);
    worker.work(&mut batch).expect("it has room");
    for piece in &mut batch {
        let (members, counts) = (piece.members.clone(), piece.partial.counts.clone());
        OnCores.work(std::slice::from_mut(piece)).expect("cores never fail");
        let others = members.iter().zip(&piece.members).filter(|(one, other)| one != other);
        assert!(others.count() <= 1, "points may be as close to one centre as to another");
        assert_eq!(counts.iter().sum::<u64>() as usize, piece.rows.len());
    }
    let error = worker.work(&mut pieces(12_288, 1, 12_288, 1)).expect_err("there is no room");
    assert!(matches!(error, DeviceError::Invalid(_)), "{error:?}");
}

/// What the driver of a GPU would be given.
#[test]
fn the_compiler_of_cuda_takes_the_source() {
    match odeon_cuda::compile("kmeans.cu", SOURCE, (7, 5), &[]) {
        Ok(ptx) => {
            for function in ["assign", "add_up"] {
                assert!(ptx.contains(&format!(".entry {function}(")), "{function} is missing");
            }
        }
        Err(DeviceError::Unavailable(why)) => {
            let _ =
                writeln!(std::io::stderr(), "skipped: k-means in CUDA C by its compiler: {why}");
        }
        Err(error) => panic!("{error}"),
    }
}
