//! A delay within the sections of one lock: how much slower everything becomes with it says how
//! much of everything that lock is. The variable `ODEON_LOCK_DELAY` has the end of its name and
//! nanoseconds: `src/executor/engine.rs:144=200`.

use std::sync::LazyLock;
use std::time::{Duration, Instant};

const VARIABLE: &str = "ODEON_LOCK_DELAY";

/// That of the place with this name.
pub(super) fn of(name: &str) -> Duration {
    static ASKED: LazyLock<Option<(String, Duration)>> =
        LazyLock::new(|| read(&std::env::var(VARIABLE).ok()?));
    match &*ASKED {
        Some((end, delay)) if name.ends_with(&**end) => *delay,
        _ => Duration::ZERO,
    }
}

/// What the variable says; `None` if that cannot be understood.
pub(super) fn read(text: &str) -> Option<(String, Duration)> {
    let (end, delay_ns) = text.rsplit_once('=')?;
    Some((end.to_owned(), Duration::from_nanos(delay_ns.parse().ok()?)))
}

pub(super) fn spin(delay: Duration) {
    let begun = Instant::now();
    while begun.elapsed() < delay {
        std::hint::spin_loop();
    }
}
