//! Crashes and errors of the disk at any of its operations: a transaction is there at all of its
//! actors or at none, and what anybody has heard of is there.

use super::vaults::{Heard, ToVault, VAULTS, Vaults, store};
use crate::actors::{PATIENCE, processings, theater};
use odeon_core::{Access, Random};
use odeon_durable::Store;
use odeon_testkit::disk::{DiskFault, SimulatedDisk};
use odeon_testkit::for_seeds;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::thread;

const CLIENTS: u32 = 3;

/// The vaults live until a disk fails, or all clients have had enough.
fn live(heard: &mut Heard, store: &Store, random: &mut Random) {
    let theater = theater();
    let kinds = [(); VAULTS].map(|()| random.below(processings().len()));
    let vaults = Vaults::spawn(&theater, store, |vault| processings()[kinds[vault]].clone());
    let Ok(vaults) = vaults else { return };
    let Ok(found) = vaults.audit(&theater, Access::Update) else { return };
    heard.check(CLIENTS, &found);
    let (over, seen) = (AtomicBool::new(false), Mutex::new(found));
    thread::scope(|scope| {
        let clients: Vec<_> = (0..CLIENTS)
            .map(|client| {
                let (vaults, theater, heard) = (&vaults, &theater, heard.of_own[&client]);
                scope.spawn(move || {
                    let pays = (heard + 1..).take(12);
                    pays.take_while(|number| vaults.pay(theater, client, *number)).count()
                })
            })
            .collect();
        scope.spawn(|| {
            while !over.load(SeqCst) {
                let Ok(found) = vaults.audit(&theater, Access::Snapshot) else { return };
                *seen.lock().unwrap() = found;
            }
        });
        for vault in &vaults.0 {
            let over = &over;
            scope.spawn(
                move || {
                    while !over.load(SeqCst) && vault.ask(ToVault::Move).wait().is_ok() {}
                },
            );
        }
        for (client, paid) in (0..).zip(clients) {
            *heard.of_own.get_mut(&client).unwrap() += paid.join().unwrap() as u64;
        }
        over.store(true, SeqCst);
    });
    heard.audited = seen.into_inner().unwrap();
    let _ = theater.shutdown(PATIENCE);
}

/// All disks work.
fn check_at_last(heard: &mut Heard, store: &Store) {
    let theater = theater();
    let vaults = Vaults::spawn(&theater, store, |_| processings()[1].clone()).unwrap();
    heard.check(CLIENTS, &vaults.audit(&theater, Access::Update).unwrap());
    let _ = theater.shutdown(PATIENCE);
}

fn folders(disk: &SimulatedDisk) -> Store {
    store(["0", "1", "2", "transactions"].map(|name| disk.folder(name)))
}

#[test]
fn s44_transactions_survive_crashes_wholly_or_not_at_all() {
    for_seeds(100, |seed| {
        let (mut heard, mut random) = (Heard::default(), Random::from_seed(seed));
        let mut disk = SimulatedDisk::new(seed);
        for _ in 0..3 {
            disk.fail_at(random.below(240) as u64, DiskFault::Crash);
            live(&mut heard, &folders(&disk), &mut random);
            disk = disk.crash();
        }
        disk.heal();
        check_at_last(&mut heard, &folders(&disk));
    });
}

/// Of one actor's log, or that of transactions, while the others go on.
#[test]
fn s45_transactions_survive_errors_of_one_disk_of_several() {
    for_seeds(100, |seed| {
        let (mut heard, mut random) = (Heard::default(), Random::from_seed(seed));
        let mut disks = [0, 1, 2, 3].map(|disk| SimulatedDisk::new(4 * seed + disk));
        for _ in 0..3 {
            let disk = &disks[random.below(disks.len())];
            let fault = if random.below(2) == 0 { DiskFault::Crash } else { DiskFault::Error };
            disk.fail_at(disk.operations() + random.below(80) as u64, fault);
            live(&mut heard, &store(disks.clone()), &mut random);
            disks = disks.map(|disk| disk.crash());
        }
        disks.iter().for_each(SimulatedDisk::heal);
        check_at_last(&mut heard, &store(disks));
    });
}
