mod conformance;
mod outcomes;
mod supplied_files;

use super::*;
use odeon::prelude::*;
use odeon_device::Worker;
use odeon_example_iterative::{Crew, CrewRun, Rounds};
use odeon_example_run::theater_with;
use odeon_rabbitmq::Portable;
use std::io::Write;
use std::sync::Arc;

fn by_actors(points: &Arc<Points>, first: &Centres, pieces: usize, stop: Stop) -> Clusters {
    let theater = theater_with(2).expect("it starts");
    let mut crew = Crew::new();
    crew.add(&theater, OnCores).expect("no thread is needed");
    crew.add(&theater, OnCores).expect("no thread is needed");
    by_crew(&theater, crew, points, first, pieces, stop)
}

fn by_crew(
    theater: &Theater,
    crew: Crew<PointsPiece>,
    points: &Arc<Points>,
    first: &Centres,
    pieces: usize,
    stop: Stop,
) -> Clusters {
    let rounds = Clustering::new(points.clone(), first.clone(), pieces, stop);
    CrewRun::new(theater, rounds, crew).complete().expect("no worker fails").into_clusters()
}

/// Whole blocks and broken ones, one piece and several at once, both kinds of workers side by side;
/// on every device.
#[test]
fn kernels_and_pools_agree_with_the_reference() {
    let devices = odeon_gpu::devices();
    if devices.is_empty() {
        let _ = writeln!(std::io::stderr(), "skipped: kernels of k-means: no device for them");
    }
    let sizes = [(1, 1, 1, 1), (256, 3, 2, 1), (1000, 5, 16, 7), (700, 32, 17, 3)];
    for (device, (rows, dims, centres, pieces)) in
        devices.iter().flat_map(|device| sizes.map(|size| (device, size)))
    {
        let points = Arc::new(generate(rows, dims, 2, 3));
        let first = Centres::drawn(&points, centres, 7);
        let stop = Stop::After(6);
        let expected = sequential(&points, &first, stop);
        let theater = theater_with(2).expect("it starts");
        let mut kernels = Crew::new();
        let worker = ByKernels::on(device.which).expect("it was there");
        kernels.add(&theater, worker).expect("a thread can be started");
        let pool = balanced(device.which, 1, 2).profile_of(6 * pieces as u64);
        let pool = Crew::Pool(pool.start(&theater).expect("it starts"));
        for crew in [kernels, pool] {
            let found = by_crew(&theater, crew, &points, &first, pieces, stop);
            let right = check(&points, &found, &expected, stop, Tolerance::Devices);
            right.unwrap_or_else(|e| panic!("{rows} x {dims} x {centres} on {device}: {e}"));
        }
    }
}

#[test]
fn kernels_come_to_the_same_in_each_run_to_the_last_bit() {
    let points = Arc::new(generate(1000, 5, 4, 3));
    let first = Centres::drawn(&points, 7, 7);
    for device in odeon_gpu::devices() {
        let mut worker = ByKernels::on(device.which).expect("it was there");
        let mut once = || {
            let rounds = &mut Clustering::new(points.clone(), first.clone(), 3, Stop::After(1));
            let mut pieces = rounds.first();
            worker.work(&mut pieces).expect("it has room");
            pieces.into_iter().map(|piece| (piece.members, piece.partial)).collect::<Vec<_>>()
        };
        assert_eq!(once(), once(), "{device}");
    }
}

/// All rounds, each piece by the worker that `who` names.
fn by_turns(
    workers: &mut [&mut dyn FnMut(&mut PointsPiece)],
    mut rounds: Clustering,
    who: impl Fn(u64, usize) -> usize,
) -> Clusters {
    let mut pieces = rounds.first();
    for round in 0.. {
        pieces.iter_mut().for_each(|piece| workers[who(round, piece.number)](piece));
        match rounds.next(pieces) {
            Some(next) => pieces = next,
            None => break,
        }
    }
    rounds.into_clusters()
}

/// Whoever leaves members out, as far as that is allowed, and whoever has the piece next.
#[test]
fn members_that_are_left_out_are_found_again() {
    let points = Arc::new(generate(400, 3, 2, 3));
    let first = Centres::drawn(&points, 9, 7);
    for stop in [Stop::After(1), Stop::After(2), Stop::After(9), Stop::Changes(0)] {
        let expected = sequential(&points, &first, stop);
        let left_out = &mut 0;
        let mut keeps = |piece: &mut PointsPiece| {
            OnCores.work(std::slice::from_mut(piece)).expect("cores never fail");
        };
        let mut leaves = |piece: &mut PointsPiece| {
            OnCores.work(std::slice::from_mut(piece)).expect("cores never fail");
            if piece.may_leave_members {
                piece.members.clear();
                *left_out += 1;
            }
        };
        let rounds = Clustering::new(points.clone(), first.clone(), 3, stop);
        let workers: &mut [&mut dyn FnMut(&mut PointsPiece)] = &mut [&mut leaves, &mut keeps];
        let found = by_turns(workers, rounds, |round, number| (round as usize + number) / 2 % 2);
        check(&points, &found, &expected, stop, Tolerance::Cores)
            .unwrap_or_else(|e| panic!("{stop:?}: {e}"));
        assert_eq!(*left_out > 0, stop != Stop::After(1), "{stop:?}");
    }
}

