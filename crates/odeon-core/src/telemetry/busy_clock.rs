//! For how long a thread of a stage has had work.

use std::time::Duration;

use odeon_sync::atomic::{AtomicU64, Ordering};

/// Goes on while the thread has work. One writer, the thread; whoever reads is never told less than
/// before.
#[derive(Debug, Default)]
pub(crate) struct BusyClock {
    /// One word, so that nobody sees half a change. The lowest bit says whether the thread has
    /// work; the others are nanoseconds: without work, for how long it has had some; with work,
    /// since when it would have had it, had it never been without.
    state: AtomicU64,
    /// The longest time that has been told: the thread asks for the time before it writes, so that
    /// what it writes can lie behind what a reader has made of the earlier state.
    told: AtomicU64,
}

const HAS_WORK: u64 = 1;

impl BusyClock {
    /// The thread has found work.
    pub(crate) fn begin(&self, now: Duration) {
        self.set(nanos(now).saturating_sub(self.busy_at(now)), HAS_WORK);
    }

    /// The thread has run out of work.
    pub(crate) fn end(&self, now: Duration) {
        self.set(self.busy_at(now), 0);
    }

    /// Up to `now`.
    pub(crate) fn time(&self, now: Duration) -> Duration {
        let busy = self.busy_at(now);
        // ORDERING: Relaxed, here and below: a number for people, in one word; nothing is decided
        // by it.
        Duration::from_nanos(self.told.fetch_max(busy, Ordering::Relaxed).max(busy))
    }

    fn busy_at(&self, now: Duration) -> u64 {
        let state = self.state.load(Ordering::Relaxed);
        let time = state >> 1;
        if state & HAS_WORK == 0 { time } else { nanos(now).saturating_sub(time) }
    }

    fn set(&self, time: u64, has_work: u64) {
        self.state.store(time << 1 | has_work, Ordering::Relaxed);
    }
}

/// 292 years fit in beside the bit.
fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(all(test, not(any(odeon_loom, odeon_shuttle))))]
mod tests {
    use super::BusyClock;
    use std::time::Duration;

    const fn at(nanos: u64) -> Duration {
        Duration::from_nanos(nanos)
    }

    #[test]
    fn time_goes_on_while_there_is_work() {
        let clock = BusyClock::default();
        assert_eq!(clock.time(at(100)), at(0));
        clock.begin(at(100));
        assert_eq!(clock.time(at(130)), at(30));
        clock.end(at(150));
        assert_eq!(clock.time(at(190)), at(50));
        clock.begin(at(200));
        assert_eq!(clock.time(at(210)), at(60));
        clock.end(at(220));
        assert_eq!(clock.time(at(220)), at(70));
    }

    /// The thread asks for the time, and a reader comes before it has written.
    #[test]
    fn what_has_been_told_is_not_taken_back() {
        let clock = BusyClock::default();
        clock.begin(at(0));
        assert_eq!(clock.time(at(226)), at(226));
        clock.end(at(180));
        assert_eq!(clock.time(at(300)), at(226));
        clock.begin(at(400));
        assert_eq!(clock.time(at(440)), at(226));
        assert_eq!(clock.time(at(500)), at(280));
    }
}
