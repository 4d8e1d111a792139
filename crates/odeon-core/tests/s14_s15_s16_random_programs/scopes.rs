//! A tracer whose scopes are numbers that know what caused them.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

use odeon_core::extend::{Cause, Handling, Scope, Tracer, follow_sends};
use odeon_testkit::{DropTracker, Tracked};

/// A scope and the one that caused it; 0 is none.
#[derive(Clone, Copy, Default)]
struct Numbers {
    scope: u64,
    cause: u64,
}

thread_local! {
    /// In what this thread works.
    static PRESENT: Cell<Numbers> = const { Cell::new(Numbers { scope: 0, cause: 0 }) };
}

/// The scope in which this thread works.
pub(crate) fn scope() -> u64 {
    PRESENT.get().scope
}

/// Whether a message sent in scope `from` may be handled here.
pub(crate) fn is_caused_by(from: u64) -> bool {
    let present = PRESENT.get();
    present.scope == 0 || present.cause == from
}

/// Works in a scope that nothing caused.
pub(crate) fn in_scope<R>(scope: u64, work: impl FnOnce() -> R) -> R {
    within(Numbers { scope, cause: 0 }, work)
}

fn within<R>(numbers: Numbers, work: impl FnOnce() -> R) -> R {
    /// Also after a panic.
    struct Restore(Numbers);
    impl Drop for Restore {
        fn drop(&mut self) {
            PRESENT.set(self.0);
            follow_sends(self.0.scope != 0);
        }
    }
    let _restore = Restore(PRESENT.replace(numbers));
    follow_sends(true);
    work()
}

impl Scope for Numbers {
    fn run(&mut self, work: &mut dyn FnMut()) {
        within(*self, work);
    }
}

/// The first number of those that handlers get; lower ones are the test's.
const FIRST: u64 = 1_000_000;

pub(crate) struct Numbering {
    begun: AtomicU64,
    values: DropTracker,
}

impl Numbering {
    /// Its causes are among the values that have to be dropped.
    pub(crate) fn new(values: &DropTracker) -> Self {
        Self { begun: AtomicU64::new(FIRST), values: values.clone() }
    }
}

impl Tracer for Numbering {
    fn sent(&self) -> Option<Cause> {
        let scope = scope();
        (scope != 0).then(|| Box::new(self.values.track(scope)) as Cause)
    }

    fn begins(&self, cause: Cause, _: &Handling) -> Box<dyn Scope> {
        let cause = **cause.downcast::<Tracked<u64>>().expect("made by `sent`");
        Box::new(Numbers { scope: self.begun.fetch_add(1, SeqCst), cause })
    }
}
