//! Looking at something from another thread while a run is under way.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Does `work` while another thread calls `look` again and again, with `every` between two calls,
/// and with the time since the beginning.
pub fn watch<T>(
    every: Duration,
    mut look: impl FnMut(Duration) + Send,
    work: impl FnOnce() -> T,
) -> T {
    let (working, ended) = channel::<()>();
    let begun = Instant::now();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            while ended.recv_timeout(every) == Err(RecvTimeoutError::Timeout) {
                look(begun.elapsed());
            }
        });
        // Dropped also when `work` panics.
        let _working = working;
        work()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_are_taken_until_the_work_is_done() {
        let mut looks = Vec::new();
        let (seen, look) = channel();
        let answer = watch(
            Duration::from_millis(1),
            |at| looks.push((at, seen.send(()))),
            || {
                look.recv().expect("it looks");
                look.recv().expect("it looks again");
                7
            },
        );
        assert_eq!(answer, 7);
        assert!(looks.len() >= 2 && looks.is_sorted_by_key(|(at, _)| *at));
    }
}
