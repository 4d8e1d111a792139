//! Values that were overwritten, until nobody can look at them any more.
//!
//! A value that was there from epoch `from` until epoch `until` can be reached by
//! * an attempt that entered its slot in an epoch not after `until` (it may hold a reference), and
//! * a snapshot whose epoch lies in `from .. until` (it finds it among its kept values).
//!
//! Nothing else can reach it (I4), so a stalled snapshot keeps one value per variable alive and not
//! everything that is written while it stalls. The intervals are those of hazard eras (Ramalhete,
//! Correia, SPAA 2017); the epochs are the clock's.

use crate::domain::Domain;
use crate::domain::kept::Needs;
use crate::words::contained::contained;
use crate::words::flaw::Flaw;
use odeon_sync::{Mutex, MutexGuard, fence_after_rmw};
use std::any::TypeId;

/// The type of values that own something.
#[derive(Debug)]
pub(crate) struct OwnedType {
    /// Frees the value that these bits are.
    pub(crate) free: unsafe fn(u64),
    /// Tells the type from all others: functions do not, for two may be one in the compiled code.
    pub(crate) id: fn() -> TypeId,
}

/// A value with what frees it; dropping this does. If the value's own drop panics, that ends here,
/// after the report: whoever frees a value has nothing to do with it, has perhaps committed, and
/// has others to free.
#[derive(Debug)]
pub(crate) struct Owned {
    bits: u64,
    of: &'static OwnedType,
}

// SAFETY: the bits are a value of a type that is `Send` (required where variables are made), or a
// snapshot's kept values, which are `Send`.
unsafe impl Send for Owned {}

impl Owned {
    /// # Safety
    ///
    /// Freeing `bits` must be sound once, on any thread, when this is dropped.
    pub(crate) unsafe fn new(bits: u64, of: &'static OwnedType) -> Self {
        Self { bits, of }
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        // SAFETY: `new`'s caller, and who alone drops, see to it.
        contained(|| unsafe { (self.of.free)(self.bits) });
    }
}

/// An overwritten value with the time in which it was there.
#[derive(Debug)]
pub(crate) struct Retired {
    pub(crate) from: u64,
    pub(crate) until: u64,
    _value: Owned,
}

impl Retired {
    /// # Safety
    ///
    /// Freeing `bits` must be sound once, on any thread, when nobody can reach the value by the
    /// rules of the module.
    pub(crate) unsafe fn new(from: u64, until: u64, bits: u64, of: &'static OwnedType) -> Self {
        // SAFETY: the caller's; the collector alone drops.
        Self { from, until, _value: unsafe { Owned::new(bits, of) } }
    }
}

/// TUNE: overwritten values that an attempt gathers before it looks what can be freed: the look
/// costs some hundred nanoseconds. Guessed; not worth an option.
const GATHERED: usize = 64;

/// The overwritten values of one thread.
#[derive(Debug, Default)]
pub(crate) struct Bag {
    retired: Vec<Retired>,
    /// How many make a look worth its cost, less `GATHERED`.
    due_above: usize,
    is_due: bool,
    /// What is to be [paid](HeldValues::pay) with the next look, beside the values that it looks
    /// at.
    released: usize,
    /// Memory for the values that the next look leaves.
    spare: Vec<Retired>,
}

/// TUNE: values for which a bag keeps spare memory: those of some looks. Guessed.
const KEPT: usize = 4 * GATHERED;

impl Bag {
    #[inline]
    pub(crate) fn add(&mut self, retired: Retired) {
        self.retired.push(retired);
        self.is_due |= self.retired.len() >= self.due_above + GATHERED;
    }

    /// The next look is worth its cost whatever there is: something will be free that has kept
    /// `released` values from being so.
    pub(crate) fn make_due(&mut self, released: usize) {
        self.is_due = true;
        self.released = self.released.saturating_add(released);
    }

    /// Whether a look is worth its cost.
    #[inline(always)]
    pub(crate) fn is_due(&self) -> bool {
        self.is_due
    }

    /// Until when the value was there that was added last.
    #[cfg(all(test, odeon_loom))]
    pub(crate) fn last_until(&self) -> Option<u64> {
        self.retired.last().map(|value| value.until)
    }

    /// Takes out what nobody can reach any more, to be dropped where user code may run. The
    /// caller's attempt has ended.
    #[must_use = "dropping it frees the values"]
    pub(crate) fn collect(&mut self, domain: &Domain) -> Vec<Retired> {
        let reach = Reach::now(domain);
        self.is_due = false;
        let released = std::mem::take(&mut self.released);
        domain.held_values.pay(released.saturating_add(self.retired.len()));
        let mut free = std::mem::replace(&mut self.retired, std::mem::take(&mut self.spare));
        let mut held = Vec::new();
        // Mostly nobody reaches any of them.
        let mut looked_at = 0;
        while let Some(value) = free.get(looked_at) {
            match reach.of(value) {
                Reached::Nobody => looked_at += 1,
                Reached::Snapshot => held.push(free.swap_remove(looked_at)),
                Reached::Attempt => self.retired.push(free.swap_remove(looked_at)),
            }
        }
        // Twice what is left over, so that values which a long attempt holds are not looked at
        // again and again.
        self.due_above = 2 * self.retired.len();
        if !held.is_empty() {
            domain.held_values.add(held);
        }
        free
    }

