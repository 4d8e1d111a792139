//! Wakers are anybody's code: what they do, and how they end, is no concern of who wakes them.

use crate::support::Bomb;
use odeon_stm::staged::{Attempted, Awaited, attempt};
use odeon_stm::{Abort, Mode, TVar, atomically};
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::sync::{Arc, mpsc};
use std::task::{Wake, Waker};
use std::time::Duration;

/// Has `waker` woken when `variable` is written.
fn wake_at_change<T: Send + Sync>(
    variable: &Arc<TVar<T>>,
    waker: Arc<impl Wake + Send + Sync + 'static>,
) -> Awaited {
    let run = attempt(variable.clone(), Mode::Logged, |variable, tx| {
        variable.read(tx)?;
        Ok::<(), Abort<()>>(tx.retry()?)
    });
    let Attempted::RolledBack(rolled_back) = run else { panic!("it asks to retry") };
    rolled_back.wake(Waker::from(waker))
}

#[derive(Default)]
struct Throws(AtomicU32);

impl Wake for Throws {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, SeqCst);
        std::panic::panic_any(Bomb);
    }
}

#[test]
fn a_waker_whose_panic_panics_again_when_it_is_dropped_does_not_end_a_commit() {
    let names = [(); 3].map(|()| Arc::new(TVar::new(String::from("before"))));
    let throws = Arc::new(Throws::default());
    let awaited = names.each_ref().map(|name| wake_at_change(name, throws.clone()));
    atomically(|tx| names.iter().try_for_each(|name| name.set(tx, "after".into())));
    assert_eq!(throws.0.load(SeqCst), 3);
    assert!(awaited.iter().all(Awaited::is_over));
    assert!(names.iter().all(|name| name.peek() == "after"));
}

struct Counts(TVar<u32>);

impl Wake for Counts {
    fn wake(self: Arc<Self>) {
        atomically(|tx| self.0.update(tx, |n| n + 1));
    }
}

/// After 16 conflicts the transaction runs while nobody else may commit; who is woken by its commit
/// may.
#[test]
fn a_waker_begins_a_transaction_when_an_irrevocable_one_commits() {
    let (send, receive) = mpsc::channel();
    std::thread::spawn(move || {
        let (awaited_one, contended) = (Arc::new(TVar::new(0)), TVar::new(0));
        let counts = Arc::new(Counts(TVar::new(0)));
        let awaited = wake_at_change(&awaited_one, counts.clone());
        let mut runs = 0;
        atomically(|tx| {
            let seen = contended.get(tx)?;
            runs += 1;
            if runs <= 16 {
                std::thread::scope(|scope| {
                    scope.spawn(|| atomically(|tx| contended.update(tx, |n| n + 1)));
                });
            }
            awaited_one.set(tx, 1)?;
            contended.set(tx, seen + 1)
        });
        send.send((runs, contended.peek(), counts.0.peek(), awaited.is_over())).unwrap();
    });
    let outcome = receive.recv_timeout(Duration::from_secs(60));
    assert_eq!(outcome.expect("it does not hang"), (17, 17, 1, true));
}