#[test]
fn members_stay_on_the_device_until_somebody_needs_them() {
    let points = Arc::new(generate(1000, 5, 2, 3));
    let first = Centres::drawn(&points, 16, 7);
    for device in odeon_gpu::devices() {
        for stop in [Stop::After(20), Stop::Changes(0)] {
            let mut worker = ByKernels::on(device.which).expect("it was there");
            let expected = sequential(&points, &first, stop);
            let mut rounds_of_one = Vec::new();
            let mut kernels = |piece: &mut PointsPiece| {
                worker.work(std::slice::from_mut(piece)).expect("it has room");
                if piece.number == 0 {
                    rounds_of_one.push(!piece.members.is_empty());
                }
            };
            let mut cores = |piece: &mut PointsPiece| {
                OnCores.work(std::slice::from_mut(piece)).expect("cores never fail");
            };
            let rounds = Clustering::new(points.clone(), first.clone(), 3, stop);
            let workers: &mut [&mut dyn FnMut(&mut PointsPiece)] = &mut [&mut kernels, &mut cores];
            // In the tenth round pieces go to cores, and come back.
            let found = by_turns(workers, rounds, |round, _| usize::from(round == 9));
            check(&points, &found, &expected, stop, Tolerance::Devices)
                .unwrap_or_else(|e| panic!("{stop:?} on {device}: {e}"));
            assert_eq!(rounds_of_one.last(), Some(&true), "{device}");
            if stop == Stop::After(20) {
                let brought = rounds_of_one.iter().filter(|is_here| **is_here).count();
                assert_eq!(brought, 4 + 4 + 1, "{device}: {rounds_of_one:?}");
            }
        }
    }
}

/// By a real broker; workers on threads, as a test's program cannot be started as a worker process.
#[test]
fn pieces_by_middleware_agree_with_the_reference() {
    if let Some(missing) = Broker::missing() {
        let _ = writeln!(std::io::stderr(), "skipped: k-means by middleware: {missing}");
        return;
    }
    let broker = Broker::new();
    let by_kernels = ServedBy::Kernels { must_be_gpu: false };
    let mut cases = vec![(ServedBy::Cores, Tolerance::Cores)];
    if !odeon_gpu::devices().is_empty() {
        cases.push((by_kernels, Tolerance::Devices));
    }
    for (by, within) in cases {
        for (rows, dims, centres, pieces) in [(1, 1, 1, 1), (1000, 5, 16, 7)] {
            let points = Arc::new(generate(rows, dims, 2, 3));
            let first = Centres::drawn(&points, centres, 7);
            let stop = Stop::After(6);
            let expected = sequential(&points, &first, stop);
            let queue = broker.queue().expect("it starts");
            let mut servers = Servers::start(queue, by, 2, false, 3).expect("they serve");
            let theater = theater_with(2).expect("it starts");
            let mut crew = Crew::new();
            for _ in 0..2 {
                let client = servers.client().expect("the broker lets it in");
                crew.add(&theater, client).expect("a thread can be started");
            }
            let found = by_crew(&theater, crew, &points, &first, pieces, stop);
            check(&points, &found, &expected, stop, within)
                .unwrap_or_else(|e| panic!("{by:?}, {rows} rows: {e}"));
            servers.check().expect("they still serve");
        }
    }
}

#[test]
fn a_piece_that_has_travelled_is_the_same_piece() {
    let points = Arc::new(generate(100, 3, 2, 3));
    let first = Centres::drawn(&points, 5, 7);
    let mut pieces = Clustering::new(points.clone(), first, 3, Stop::After(1)).first();
    let mut here = pieces.pop().expect("the last of three");
    here.previous.iter_mut().step_by(2).for_each(|previous| *previous = 1);
    let mut there = PointsPiece::again(here.request(), here.inputs()).expect("it is one");
    assert!(Arc::ptr_eq(there.points.shared(), points.shared()), "its points are kept");
    assert_eq!((there.number, &there.rows, &there.centres), (2, &here.rows, &here.centres));
    OnCores.work(std::slice::from_mut(&mut there)).expect("cores never fail");
    here.accept(there.answer()).expect("it is its own");
    let (members, partial) = (here.members.clone(), here.partial.clone());
    OnCores.work(std::slice::from_mut(&mut here)).expect("cores never fail");
    assert_eq!((members, partial), (here.members, here.partial));
}

