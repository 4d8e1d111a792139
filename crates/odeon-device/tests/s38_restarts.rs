//! S38: what workers work with is started again, and they are waited for.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use odeon_device::*;
use odeon_testkit::Deterministic;

/// Work is done by a service that may be away. A worker that finds it away is lost, and no other
/// can be made meanwhile.
struct Client(Arc<AtomicBool>);

impl Client {
    fn connect(is_away: &Arc<AtomicBool>) -> Result<Self, DeviceError> {
        // ORDERING: one thread, here and below.
        if is_away.load(Ordering::Relaxed) {
            return Err(DeviceError::Unavailable("nobody answers".into()));
        }
        Ok(Self(is_away.clone()))
    }
}

impl Worker for Client {
    type Work = u32;

    fn place(&self) -> Place {
        Place::Cpu
    }

    fn work(&mut self, batch: &mut [u32]) -> Result<(), DeviceError> {
        if self.0.load(Ordering::Relaxed) {
            return Err(DeviceError::Disconnected("it went away".into()));
        }
        batch.iter_mut().for_each(|n| *n += 1);
        Ok(())
    }
}

fn pool(run: &Deterministic, is_away: &Arc<AtomicBool>) -> BalancingPool<u32> {
    let is_away = is_away.clone();
    let kind = Kind::new("elsewhere", Place::Cpu, 2, move |_| Client::connect(&is_away));
    BalancingPool::builder().kind(kind).start(run.theater()).unwrap()
}

#[test]
fn s38_a_worker_that_has_been_there_is_waited_for() {
    let run = Deterministic::new(1);
    let is_away = Arc::new(AtomicBool::new(false));
    let pool = pool(&run, &is_away);
    run.run_until_idle();
    is_away.store(true, Ordering::Relaxed);
    let ask = pool.submit_all((0..10).collect());
    run.advance(Duration::from_secs(40));
    let report = pool.report();
    assert_eq!((report.kinds[0].left_out.as_deref(), report.undone), (None, 0), "{report:?}");
    is_away.store(false, Ordering::Relaxed);
    run.advance(Duration::from_secs(3));
    assert!(ask.wait().unwrap().into_iter().map(Result::unwrap).eq(1..11));
    assert_eq!(pool.report().kinds[0].present, 2);
}

#[test]
fn s38_nobody_is_waited_for_for_ever() {
    let run = Deterministic::new(1);
    let is_away = Arc::new(AtomicBool::new(false));
    let pool = pool(&run, &is_away);
    run.run_until_idle();
    is_away.store(true, Ordering::Relaxed);
    let ask = pool.submit(1);
    run.advance(Duration::from_secs(90));
    let why = WhyUndone::NobodyLeft("no such device: nobody answers".into());
    assert_eq!(ask.wait().unwrap(), Err(Undone { work: 1, why }));
}

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
            if self.0.fetch_add(1, Ordering::Relaxed) < 10 {
                return Err(DeviceError::Disconnected("it breaks".into()));
            }
            batch.iter_mut().for_each(|n| *n += 1);
            Ok(())
        }
    }
    let run = Deterministic::new(1);
    let batches = Arc::new(AtomicUsize::new(0));
    let kind = Kind::new("elsewhere", Place::Cpu, 1, move |_| Ok(Breaks(batches.clone())));
    let pool = BalancingPool::builder().kind(kind).most_tries(1).start(run.theater()).unwrap();
    let ask = pool.submit(1);
    run.advance(Duration::from_secs(30));
    assert_eq!(ask.wait().unwrap(), Ok(2));
}
