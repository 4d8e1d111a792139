//! Crashes and errors at every operation of random programs: what was acknowledged is there, and
//! of what was not at most one epoch, whole.

use crate::program::{Told, live};
use odeon_core::Random;
use odeon_testkit::disk::{DiskFault, SimulatedDisk};
use odeon_testkit::for_seeds;

/// How many operations the program of that seed has, if nothing fails.
fn operations(seed: u64) -> u64 {
    let disk = SimulatedDisk::new(seed);
    live(&mut Told::default(), &disk, seed).expect("nothing fails");
    disk.operations()
}

#[test]
fn what_was_acknowledged_survives_a_crash_at_any_operation() {
    for_seeds(150, |seed| {
        for operation in 0..=operations(seed) {
            let mut told = Told::default();
            let mut disk = SimulatedDisk::new(seed ^ operation << 32);
            disk.fail_at(operation, DiskFault::Crash);
            let mut random = Random::from_seed(seed ^ operation << 32);
            // Further lives, that end anywhere too: most of all while they recover.
            for life in 0..4 {
                let _ = live(&mut told, &disk, seed + life);
                disk = disk.crash();
                let most = if life % 2 == 0 { 8 } else { 40 };
                disk.fail_at(random.below(most) as u64, DiskFault::Crash);
            }
            let disk = disk.crash();
            live(&mut told, &disk, seed).expect("nothing fails any more");
            told.open(&disk.crash()).expect("nothing fails any more");
        }
    });
}

#[test]
fn what_was_acknowledged_survives_an_error_of_any_operation() {
    for_seeds(150, |seed| {
        for operation in 0..operations(seed) {
            let mut told = Told::default();
            let mut disk = SimulatedDisk::new(seed ^ operation << 32);
            disk.fail_at(operation, DiskFault::Error);
            let _ = live(&mut told, &disk, seed);
            // Another process finds the disk as the system shows it, also what is not on it.
            let again = disk.operations() + operation % 12;
            if seed % 2 == 0 {
                disk.fail_at(again, DiskFault::Error);
                let _ = live(&mut told, &disk, seed + 1);
            } else {
                disk.fail_at(again, DiskFault::Crash);
                let _ = live(&mut told, &disk, seed + 1);
                disk = disk.crash();
            }
            disk.heal();
            live(&mut told, &disk, seed + 2).expect("nothing fails any more");
            told.open(&disk.crash()).expect("nothing fails any more");
        }
    });
}

#[test]
fn what_was_acknowledged_survives_a_full_disk() {
    for_seeds(150, |seed| {
        let mut random = Random::from_seed(seed);
        let mut told = Told::default();
        let mut disk = SimulatedDisk::new(seed);
        for life in 0..3 {
            disk.set_capacity(random.below(12_000));
            let _ = live(&mut told, &disk, seed + life);
            if random.below(2) == 0 {
                disk = disk.crash();
            }
        }
        disk.heal();
        live(&mut told, &disk, seed).expect("there is room");
        told.open(&disk.crash()).expect("there is room");
    });
}
