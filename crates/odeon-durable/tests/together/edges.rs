//! Orders, gaps, copies and slow disks.

use super::vaults::{Part, ToVault, VAULTS, Vault, Vaults, parts_of, store};
use crate::actors::{PATIENCE, SlowDisk, processings, theater};
use odeon_core::{Access, Theater};
use odeon_durable::{DurableRef, LogError, RecoverError, SpawnDurable, Store};
use odeon_log::{LogOptions, Storage};
use odeon_speculative::{Coordinate, CoordinationError, Outcome};
use odeon_testkit::disk::SimulatedDisk;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

/// What has not happened by then will not by itself.
const A_MOMENT: Duration = Duration::from_millis(50);

const FOLDERS: [&str; VAULTS + 1] = ["0", "1", "2", "transactions"];

fn spawn(theater: &Theater, store: &Store, name: &str) -> DurableRef<ToVault> {
    theater.spawn_durable(store, name, Vault::new(), processings()[2].clone()).unwrap()
}

/// Nothing moves, but it is known of the client.
fn part(client: u32, number: u64) -> ToVault {
    ToVault::Part(Part { client, number, amount: 0 })
}

fn together(
    theater: &Theater,
    vaults: [&DurableRef<ToVault>; 2],
    client: u32,
    number: u64,
) -> Outcome {
    theater.coordinate(|plan| {
        for vault in vaults {
            plan.send(vault, part(client, number));
        }
    })
}

/// Numbers of transactions cross: of two the first in one log is the second in the other one.
#[test]
fn s44_transactions_in_opposite_orders_are_settled() {
    let theater = Theater::builder().workers(4).build().unwrap();
    let disk = SimulatedDisk::new(1);
    let store = store(FOLDERS.map(|name| disk.folder(name)));
    let vaults = ["0", "1"].map(|name| spawn(&theater, &store, name));
    thread::scope(|scope| {
        for client in 0..4 {
            let (theater, [one, other]) = (&theater, vaults.each_ref());
            let order = if client % 2 == 0 { [one, other] } else { [other, one] };
            scope.spawn(move || {
                // An account of its own.
                for number in (1..=400).map(|number| 4 * number + u64::from(client)) {
                    let settled = together(theater, order, client, number).wait_timeout(PATIENCE);
                    assert_eq!(settled, Some(Ok(())));
                }
            });
        }
    });
    let _ = theater.shutdown(PATIENCE);
}

/// The epochs of the log of transactions have commits of one log with others between them, which
/// that log has.
#[test]
fn s44_what_is_kept_survives_snapshots_of_others() {
    let mut disk = SimulatedDisk::new(1);
    let open = |disk: &SimulatedDisk| store(FOLDERS.map(|name| disk.folder(name)));
    {
        let (theater, store) = (theater(), open(&disk));
        let vaults = ["0", "2"].map(|name| spawn(&theater, &store, name));
        for number in 1..=5 {
            for _ in 0..4 {
                vaults[0].ask(ToVault::Move).wait().unwrap();
            }
            together(&theater, vaults.each_ref(), 7, number).wait().unwrap();
        }
        disk = disk.crash();
        let _ = theater.shutdown(PATIENCE);
    }
    {
        let (theater, store) = (theater(), open(&disk));
        let vaults = ["1", "2"].map(|name| spawn(&theater, &store, name));
        let has_snapshot = || {
            let files = disk.folder("transactions").list().unwrap();
            files.iter().any(|name| name.ends_with(".snapshot"))
        };
        for number in (1..).take_while(|_| !has_snapshot()) {
            together(&theater, vaults.each_ref(), 9, number).wait().unwrap();
        }
        disk = disk.crash();
        let _ = theater.shutdown(PATIENCE);
    }
    let (theater, store) = (theater(), open(&disk));
    let vaults = ["0", "1", "2"].map(|name| spawn(&theater, &store, name));
    let last = |vault: usize, client: u32| {
        let audit = vaults[vault].ask(|reply| ToVault::Audit(Access::Update, reply)).wait();
        audit.unwrap().last(client)
    };
    assert_eq!([last(0, 7), last(2, 7)], [Some(5), Some(5)]);
    assert!(last(1, 9).is_some() && last(1, 9) == last(2, 9));
    let _ = theater.shutdown(PATIENCE);
}

