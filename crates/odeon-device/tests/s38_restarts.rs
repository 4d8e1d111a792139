//! S38: what workers work with is started again, and they are waited for.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use odeon_device::*;
use odeon_testkit::Deterministic;

/// Ten connections that break are nothing that the piece has done.
#[test]
fn s38_a_connection_that_breaks_is_no_try_of_a_piece() {
    struct Breaks(Arc<AtomicUsize>);
    impl Worker for Breaks {
        type Work = u32;

        fn place(&self) -> Place {
            Place::Cpu
        }

        fn work(&mut self, batch: &mut [u32]) -> Result<(), DeviceError> {
            // ORDERING: one thread.
            if self.0.fetch_add(1, Ordering::Relaxed) < 10 {
                return Err(DeviceError::Disconnected("it breaks".into()));
            }
            batch.iter_mut().for_each(|n| *n += 1);
            Ok(())
        }
    }
    let run = Deterministic::new(1);
    let goes = Arc::new(AtomicUsize::new(0));
    let kind = Kind::new("elsewhere", Place::Cpu, 1, move |_| Ok(Breaks(goes.clone())));
    let pool = BalancingPool::builder().kind(kind).most_tries(1).start(run.theater()).unwrap();
    let ask = pool.submit(1);
    run.advance(Duration::from_secs(30));
    assert_eq!(ask.wait().unwrap(), Ok(2));
}
