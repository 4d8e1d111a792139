//! How much memory reading takes: a block at a time, and nothing for what a damaged one says.

#[allow(dead_code, reason = "another program of tests needs more of it")]
mod encoded;
mod folder;

use encoded::Encoded;
use folder::Folder;
use odeon_log::{
    DirectoryStorage, Found, LogError, LogOptions, LogReader, Recovered, Recovery, TornEnd,
};
use std::alloc::{GlobalAlloc, Layout, System};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Knows how many bytes are allocated, and how many were at most.
struct Counting;

static BYTES: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

// SAFETY: all is left to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // ORDERING: Relaxed: numbers for the test's own thread.
        let before = BYTES.fetch_add(layout.size(), Relaxed);
        MOST.fetch_max(before + layout.size(), Relaxed);
        // SAFETY: passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        // ORDERING: Relaxed: as above.
        BYTES.fetch_sub(layout.size(), Relaxed);
        // SAFETY: passed on.
        unsafe { System.dealloc(place, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// How many bytes more than before there were at most.
fn most(body: impl FnOnce()) -> usize {
    // ORDERING: Relaxed: numbers of this thread.
    let before = BYTES.load(Relaxed);
    MOST.store(before, Relaxed);
    body();
    MOST.load(Relaxed) - before
}

const KIB: usize = 1024;
const EPOCHS: u64 = 200;

fn storage(path: &Path) -> Arc<DirectoryStorage> {
    Arc::new(DirectoryStorage::create(path).expect("it can be created"))
}

/// Recovers all of it; answers the torn end.
fn recover(path: &Path) -> Result<Option<TornEnd>, LogError> {
    let mut recovery = Recovery::open(storage(path), LogOptions::default())?;
    let mut torn = None;
    while let Some(recovered) = recovery.read_next()? {
        if let Recovered::TornEnd(end) = recovered {
            torn = Some(end);
        }
    }
    Ok(torn)
}

fn count_epochs(path: &Path) -> u64 {
    let mut reader = LogReader::open(storage(path)).expect("it can be read");
    let mut epochs = 0;
    while let Some(found) = reader.read_next().expect("it can be read") {
        epochs += u64::from(matches!(found, Found::Epoch { .. }));
    }
    epochs
}

#[test]
fn reading_takes_the_memory_of_one_block() {
    let folder = Folder::new("memory");
    let mut writer = Recovery::open(storage(folder.path()), LogOptions::default())
        .unwrap()
        .into_writer()
        .unwrap();
    for _ in 0..EPOCHS {
        writer.append_epoch([&[7; 64 * KIB][..]]).unwrap();
    }
    drop(writer);
    let limit = 400 * KIB;
    let bytes = most(|| assert_eq!(recover(folder.path()).unwrap(), None));
    assert!(bytes < limit, "{bytes}");

    // All of the file is searched for what is left.
    let file = folder.path().join("00000000000000000001.segment");
    let whole = std::fs::read(&file).unwrap();
    let mut damaged = whole.clone();
    damaged[40..100].fill(0);
    std::fs::write(&file, &damaged).unwrap();
    let bytes = most(|| assert!(matches!(recover(folder.path()), Err(LogError::Damage(_)))));
    assert!(bytes < limit, "{bytes}");
    assert_eq!(count_epochs(folder.path()), EPOCHS - 1);
    damaged[40..].fill(0xF5);
    std::fs::write(&file, &damaged).unwrap();
    let bytes = most(|| {
        let torn = recover(folder.path()).unwrap().expect("all of it looks torn");
        assert_eq!((torn.offset, torn.bytes), (40, whole.len() as u64 - 40));
    });
    assert!(bytes < limit, "{bytes}");

    // A length of 4 GiB that has the right checksum.
    let huge = Encoded::segment(7, 1).block(b"\xF5Epo", 1, u32::MAX, u32::MAX, b"");
    std::fs::write(&file, huge.bytes).unwrap();
    let bytes = most(|| assert!(recover(folder.path()).unwrap().is_some()));
    assert!(bytes < limit, "{bytes}");
}
