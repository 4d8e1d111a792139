//! Tasks of tokio.

use std::hash::{Hash, Hasher};

use tokio::runtime::Handle;

use crate::vocabulary::foreign_task::ForeignTask;

/// The task of tokio that this thread runs, if it does.
pub(super) fn task_here() -> Option<ForeignTask> {
    if let Some(id) = tokio::task::try_id() {
        return Some(ForeignTask::Numbered(number(id)));
    }
    Handle::try_current().is_ok().then_some(ForeignTask::Unnumbered)
}

/// The number that a task is told from all others by.
fn number(id: tokio::task::Id) -> u64 {
    /// Keeps what is hashed.
    #[derive(Default)]
    struct IdentityHasher(u64);

    impl Hasher for IdentityHasher {
        fn finish(&self) -> u64 {
            self.0
        }
        fn write_u64(&mut self, number: u64) {
            self.0 = number;
        }
        fn write(&mut self, bytes: &[u8]) {
            for byte in bytes {
                self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
            }
        }
    }

    let mut kept = IdentityHasher::default();
    id.hash(&mut kept);
    kept.finish()
}
