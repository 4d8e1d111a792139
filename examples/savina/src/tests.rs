//! Every version of the programs whose work can be divided in many ways, with one worker and with
//! two: each run checks its own result, and does as much as the floor.

use crate::{astar, barber, cigsmok, nqueens, philosophers};
use odeon_example_run::{RunError, Timed};

#[track_caller]
fn in_every_version<S: std::fmt::Debug>(
    versions: &[&str],
    run: fn(&str, usize, &S) -> Result<Timed, RunError>,
    floor: fn(&S) -> Result<Timed, RunError>,
    setup: &S,
) {
    let floor = floor(setup).expect("it runs");
    for (version, workers) in versions.iter().flat_map(|version| [(version, 1), (version, 2)]) {
        let timed = run(version, workers, setup);
        let timed = timed.unwrap_or_else(|error| panic!("{version}, {setup:?}: {error}"));
        assert_eq!(timed.ops, floor.ops, "{version}, {setup:?}");
    }
}

#[test]
fn nqueens_stops_at_its_limit_and_at_the_last_solution() {
    let usual =
        nqueens::QueensSetup { size: 6, threshold: 2, solvers: 4, limit: 3, priorities: 10 };
    let check = |setup| {
        in_every_version(nqueens::VERSIONS, nqueens::run, nqueens::floor, &setup);
    };
    // Of 40 solutions: some, all, more than there are; and boards that are work items themselves.
    for (limit, threshold) in [(1, 2), (40, 2), (1000, 2), (7, 1), (40, 20)] {
        check(nqueens::QueensSetup { limit, threshold, ..usual });
    }
    check(nqueens::QueensSetup { priorities: 1, threshold: 5, ..usual });
}

#[test]
fn astar_finds_a_way_if_there_is_one() {
    for first in [astar::First::Farthest, astar::First::Nearest] {
        // Work items of one node, of some, of all; in some of these grids no way leads to the goal.
        for threshold in [1, 16, 1_000_000] {
            let usual = astar::AStarSetup { edge: 8, searchers: 4, threshold, seed: 1, first };
            let small = (0..8).map(|seed| astar::AStarSetup { edge: 2, seed, ..usual });
            for setup in [usual].into_iter().chain(small) {
                in_every_version(astar::VERSIONS, astar::run, astar::floor, &setup);
            }
        }
    }
}

#[test]
fn philosophers_of_any_number_eat() {
    for philosophers in [2, 3, 20, 63] {
        let setup = philosophers::PhilosophersSetup { philosophers, rounds: 20 };
        let versions = philosophers::VERSIONS;
        in_every_version(versions, philosophers::run, philosophers::floor, &setup);
    }
}

#[test]
fn the_barber_serves_everybody_however_few_seats_there_are() {
    for seats in [1, 2, 1000] {
        // A slow barber has them all wait; a fast one sleeps.
        for (pause, cut) in [(1, 500), (500, 1)] {
            let setup = barber::BarberSetup { haircuts: 30, seats, pause, cut, seed: 1 };
            in_every_version(barber::VERSIONS, barber::run, barber::floor, &setup);
        }
    }
}

#[test]
fn smokers_smoke_what_they_drew() {
    for smokers in [1, 2, 50] {
        let setup = cigsmok::SmokersSetup { rounds: 20, smokers, smoke: 1000, seed: 1 };
        in_every_version(cigsmok::VERSIONS, cigsmok::run, cigsmok::floor, &setup);
    }
}