    /// Takes the memory of values that were [collected](Self::collect) and are freed.
    pub(crate) fn keep_memory(&mut self, freed: Vec<Retired>) {
        debug_assert!(freed.is_empty());
        if (self.spare.capacity() + 1..=KEPT).contains(&freed.capacity()) {
            self.spare = freed;
        }
    }

    /// The end of the memory: what is left becomes everybody's. Takes out what nobody can reach any
    /// more, if it is time to look. The caller's attempt has ended.
    #[must_use = "dropping it frees the values"]
    pub(crate) fn hand_over(&mut self, domain: &Domain) -> Vec<Retired> {
        let (left, released) =
            (std::mem::take(&mut self.retired), std::mem::take(&mut self.released));
        if left.is_empty() && released == 0 {
            return Vec::new();
        }
        domain.held_values.pay(released.saturating_add(left.len()));
        domain.held_values.add(left);
        domain.held_values.collect_if_paid(domain, GATHERED)
    }
}

/// Values that wait for the end of a snapshot, and those of threads that have ended or keep no
/// memory.
///
/// A look at them costs as much as there are, so one is made when as many were overwritten, or
/// released, as the last look has left: however many a long snapshot holds, an overwritten value
/// costs the same.
#[derive(Debug, Default)]
pub(crate) struct HeldValues(Mutex<RetiredValues>);

#[derive(Debug, Default)]
struct RetiredValues {
    values: Vec<Retired>,
    /// How many more are in the hand of who looks at them.
    looked_at: usize,
    /// How many the last look has left.
    left: usize,
    /// How many were overwritten, or released, since the last look.
    paid: usize,
}

impl HeldValues {
    fn held(&self) -> MutexGuard<'_, RetiredValues> {
        self.0.lock().expect("no panic happens under this lock")
    }

    fn add(&self, mut values: Vec<Retired>) {
        self.held().values.append(&mut values);
    }

    /// So many values were overwritten, or may be free because of an end.
    pub(crate) fn pay(&self, values: usize) {
        let mut held = self.held();
        held.paid = held.paid.saturating_add(values);
    }

    /// Takes out what nobody can reach any more, if a look is paid for, and with at least `least`.
    /// The caller's attempt has ended.
    #[must_use = "dropping it frees the values"]
    pub(crate) fn collect_if_paid(&self, domain: &Domain, least: usize) -> Vec<Retired> {
        let mut held = self.held();
        if held.values.is_empty() || held.paid < held.left.max(least) {
            return Vec::new();
        }
        held.paid = 0;
        held.left = held.values.len();
        held.looked_at += held.values.len();
        let values = std::mem::take(&mut held.values);
        // Nobody waits for a look at many values.
        drop(held);
        let looked_at = values.len();
        let reach = Reach::now(domain);
        let (free, mut left): (Vec<_>, Vec<_>) =
            values.into_iter().partition(|value| reach.of(value) == Reached::Nobody);
        let mut held = self.held();
        held.looked_at -= looked_at;
        held.values.append(&mut left);
        held.left = held.values.len();
        free
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        let held = self.held();
        held.values.len() + held.looked_at
    }
}

/// Who may reach a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reached {
    Nobody,
    Snapshot,
    Attempt,
}

/// A look at the attempts and snapshots that are under way.
struct Reach {
    oldest_attempt: u64,
    snapshots: Vec<Needs>,
    ignores_attempts: bool,
}

impl Reach {
    fn now(domain: &Domain) -> Self {
        // Attempts that enter their slots from here on are not before the values at hand.
        domain.clock.advance();
        // ORDERING: I4: pairs with the fences where attempts and snapshots enter their slots. One
        // that this look misses comes after it, and then reads what has overwritten the values at
        // hand.
        fence_after_rmw();
        let ignores_attempts = domain.has(Flaw::EarlyFree);
        let mut reach = Self { oldest_attempt: u64::MAX, snapshots: Vec::new(), ignores_attempts };
        for slot in domain.slots.iter() {
            if let Some(since) = slot.since() {
                reach.oldest_attempt = reach.oldest_attempt.min(since);
            }
            reach.snapshots.extend(slot.kept.needs());
        }
        reach
    }

    fn of(&self, value: &Retired) -> Reached {
        if value.until >= self.oldest_attempt && !self.ignores_attempts {
            Reached::Attempt
        } else if self.snapshots.iter().any(|needs| needs.value(value.from, value.until)) {
            Reached::Snapshot
        } else {
            Reached::Nobody
        }
    }
}
