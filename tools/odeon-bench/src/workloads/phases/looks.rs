//! What is seen of an actor's progress from outside, and what follows from it.

use std::time::Duration;

/// Messages that an actor had handled at some time.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct WorkDone {
    pub(super) elapsed: Duration,
    pub(super) done: u64,
}

/// Messages that had been handled when those `window` began during which there were, for the first
/// time, `per_second` in a second.
pub(super) fn messages_until(looks: &[WorkDone], per_second: f64, window: u64) -> Option<u64> {
    let mut end = 0;
    for (index, begin) in looks.iter().enumerate() {
        end = end.max(index);
        while looks.get(end)?.done - begin.done < window {
            end += 1;
        }
        let elapsed = (looks[end].elapsed - begin.elapsed).as_secs_f64();
        if (looks[end].done - begin.done) as f64 >= per_second * elapsed {
            return Some(begin.done);
        }
    }
    None
}
