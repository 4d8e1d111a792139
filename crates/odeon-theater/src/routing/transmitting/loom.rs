//! Two threads push beside a transmitter that has turns when it is woken, and ends: all that was
//! pushed goes.

use odeon_sync::atomic::{AtomicU32, Ordering};
use odeon_sync::{Arc, Mutex, thread};

use super::{Due, Raised};

#[derive(Default)]
struct Model {
    due: Due,
    queued: Mutex<u32>,
    gone: AtomicU32,
    wakes: AtomicU32,
}

impl Model {
    fn transmit_now(&self) {
        let queued = std::mem::take(&mut *self.queued.lock().unwrap());
        self.gone.fetch_add(queued, Ordering::Relaxed);
    }

    fn push(&self) {
        *self.queued.lock().unwrap() += 1;
        match self.due.raise() {
            Raised::Already => {}
            Raised::Wake => drop(self.wakes.fetch_add(1, Ordering::Release)),
            Raised::Alone => self.transmit_now(),
        }
    }

    /// A turn for each time that the transmitter has been woken.
    fn turns(&self) {
        for _ in 0..self.wakes.swap(0, Ordering::Acquire) {
            if self.due.lower() {
                self.transmit_now();
            }
        }
    }
}

#[test]
fn what_is_pushed_beside_a_turn_goes() {
    loom::model(|| {
        let model = Arc::new(Model::default());
        let others: Vec<_> = (0..2)
            .map(|_| {
                let model = model.clone();
                thread::spawn(move || model.push())
            })
            .collect();
        model.turns();
        others.into_iter().for_each(|other| other.join().unwrap());
        model.turns();
        assert_eq!(model.gone.load(Ordering::Relaxed), 2);
    });
}

#[test]
fn what_is_pushed_beside_the_end_goes() {
    loom::model(|| {
        let model = Arc::new(Model::default());
        let other = {
            let model = model.clone();
            thread::spawn(move || {
                model.push();
                model.push();
            })
        };
        // It ends without having had the turns for which it was woken.
        if model.due.end() {
            model.transmit_now();
        }
        other.join().unwrap();
        // Who raised the flag before the end and found nobody ended has been seen by the end;
        // nobody has turns after it.
        assert_eq!(model.gone.load(Ordering::Relaxed), 2);
    });
}
