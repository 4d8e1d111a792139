//! Which outcomes are taken for right ones.

use super::super::*;
use super::by_turns;
use odeon_example_run::SplitMix64;
use std::sync::Arc;

fn refusal(points: &Points, found: &Clusters, right: &Clusters, stop: Stop) -> String {
    let refused = check(points, found, right, stop, Tolerance::Devices);
    refused.expect_err("it is wrong").to_string()
}

fn moved(centres: &Centres, at: usize, to: f32) -> Centres {
    let mut values = centres.values().to_vec();
    values[at] = to;
    Centres::new(4, values)
}

#[test]
fn a_wrong_outcome_is_refused() {
    let points = generate(1000, 4, 4, 1);
    let stop = Stop::After(5);
    let right = sequential(&points, &Centres::drawn(&points, 4, 1), stop);
    for within in [Tolerance::Cores, Tolerance::Devices] {
        check(&points, &right, &right, stop, within).expect("it is right");
    }
    let wrong = |change: fn(&mut Clusters)| {
        let mut clusters = right.clone();
        change(&mut clusters);
        refusal(&points, &clusters, &right, stop)
    };
    assert_eq!(wrong(|it| it.rounds = 6), "wrong result: 6 rounds instead of 5");
    assert_eq!(wrong(|it| it.members[3] = 77), "wrong result: point 3 has centre 77 of 4");
    assert!(wrong(|it| it.members.truncate(5)).contains("5 points instead of 1000"));
    let other = wrong(|it| it.members[7] = (it.members[7] + 1) % 4);
    assert!(other.contains("point 7 has centre") && other.contains("is closer"), "{other}");
    let off = wrong(|it| it.centres = moved(&it.centres, 3, it.centres.values()[3] + 1e-3));
    assert!(off.contains("centre 0 is at") && off.contains("the mean of its points"), "{off}");
    assert!(wrong(|it| it.centres = moved(&it.centres, 3, f32::NAN)).contains("is at NaN"));
    assert!(wrong(|it| it.by = moved(&it.by, 3, f32::INFINITY)).contains("is at inf"));
    let fewer = wrong(|it| it.centres = Centres::new(4, it.centres.values()[..8].to_vec()));
    assert!(fewer.contains("8 values of centres, not 16"), "{fewer}");
}

/// Each is what some rounds come to; not these.
#[test]
fn rounds_that_end_too_early_or_far_from_the_points_are_refused() {
    let points = uniform(2000, 4, 5);
    let first = Centres::drawn(&points, 8, 7);
    let stop = Stop::Changes(0);
    let right = sequential(&points, &first, stop);
    let early = sequential(&points, &first, Stop::After(right.rounds / 2));
    let error = refusal(&points, &early, &right, stop);
    assert!(error.contains("centres still move"), "{error}");
    let mut one = vec![9.0; 8 * 4];
    one[..4].copy_from_slice(points.row(0));
    let far = sequential(&points, &Centres::new(4, one), stop);
    let error = refusal(&points, &far, &right, stop);
    assert!(error.contains("squared distances"), "{error}");
}

/// Centres have no order that anybody has promised.
#[test]
fn other_clusters_that_are_as_good_are_right() {
    let points = generate(1000, 4, 4, 1);
    let stop = Stop::Changes(0);
    let right = sequential(&points, &Centres::drawn(&points, 4, 1), stop);
    let exchanged = |centres: &Centres| {
        let mut values = centres.values().to_vec();
        let (first, second) = values[..8].split_at_mut(4);
        first.swap_with_slice(second);
        Centres::new(4, values)
    };
    let other = |member: &u32| if *member < 2 { 1 - member } else { *member };
    let other = Clusters {
        members: right.members.iter().map(other).collect(),
        by: exchanged(&right.by),
        centres: exchanged(&right.centres),
        rounds: right.rounds + 20,
    };
    check(&points, &other, &right, stop, Tolerance::Devices).expect("it is as good");
}

/// Where clusters are not apart, sums that are rounded as a device rounds them end after other
/// numbers of rounds.
#[test]
fn sums_in_f32_are_right_after_whatever_number_of_rounds() {
    let stop = Stop::Changes(0);
    for seed in 0..4 {
        let points = Arc::new(uniform(30_000, 12, seed));
        let first = Centres::drawn(&points, 16, 7);
        let expected = sequential(&points, &first, stop);
        let mut in_single = |piece: &mut PointsPiece| in_blocks_of_f32(piece);
        let rounds = Clustering::new(points.clone(), first, 3, stop);
        let found = by_turns(&mut [&mut in_single], rounds, |_, _| 0);
        check(&points, &found, &expected, stop, Tolerance::Devices)
            .unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        if found.rounds != expected.rounds {
            return;
        }
    }
    panic!("all had the reference's number of rounds: this tests nothing");
}

/// As kernels add up: in blocks, one value after the other, and then the blocks.
fn in_blocks_of_f32(piece: &mut PointsPiece) {
    piece.find_previous();
    let points = piece.points.values(piece.rows.clone());
    let (dims, previous) = (piece.points.dims(), piece.previous.clone());
    piece.partial.clear();
    assign(points, &piece.centres, &previous, &mut piece.members, &mut piece.partial);
    let mut sums = vec![0.0_f32; piece.partial.sums.len()];
    for (points, members) in points.chunks(64 * dims).zip(piece.members.chunks(64)) {
        let mut block = vec![0.0_f32; sums.len()];
        for (point, member) in points.chunks_exact(dims).zip(members) {
            let of = &mut block[*member as usize * dims..];
            of.iter_mut().zip(point).for_each(|(sum, value)| *sum += value);
        }
        sums.iter_mut().zip(block).for_each(|(sum, more)| *sum += more);
    }
    piece.partial.sums = sums.into_iter().map(f64::from).collect();
}

fn uniform(rows: usize, dims: usize, seed: u64) -> Points {
    let mut random = SplitMix64::new(seed);
    Points::new(dims, (0..rows * dims).map(|_| fraction(&mut random) as f32).collect())
}
