//! Threads that have run a transaction and do something else are not in the way of others. One
//! test: it uses the process's room for attempts up.

use odeon_stm::staged::{Attempted, attempt};
use odeon_stm::{Abort, Mode, TVar, atomically};
use std::sync::{Arc, mpsc};
use std::thread;

/// Attempts that the engine has room for at one time.
const ROOM: usize = 4_094;
const LEFT: usize = 30;

#[test]
fn more_idle_threads_than_there_is_room_for_attempts_can_run_transactions() {
    let count = Arc::new(TVar::new(0_usize));
    let under_way: Vec<_> = (0..ROOM - LEFT)
        .map(|_| {
            let nothing = Arc::new(());
            match attempt(nothing, Mode::Logged, |_, _| Ok::<_, Abort<()>>(())) {
                Attempted::Finished(finished, ()) => finished,
                _ => panic!("nothing is in its way"),
            }
        })
        .collect();
    let idle: Vec<_> = (0..5 * LEFT)
        .map(|_| {
            let (go, is_told) = mpsc::channel::<()>();
            let (done, is_done) = mpsc::channel();
            let count = count.clone();
            let thread = thread::spawn(move || {
                atomically(|tx| count.update(tx, |n| n + 1));
                let staged = attempt(count, Mode::Logged, |count, tx| {
                    Ok::<_, Abort<()>>(count.update(tx, |n| n + 1)?)
                });
                let Attempted::Finished(finished, ()) = staged else {
                    panic!("nobody else writes")
                };
                finished.commit().unwrap();
                done.send(()).unwrap();
                // Idle, until the test ends.
                let _ = is_told.recv();
            });
            is_done.recv().expect("there is room for its attempts");
            (thread, go)
        })
        .collect();
    assert_eq!(count.peek(), 10 * LEFT);
    for (thread, go) in idle {
        drop(go);
        thread.join().unwrap();
    }
    under_way.into_iter().for_each(|finished| finished.commit().unwrap());
}