#[test]
fn s44_a_failure_waits_for_what_its_transaction_has_seen() {
    let disks = [1, 2, 3, 4].map(|seed| SlowDisk::new(SimulatedDisk::new(seed)));
    let (theater, store) = (theater(), store(disks.clone()));
    let vaults = Vaults::spawn(&theater, &store, |_| processings()[1].clone()).unwrap();
    disks[0].close();
    let moved = vaults.0[0].ask(ToVault::Move);
    disks[0].until_one_waits();
    let (fails, seen) = (parts_of(7, 2)[1].1, Part { client: 7, number: 2, amount: 0 });
    let failed = theater.coordinate(|plan| {
        plan.send(&vaults.0[0], ToVault::Part(seen));
        plan.send(&vaults.0[1], ToVault::Fail(fails));
    });
    thread::sleep(A_MOMENT);
    assert!(vaults.0[0].durable_commits() < 2, "its disk waits");
    let heard = thread::spawn(move || failed.wait());
    thread::sleep(A_MOMENT);
    assert!(!heard.is_finished(), "what it has seen is not on the disk");
    disks[0].open_again();
    assert!(matches!(heard.join().unwrap(), Err(CoordinationError::Failed { .. })));
    moved.wait().unwrap();
    let _ = theater.shutdown(PATIENCE);
}

#[test]
fn s44_a_copy_of_a_log_is_refused_beside_it() {
    let mut disks = [1, 2, 3, 4].map(SimulatedDisk::new);
    {
        let (theater, store) = (theater(), store(disks.clone()));
        spawn(&theater, &store, "0").ask(ToVault::Move).wait().unwrap();
        let _ = theater.shutdown(PATIENCE);
    }
    disks[1] = disks[0].crash();
    let (theater, store) = (theater(), store(disks));
    let first = spawn(&theater, &store, "0");
    let copy = || theater.spawn_durable(&store, "1", Vault::new(), processings()[1].clone());
    let Err(RecoverError::Log(LogError::Storage { source, .. })) = copy() else {
        panic!("it has another one's id")
    };
    assert!(source.to_string().contains("same id"), "{source}");
    // It may be there when the other one has gone.
    first.stop();
    first.ended().wait();
    copy().unwrap();
    let _ = theater.shutdown(PATIENCE);
}

/// Of actors that do not come again.
#[test]
fn s44_what_actors_logs_have_is_kept_no_longer() {
    let disk = SimulatedDisk::new(1);
    let mut bytes = Vec::new();
    for life in 0..5 {
        let (theater, disk) = (theater(), disk.clone());
        let transactions = Arc::new(disk.folder("transactions"));
        let of_name = |disk: SimulatedDisk| {
            move |name: &str| Ok(Arc::new(disk.folder(name)) as Arc<dyn Storage>)
        };
        let store = Store::on(of_name(disk.clone()))
            .transactions_on(transactions.clone())
            .log_options(LogOptions::default().segment_bytes(3_000));
        let vaults = [0, 1].map(|vault| spawn(&theater, &store, &format!("{life}-{vault}")));
        for number in 1..=200 {
            together(&theater, vaults.each_ref(), 7, number).wait().unwrap();
        }
        let _ = theater.shutdown(PATIENCE);
        drop((vaults, store));
        let files = transactions.list().unwrap().into_iter();
        let sizes = files.map(|name| disk.bytes(&format!("transactions/{name}")).unwrap().len());
        bytes.push(sizes.sum::<usize>());
    }
    assert!(bytes.iter().all(|bytes| *bytes < 5_000), "{bytes:?}");
}
