//! Exhaustive model: what threads hand in while another one tells is told, by somebody, once and in
//! order.

use odeon_sync::atomic::{AtomicU64, Ordering};
use odeon_sync::{Arc, Mutex, thread};

use super::InOrder;

struct Model {
    order: InOrder<u64>,
    happened: Mutex<u64>,
    told: AtomicU64,
}

impl Model {
    fn happens(&self) {
        let mut happened = self.happened.lock().unwrap();
        let (ticket, number) = (self.order.ticket(), *happened);
        *happened += 1;
        drop(happened);
        self.order.hand_in(ticket, number);
        // ORDERING: Relaxed: whoever tells next has seen the lock given back.
        self.order.tell(|number| {
            assert_eq!(self.told.load(Ordering::Relaxed), number);
            self.told.store(number + 1, Ordering::Relaxed);
        });
    }
}

#[test]
fn all_is_told_in_order_whoever_tells() {
    loom::model(|| {
        let (happened, told) = (Mutex::new(0), AtomicU64::new(0));
        let model = Arc::new(Model { order: InOrder::default(), happened, told });
        let other = {
            let model = model.clone();
            thread::spawn(move || model.happens())
        };
        model.happens();
        other.join().unwrap();
        // ORDERING: Relaxed: the other one has been joined.
        assert_eq!(model.told.load(Ordering::Relaxed), 2);
    });
}
