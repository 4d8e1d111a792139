use super::*;
use crate::devices::device_for;
use crate::iterative::{Crew, Run};
use crate::theater::theater_with;
use odeon::prelude::*;
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
    crew: Crew<Piece>,
    points: &Arc<Points>,
    first: &Centres,
    pieces: usize,
    stop: Stop,
) -> Clusters {
    let rounds = Clustering::new(points.clone(), first.clone(), pieces, stop);
    Run::new(theater, rounds, crew).complete().expect("no worker fails").into_clusters()
}

/// Whole blocks and broken ones, one piece and several at once, and both kinds of workers side by side.
#[test]
fn kernels_and_pools_agree_with_the_reference() {
    let Some(device) = device_for("kernels of k-means") else { return };
    let sizes = [(1, 1, 1, 1), (256, 3, 2, 1), (1000, 5, 16, 7), (700, 32, 17, 3)];
    for (rows, dims, centres, pieces) in sizes {
        let points = Arc::new(generate(rows, dims, 2, 3));
        let first = Centres::drawn(&points, centres, 7);
        let stop = Stop::After(6);
        let expected = sequential(&points, &first, stop);
        let theater = theater_with(2).expect("it starts");
        let mut kernels = Crew::new();
        let worker = ByKernels::on(device).expect("it was there");
        kernels.add(&theater, worker).expect("a thread can be started");
        let pool = balanced(device, 1, 2).profile_of(6 * pieces as u64);
        let pool = Crew::Pool(pool.start(&theater).expect("it starts"));
        for crew in [kernels, pool] {
            let found = by_crew(&theater, crew, &points, &first, pieces, stop);
            let right = check(&found, &expected, Tolerance::DEVICES);
            right.unwrap_or_else(|e| panic!("{rows} x {dims} x {centres} on {device:?}: {e}"));
        }
    }
}

/// Every number of centres around the width of a block, dimensions that fill nothing, pieces with single rows.
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
            check(&threads, &expected, Tolerance::CORES).unwrap_or_else(|e| panic!("{what}: {e}"));
            let alone = on_one_thread(&points, &first, stop);
            check(&alone, &expected, Tolerance::CORES).unwrap_or_else(|e| panic!("{what}: {e}"));
            let actors = by_actors(&points, &first, pieces, stop);
            check(&actors, &expected, Tolerance::CORES).unwrap_or_else(|e| panic!("{what}: {e}"));
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

#[test]
fn a_wrong_outcome_is_refused() {
    let points = generate(1000, 4, 4, 1);
    let right = sequential(&points, &Centres::drawn(&points, 4, 1), Stop::After(5));
    assert!(check(&right, &right, Tolerance::CORES).is_ok());
    let wrong = |change: fn(&mut Clusters)| {
        let mut clusters = right.clone();
        change(&mut clusters);
        check(&clusters, &right, Tolerance::DEVICES).unwrap_err().to_string()
    };
    let moved = wrong(|clusters| clusters.members[..2].fill(NONE_OF_THEM));
    assert_eq!(moved, "wrong result: 2 of 1000 points have another centre");
    assert_eq!(wrong(|it| it.rounds = 8), "wrong result: 8 rounds instead of 5");
    assert!(wrong(|it| it.members.truncate(5)).contains("5 points"));
    for value in [f32::NAN, 9.0] {
        fn values(clusters: &Clusters) -> Vec<f32> {
            clusters.centres.values().to_vec()
        }
        let mut clusters = right.clone();
        let mut moved = values(&clusters);
        moved[3] = value;
        clusters.centres = Centres::new(4, moved);
        let error = check(&clusters, &right, Tolerance::DEVICES).unwrap_err().to_string();
        assert!(error.contains("a centre is off"), "{error}");
    }
}

const NONE_OF_THEM: u32 = 77;
