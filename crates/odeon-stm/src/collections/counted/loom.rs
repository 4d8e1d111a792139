//! The end of a node that two threads share, in every interleaving.

use super::{Counted, ShareCount, SharedNode};
use odeon_sync::atomic::{AtomicU32, Ordering};
use odeon_sync::{Arc, UnsafeCell, thread};

/// Notices its end, and through loom also a look at it which that does not come after.
struct ModelNode {
    count: ShareCount,
    value: UnsafeCell<u32>,
    ends: Arc<AtomicU32>,
}

// SAFETY: the value is written by the end alone, which comes after all looks; loom checks that it
// does.
unsafe impl Sync for ModelNode {}
// SAFETY: as above.
unsafe impl Send for ModelNode {}

// SAFETY: each node is made with a count of its own, which stays.
unsafe impl Counted for ModelNode {
    fn count(&self) -> &ShareCount {
        &self.count
    }
}

impl ModelNode {
    fn look(&self) -> u32 {
        // SAFETY: nobody writes before the end.
        self.value.with(|value| unsafe { *value })
    }
}

impl Drop for ModelNode {
    fn drop(&mut self) {
        // SAFETY: nobody shares the node any more.
        self.value.with_mut(|value| unsafe { *value = 0 });
        self.ends.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn the_last_one_ends_the_node_once_after_all_have_looked() {
    loom::model(|| {
        let ends = Arc::new(AtomicU32::new(0));
        let node =
            ModelNode { count: ShareCount::new(), value: UnsafeCell::new(7), ends: ends.clone() };
        let first = SharedNode::new(node);
        let second = first.share();
        let other = thread::spawn(move || {
            assert_eq!(second.look(), 7);
            drop(second.share());
            drop(second);
        });
        assert_eq!(first.look(), 7);
        drop(first.into_inner());
        other.join().unwrap();
        assert_eq!(ends.load(Ordering::Relaxed), 1);
    });
}
