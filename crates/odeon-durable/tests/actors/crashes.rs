//! Crashes and errors of the disk at any of its operations: what anybody has heard of is there, and
//! nothing is there in half.

use super::ledger::{Audited, PATIENCE, audit, processings, spawn, store, theater, transfer};
use super::ledger::{ToLedger, find_again};
use odeon_core::{Access, Random};
use odeon_testkit::disk::{DiskFault, SimulatedDisk};
use odeon_testkit::for_seeds;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::thread;

const CLIENTS: usize = 3;

/// What clients have heard, over several lives of their ledger.
#[derive(Debug, Default)]
struct Heard {
    /// Of their own transfers.
    of_own: [u64; CLIENTS],
    /// In an audit.
    audited: Option<Audited>,
}

impl Heard {
    /// What is found has all of that, and of each client one transfer at most that it had not heard
    /// of.
    fn check(&mut self, found: &Audited) {
        found.check();
        for (client, heard) in self.of_own.iter_mut().enumerate() {
            let there = found.of_client(client as u32);
            assert!((*heard..=*heard + 1).contains(&there), "{heard} of {client}: {found:?}");
            *heard = there;
        }
        if let Some(seen) = &self.audited {
            for (client, number) in &seen.of_clients {
                assert!(found.of_client(*client) >= *number, "{seen:?} was seen: {found:?}");
            }
        }
    }

    /// A ledger lives until the disk fails, or all clients have had enough.
    fn live(&mut self, disk: &SimulatedDisk, random: &mut Random) {
        let theater = theater();
        let processing = processings()[random.below(processings().len())].clone();
        let Ok(ledger) = spawn(&theater, &store(disk.clone()), processing) else { return };
        let Some(found) = find_again(&ledger) else { return };
        self.check(&found);
        let (over, seen) = (AtomicBool::new(false), Mutex::new(found));
        thread::scope(|scope| {
            let clients: Vec<_> = (0..CLIENTS)
                .map(|client| {
                    let (ledger, heard) = (&ledger, self.of_own[client]);
                    scope.spawn(move || transfer(ledger, client as u32, heard + 1, 25).0)
                })
                .collect();
            scope.spawn(|| {
                while !over.load(SeqCst) {
                    let ask = ledger.ask(|reply| ToLedger::Audit(Access::Snapshot, reply));
                    let Ok(found) = ask.wait() else { return };
                    found.check();
                    *seen.lock().unwrap() = found;
                }
            });
            for (heard, client) in self.of_own.iter_mut().zip(clients) {
                *heard = client.join().unwrap();
            }
            over.store(true, SeqCst);
        });
        self.audited = Some(seen.into_inner().unwrap());
        let _ = theater.shutdown(PATIENCE);
    }
}

#[test]
fn s44_what_was_heard_survives_crashes() {
    for_seeds(300, |seed| {
        let (mut heard, mut random) = (Heard::default(), Random::from_seed(seed));
        let mut disk = SimulatedDisk::new(seed);
        for _ in 0..3 {
            disk.fail_at(random.below(120) as u64, DiskFault::Crash);
            heard.live(&disk, &mut random);
            disk = disk.crash();
        }
        disk.heal();
        let theater = theater();
        let ledger = spawn(&theater, &store(disk), processings()[1].clone()).unwrap();
        heard.check(&audit(&ledger));
    });
}

#[test]
fn s45_what_was_heard_survives_errors_of_the_disk() {
    for_seeds(300, |seed| {
        let (mut heard, mut random) = (Heard::default(), Random::from_seed(seed));
        let mut disk = SimulatedDisk::new(seed);
        for life in 0..3 {
            let next = disk.operations() + random.below(80) as u64;
            disk.fail_at(next, DiskFault::Error);
            if life == 1 {
                disk.set_capacity(random.below(20_000));
            }
            heard.live(&disk, &mut random);
            if random.below(2) == 0 {
                disk = disk.crash();
            }
        }
        disk.heal();
        let theater = theater();
        let ledger = spawn(&theater, &store(disk), processings()[1].clone()).unwrap();
        heard.check(&audit(&ledger));
    });
}
