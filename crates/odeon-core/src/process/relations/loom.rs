//! Exhaustive model of watching against ending: each watcher is told exactly once.

use odeon_sync::atomic::{AtomicU32, Ordering};
use odeon_sync::{Arc, thread};

use super::RelationsSlot;
use crate::vocabulary::actor_id::ActorId;
use crate::vocabulary::ended::Ended;
use crate::vocabulary::observe::EndReason;

fn ended() -> Ended {
    Ended::new(ActorId::new(0, 0), EndReason::Stopped, None)
}

/// As `lifecycle/watch.rs` does it.
fn watch(slot: &RelationsSlot, told: &Arc<AtomicU32>) {
    let told = told.clone();
    let watcher = Box::new(move |_: &Ended| {
        told.fetch_add(1, Ordering::Relaxed);
    });
    match slot.get_or_make() {
        Err(_) => watcher(&ended()),
        Ok(relations) => {
            if let Err((watcher, ended)) = relations.add_watcher(watcher) {
                watcher(&ended);
            }
        }
    }
}

/// As `turn/ending.rs` does it.
fn end(slot: &RelationsSlot) {
    if let Some(sealed) = slot.seal(ended, EndReason::Stopped) {
        for (_, watcher) in sealed.watchers {
            watcher(&sealed.ended);
        }
    }
}

#[test]
fn two_watchers_and_the_end_meet() {
    loom::model(|| {
        let slot = Arc::new(RelationsSlot::empty());
        let told = Arc::new(AtomicU32::new(0));
        let other = {
            let (slot, told) = (slot.clone(), told.clone());
            thread::spawn(move || watch(&slot, &told))
        };
        let ender = {
            let slot = slot.clone();
            thread::spawn(move || end(&slot))
        };
        watch(&slot, &told);
        other.join().unwrap();
        ender.join().unwrap();
        assert_eq!(told.load(Ordering::Relaxed), 2);
    });
}

#[test]
fn a_watcher_that_is_removed_is_told_or_comes_back() {
    loom::model(|| {
        let slot = Arc::new(RelationsSlot::empty());
        let told = Arc::new(AtomicU32::new(0));
        let relations = slot.get_or_make().expect("not ended");
        let counter = told.clone();
        let watcher = Box::new(move |_: &Ended| {
            counter.fetch_add(1, Ordering::Relaxed);
        });
        let Ok(key) = relations.add_watcher(watcher) else { unreachable!("not ended") };
        let ender = {
            let slot = slot.clone();
            thread::spawn(move || end(&slot))
        };
        let removed = slot.get().expect("made above").remove_watcher(key).is_some();
        ender.join().unwrap();
        assert_eq!(told.load(Ordering::Relaxed) == 0, removed);
    });
}
