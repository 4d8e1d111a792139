//! Two banks pay each other while the disk of either crashes at any operation, and both are opened
//! again and again.

use super::bank::{Client, ToBank, Wrong, check_at_rest, connect, spawn};
use crate::actors::{PATIENCE, processings, store, theater};
use odeon_core::{Random, Theater};
use odeon_durable::DurableRef;
use odeon_testkit::disk::{DiskFault, SimulatedDisk};
use odeon_testkit::for_seeds;
use std::thread;

const CLIENTS: usize = 2;

/// A bank over all its lives.
struct Side {
    disk: SimulatedDisk,
    bank: Option<DurableRef<ToBank>>,
    clients: Vec<Client>,
    wrong: Wrong,
}

impl Side {
    fn new(seed: u64) -> Self {
        let clients = (0..CLIENTS).map(|client| Client::new(client as u128)).collect();
        Self { disk: SimulatedDisk::new(seed), bank: None, clients, wrong: Wrong::default() }
    }

    /// Has a bank, if the disk lets it: the one that is there, or the next one.
    fn open(&mut self, theater: &Theater, random: &mut Random) {
        if self.bank.as_ref().is_some_and(|bank| bank.log_failure().is_none()) {
            return;
        }
        if let Some(bank) = self.bank.take() {
            bank.stop();
        }
        self.disk = self.disk.crash();
        self.disk.fail_at(random.below(150) as u64, DiskFault::Crash);
        self.bank = self.open_now(theater, random);
    }

    fn open_now(&self, theater: &Theater, random: &mut Random) -> Option<DurableRef<ToBank>> {
        let processing = processings()[random.below(processings().len())].clone();
        spawn(theater, &store(self.disk.clone()), "bank", processing, &self.wrong).ok()
    }
}

#[test]
fn s47_two_actors_whose_disks_crash_lose_and_double_nothing() {
    for_seeds(200, |seed| {
        let mut random = Random::from_seed(seed);
        let mut sides = [Side::new(2 * seed), Side::new(2 * seed + 1)];
        for _ in 0..2 {
            let theater = theater();
            for _ in 0..2 {
                for side in &mut sides {
                    side.open(&theater, &mut random);
                }
                if let [Some(one), Some(other)] = [&sides[0].bank, &sides[1].bank] {
                    connect([one, other]);
                }
                thread::scope(|scope| {
                    for Side { bank, clients, .. } in &mut sides {
                        let Some(bank) = bank.as_ref() else { continue };
                        for client in clients {
                            let mut random = Random::from_seed(random.next_u64());
                            scope.spawn(move || drop(client.live(bank, 8, &mut random)));
                        }
                    }
                });
            }
            for side in &mut sides {
                side.bank = None;
            }
            let _ = theater.shutdown(PATIENCE);
        }
        let theater = theater();
        let banks = sides.each_mut().map(|side| {
            side.disk = side.disk.crash();
            side.disk.heal();
            side.open_now(&theater, &mut random).expect("the disk is well")
        });
        connect(banks.each_ref());
        // What they have not heard of, at least.
        for (side, bank) in sides.iter_mut().zip(&banks) {
            for client in &mut side.clients {
                client.live(bank, 2, &mut random).expect("the disk is well");
            }
        }
        for side in &sides {
            check_at_rest(banks.each_ref(), &side.wrong);
        }
    });
}