#[test]
fn what_is_no_piece_and_no_result_of_it_is_refused() {
    let points = Arc::new(generate(10, 3, 2, 3));
    let pieces = |centres| {
        let first = Centres::drawn(&points, centres, 7);
        Clustering::new(points.clone(), first, 2, Stop::After(1)).first()
    };
    let refused = |other: Arc<Points>, rows, inputs: usize| {
        let mut piece = pieces(2).remove(0);
        piece.points = other;
        piece.rows = rows;
        let inputs = vec![points.travelling().clone(); inputs];
        PointsPiece::again(piece.request(), inputs).map(|_| ()).expect_err("it is none").to_string()
    };
    assert!(refused(points.clone(), 0..5, 0).contains("one input"));
    assert!(refused(points.clone(), 5..11, 1).contains("rows 5..11 of 10 points"));
    #[allow(clippy::reversed_empty_ranges)]
    let backwards = refused(points.clone(), 5..4, 1);
    assert!(backwards.contains("rows 5..4"), "{backwards}");
    let four = Arc::new(Points::new(4, vec![0.0; 40]));
    assert!(refused(four, 0..5, 1).contains("30 values, 4 dimensions"));
    let mut none = pieces(1).remove(0);
    none.centres = Arc::new(Centres::new(3, Vec::new()));
    assert!(PointsPiece::again(none.request(), none.inputs()).is_err());

    let answer = |centres: usize, number: usize| {
        let mut piece = pieces(centres).remove(number);
        OnCores.work(std::slice::from_mut(&mut piece)).expect("cores never fail");
        piece
    };
    let mut piece = pieces(2).remove(0);
    assert!(piece.accept(answer(3, 0).answer()).is_err(), "of other centres");
    let mut wrong = answer(2, 0);
    wrong.members[4] = 2;
    assert!(piece.accept(wrong.answer()).is_err(), "a centre that is not there");
    wrong = answer(2, 0);
    wrong.members.pop();
    assert!(piece.accept(wrong.answer()).is_err(), "of fewer points");
    assert!(piece.accept(answer(2, 0).answer()).is_ok());
}

/// Every number of centres around the width of a block, dimensions that fill nothing, pieces with
/// single rows.
#[test]
fn actors_threads_and_the_reference_agree() {
    let sizes = [(1, 1, 1, 1), (50, 3, 2, 7), (333, 5, 16, 8), (500, 32, 17, 3), (400, 2, 40, 400)];
    for (rows, dims, centres, pieces) in sizes {
        for stop in [Stop::After(1), Stop::After(12), Stop::Changes(10)] {
            // Without clusters rounds go on for long: centres are drawn from wide clusters.
            let points = Arc::new(generate(rows, dims, 2, 3));
            let first = Centres::drawn(&points, centres, 7);
            let expected = sequential(&points, &first, stop);
            let what = format!("{rows} x {dims} x {centres}, {stop:?}");
            let threads = Threads::new(2).expect("they start").cluster(&points, &first, stop);
            check(&points, &threads, &expected, stop, Tolerance::Cores)
                .unwrap_or_else(|e| panic!("{what}: {e}"));
            let alone = on_one_thread(&points, &first, stop);
            check(&points, &alone, &expected, stop, Tolerance::Cores)
                .unwrap_or_else(|e| panic!("{what}: {e}"));
            let actors = by_actors(&points, &first, pieces, stop);
            check(&points, &actors, &expected, stop, Tolerance::Cores)
                .unwrap_or_else(|e| panic!("{what}: {e}"));
        }
    }
}

#[test]
fn well_separated_clusters_are_found() {
    let points = Arc::new(Points::new(1, vec![0.0, 10.0, 0.2, 10.2, 0.4, 10.4]));
    let first = Centres::new(1, vec![0.0, 0.2]);
    let clusters = by_actors(&points, &first, 3, Stop::Changes(0));
    assert_eq!(clusters.members, [0, 1, 0, 1, 0, 1]);
    assert_eq!(clusters.centres.values(), [0.2, 10.2]);
    assert_eq!(clusters.rounds, 3);
}

#[test]
fn a_centre_without_points_stays() {
    let points = Arc::new(Points::new(1, vec![0.0, 2.0]));
    let first = Centres::new(1, vec![1.0, 100.0]);
    let clusters = by_actors(&points, &first, 2, Stop::After(3));
    assert_eq!((clusters.centres.values(), &*clusters.members), (&[1.0, 100.0][..], &[0, 0][..]));
}

#[test]
fn the_first_of_equally_close_centres_counts() {
    let points = Points::new(1, vec![0.0; 5]);
    let values: Vec<f32> = (0..40).map(|centre| if centre % 2 == 0 { 1.0 } else { -1.0 }).collect();
    let centres = Centres::new(1, values);
    let (mut members, mut partial) = (vec![9; 5], Partial::new(40, 1));
    assign(points.values(0..5), &centres, &[9; 5], &mut members, &mut partial);
    assert_eq!((members, partial.counts[0], partial.changed), (vec![0; 5], 5, 5));
}

#[test]
fn rounds_end_as_in_stamp() {
    assert!(!Stop::Changes(10).is_reached(1, 1, 99_999));
    assert!(Stop::Changes(10).is_reached(1, 1, 100_000));
    assert!(Stop::Changes(0).is_reached(500, 99, 100));
    assert!(!Stop::After(3).is_reached(2, 0, 100));
}
