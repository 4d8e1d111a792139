//! Exhaustive models of a phase: a reader joins while the owner wants to be alone, and the last one
//! out meets a write, a failure, a request, the stop, and the end. A state that is written while it
//! is read shows as a race of its cell; an owner that is not woken, as a model that never ends.

use odeon_sync::atomic::{AtomicU32, Ordering};
use odeon_sync::{Arc, UnsafeCell, thread};

use super::{Finished, OwnerLook, Phase, ReadOutcome};

/// What owner and reader share.
#[derive(Default)]
struct ReadWriteModel {
    phase: Phase<u32, Arc<()>, ()>,
    state: StateCell,
    /// Signals that the owner has been given.
    woken: AtomicU32,
    requests: AtomicU32,
    wakes: AtomicU32,
    handled: AtomicU32,
    /// The owner has told somebody that no read begins any more.
    told: AtomicU32,
    too_late: AtomicU32,
    ended: AtomicU32,
}

struct StateCell(UnsafeCell<u32>);

// SAFETY: what the models are about: loom sees a race.
unsafe impl Sync for StateCell {}
// SAFETY: as above.
unsafe impl Send for StateCell {}

impl Default for StateCell {
    fn default() -> Self {
        Self(UnsafeCell::new(0))
    }
}

impl ReadWriteModel {
    fn read(&self) -> u32 {
        self.handled.fetch_add(1, Ordering::Relaxed);
        // SAFETY: a race is found by loom.
        self.state.0.with(|state| unsafe { *state })
    }

    fn write(&self) {
        // SAFETY: as above.
        self.state.0.with_mut(|state| unsafe { *state += 1 });
    }

    fn share(&self, reads: u32) {
        self.share_by(1, reads);
    }

    fn share_by(&self, batch: usize, reads: u32) {
        let woken = self.phase.share(0..reads, batch, 1, || Arc::new(()));
        self.wake_reader(woken.reader);
    }

