//! Exhaustive model of the parker: a token is never lost, and publishes what came before it.

use crate::atomic::{AtomicU32, Ordering};
use crate::{Arc, Parker, thread};

#[test]
fn a_token_is_never_lost() {
    loom::model(|| {
        let parker = Arc::new(Parker::new());
        let data = Arc::new(AtomicU32::new(0));
        let waker = thread::spawn({
            let (parker, data) = (parker.clone(), data.clone());
            move || {
                // ORDERING: Relaxed: the parker's token must publish it, that is what is tested.
                data.store(7, Ordering::Relaxed);
                parker.unpark();
            }
        });
        parker.park();
        assert_eq!(data.load(Ordering::Relaxed), 7);
        waker.join().expect("the waker does not panic");
    });
}

#[test]
fn two_wakers_leave_at_most_one_token_behind() {
    loom::model(|| {
        let parker = Arc::new(Parker::new());
        let wakers: Vec<_> = (0..2)
            .map(|_| {
                let parker = parker.clone();
                thread::spawn(move || parker.unpark())
            })
            .collect();
        parker.park();
        for waker in wakers {
            waker.join().expect("the waker does not panic");
        }
        parker.unpark();
        parker.park();
    });
}