    fn wake_reader(&self, reader: Option<()>) {
        if reader.is_some() {
            self.wakes.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// One turn of the reader, until it rests. `outcome` is that of its first read.
    fn turn_of_reader(&self, mut outcome: ReadOutcome) {
        let mut batch = Vec::new();
        while let Some((keeps, wakes_reader)) = self.phase.begin(0, &mut batch) {
            self.wake_reader(wakes_reader);
            let outcome = self.handle(&mut batch, std::mem::take(&mut outcome));
            let Finished {
                has_next,
                wakes_reader,
                wakes_owner,
                requests,
                ends_state,
                too_late,
                over,
            } = self.phase.finish(&mut batch, outcome, false);
            assert!(!has_next && batch.is_empty());
            self.wake_reader(wakes_reader);
            self.too_late.fetch_add(too_late.len() as u32, Ordering::Relaxed);
            if ends_state {
                self.write();
                self.ended.fetch_add(1, Ordering::Release);
            }
            self.requests.fetch_add(requests, Ordering::Release);
            self.woken.fetch_add(u32::from(wakes_owner), Ordering::Release);
            drop((keeps, over));
        }
    }

    /// Rule 7: a reader looks between two reads.
    fn handle(&self, batch: &mut Vec<u32>, outcome: ReadOutcome) -> ReadOutcome {
        while !batch.is_empty() {
            let is_told = self.told.load(Ordering::Acquire) > 0;
            if self.phase.is_held_up() {
                break;
            }
            assert!(!is_told, "a read begins after somebody may know that none does");
            self.read();
            batch.remove(0);
            if !outcome.is_plain() {
                break;
            }
        }
        outcome
    }

    /// The owner goes idle until a signal comes.
    fn sleep(&self) {
        while self.woken.swap(0, Ordering::Acquire) == 0 {
            thread::yield_now();
        }
    }

    /// The owner handles reads and waits, until there is something else.
    fn look(&self) -> OwnerLook<u32> {
        loop {
            let (look, wakes_reader) = self.phase.look(true);
            self.wake_reader(wakes_reader);
            match look {
                OwnerLook::Read(_) => {
                    self.read();
                }
                OwnerLook::Busy => self.sleep(),
                other => return other,
            }
        }
    }
}

/// Runs a reader's turn beside what the owner does, after two reads have been shared.
fn beside(
    outcome: fn() -> ReadOutcome,
    owner: impl Fn(&Arc<ReadWriteModel>) + Sync + Send + 'static,
) {
    beside_batches(1, 2, outcome, owner);
}

/// As [`beside`], with so many reads, of which the reader takes so many at once.
fn beside_batches(
    batch: usize,
    reads: u32,
    outcome: fn() -> ReadOutcome,
    owner: impl Fn(&Arc<ReadWriteModel>) + Sync + Send + 'static,
) {
    loom::model(move || {
        let model = Arc::new(ReadWriteModel::default());
        model.phase.add_reader(());
        model.share_by(batch, reads);
        let reader = {
            let model = model.clone();
            thread::spawn(move || model.turn_of_reader(outcome()))
        };
        owner(&model);
        reader.join().unwrap();
    });
}

fn failing() -> ReadOutcome {
    ReadOutcome { failure: Some(Box::new("fails")), wants_stop: false }
}

#[test]
fn a_write_waits_for_the_last_reader_and_later_reads_see_it() {
    beside(ReadOutcome::default, |model| {
        assert!(matches!(model.look(), OwnerLook::Alone));
        model.write();
        assert_eq!(model.handled.load(Ordering::Relaxed), 2);
        model.share(1);
        assert!(matches!(model.look(), OwnerLook::Alone));
        model.write();
        assert_eq!(model.handled.load(Ordering::Relaxed), 3);
    });
}

#[test]
fn a_failure_beside_comes_to_the_owner_when_it_is_alone_and_loses_no_read() {
    beside(failing, |model| {
        let mut failures = 0;
        loop {
            match model.look() {
                OwnerLook::Failed(_) => {
                    failures += 1;
                    // A new state.
                    model.write();
                }
                OwnerLook::Alone => break,
                other => unreachable!("{other:?}"),
            }
        }
        model.write();
        assert_eq!(model.handled.load(Ordering::Relaxed), 2);
        assert!(failures <= 1, "the owner may have handled both reads");
    });
}

#[test]
fn who_asks_whether_it_is_alone_has_the_state_if_it_is() {
    beside(ReadOutcome::default, |model| {
        // The reader may have been through before.
        if model.phase.is_alone() {
            assert_eq!(model.handled.load(Ordering::Relaxed), 2);
            model.write();
        }
        assert!(matches!(model.look(), OwnerLook::Alone));
        assert!(model.phase.is_alone(), "until it shares others");
        model.write();
        assert_eq!(model.handled.load(Ordering::Relaxed), 2);
    });
}

#[test]
fn a_request_is_seen_to_alone() {
    beside(ReadOutcome::default, |model| {
        if !model.phase.pause() {
            while model.requests.swap(0, Ordering::Acquire) == 0 {
                thread::yield_now();
            }
            assert!(model.phase.pause(), "no reader begins meanwhile");
        }
        model.write();
        assert!(matches!(model.look(), OwnerLook::Alone));
        assert_eq!(model.handled.load(Ordering::Relaxed), 2);
    });
}

#[test]
fn a_stop_waits_for_reads_under_way_and_begins_no_other() {
    beside(ReadOutcome::default, |model| {
        while !model.phase.stop() {
            thread::yield_now();
        }
        model.write();
        let mut left = 0;
        assert!(model.phase.close(|_| left += 1));
        assert_eq!(left + model.handled.load(Ordering::Relaxed), 2);
    });
}

#[test]
fn of_a_batch_no_read_begins_that_may_know_of_the_stop() {
    beside_batches(2, 3, ReadOutcome::default, |model| {
        let mut is_alone = model.phase.stop();
        model.told.store(1, Ordering::Release);
        while !is_alone {
            thread::yield_now();
            is_alone = model.phase.stop();
        }
        model.write();
        let mut left = 0;
        assert!(model.phase.close(|_| left += 1));
        assert_eq!(left + model.handled.load(Ordering::Relaxed), 3);
    });
}

#[test]
fn of_a_batch_that_a_failure_interrupts_no_read_is_lost() {
    beside_batches(2, 3, failing, |model| {
        let mut failures = 0;
        loop {
            match model.look() {
                OwnerLook::Failed(_) => {
                    failures += 1;
                    model.write();
                }
                OwnerLook::Alone => break,
                other => unreachable!("{other:?}"),
            }
        }
        model.write();
        assert_eq!(model.handled.load(Ordering::Relaxed), 3);
        assert!(failures <= 1, "the owner may have handled all reads");
    });
}

#[test]
fn a_read_that_wants_the_end_is_followed_by_it() {
    beside(
        || ReadOutcome { failure: None, wants_stop: true },
        |model| {
            assert!(matches!(model.look(), OwnerLook::Stop | OwnerLook::Alone));
            model.write();
            let mut left = 0;
            assert!(model.phase.close(|_| left += 1));
            assert_eq!(left + model.handled.load(Ordering::Relaxed), 2);
        },
    );
}

#[test]
fn a_state_that_is_left_behind_is_ended_once() {
    beside(ReadOutcome::default, |model| {
        let mut left = 0;
        let is_alone = model.phase.close(|_| left += 1);
        if is_alone {
            model.write();
        }
        while !is_alone && model.ended.load(Ordering::Acquire) == 0 {
            thread::yield_now();
        }
        let too_late = model.too_late.load(Ordering::Relaxed);
        assert_eq!(left + model.handled.load(Ordering::Relaxed) + too_late, 2);
    });
}

#[test]
fn of_a_batch_that_is_left_behind_no_read_is_lost() {
    beside_batches(2, 3, ReadOutcome::default, |model| {
        let mut left = 0;
        let is_alone = model.phase.close(|_| left += 1);
        while !is_alone && model.ended.load(Ordering::Acquire) == 0 {
            thread::yield_now();
        }
        let too_late = model.too_late.load(Ordering::Relaxed);
        assert_eq!(left + model.handled.load(Ordering::Relaxed) + too_late, 3);
    });
}

#[test]
fn of_a_batch_that_is_recalled_no_read_begins_before_the_write_and_none_is_lost() {
    beside_batches(2, 2, ReadOutcome::default, |model| {
        let mut back = 0;
        model.phase.recall(|_| back += 1);
        model.told.store(1, Ordering::Release);
        match model.look() {
            OwnerLook::Alone => {}
            OwnerLook::Recalled(reads) => back += reads.len() as u32,
            other => unreachable!("{other:?}"),
        }
        model.write();
        assert_eq!(back + model.handled.load(Ordering::Relaxed), 2);
    });
}
