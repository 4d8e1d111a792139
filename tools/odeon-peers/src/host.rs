//! The tokio runtime under every peer, and the watch over what is spawned on it.
//!
//! The peers catch panics of their tasks and actors, each in its own way, so that a sample would
//! wait for ever for an actor that has died. Therefore the panic hook itself reports to the
//! waiting driver: each worker thread knows the host it belongs to.

use std::cell::RefCell;
use std::future::Future;
use std::panic;
use std::sync::{Arc, Mutex, Once, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use tokio::runtime::{Builder, Handle, Runtime};

use crate::end_signal::{self, EndSignal, Ending};

/// TUNE: how long what a sample spawned may take to end (guessed; idle machines need milliseconds).
const QUIET_LIMIT: Duration = Duration::from_secs(30);
/// TUNE: pause between two looks at the number of live tasks (guessed; outside the measured part).
const QUIET_PAUSE: Duration = Duration::from_micros(200);
/// TUNE: how long an abandoned runtime may hold up the next request (guessed).
const ABANDON_LIMIT: Duration = Duration::from_secs(5);

type Report = Box<dyn Fn(String) + Send>;

/// Where a panic on one of a host's threads is reported; empty between samples.
#[derive(Default)]
struct PanicReport(Mutex<Option<Report>>);

impl PanicReport {
    fn set(&self, report: Option<Report>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = report;
    }

    fn deliver(&self, text: String) {
        if let Some(report) = &*self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            report(text);
        }
    }
}

thread_local! {
    static PANIC_REPORT: RefCell<Option<Arc<PanicReport>>> = const { RefCell::new(None) };
}

static HOOK: Once = Once::new();

/// A multi-thread runtime that serves one sample after another.
pub struct Host {
    runtime: Runtime,
    workers: usize,
    panics: Arc<PanicReport>,
}

impl Host {
    pub fn start(workers: usize) -> Result<Self, String> {
        HOOK.call_once(report_panics);
        let panics = Arc::new(PanicReport::default());
        let of_thread = Arc::clone(&panics);
        let runtime = Builder::new_multi_thread()
            .worker_threads(workers)
            .enable_all()
            .on_thread_start(move || PANIC_REPORT.set(Some(Arc::clone(&of_thread))))
            .build()
            .map_err(|error| format!("no runtime with {workers} workers: {error}"))?;
        Ok(Self { runtime, workers, panics })
    }

    pub fn workers(&self) -> usize {
        self.workers
    }

    pub fn handle(&self) -> &Handle {
        self.runtime.handle()
    }

    pub fn block_on<F: Future>(&self, future: F) -> F::Output {
        self.runtime.block_on(future)
    }

    /// The channel on which a sample's actors tell the driver that they are done, and on which the
    /// driver hears of a panic until the host is quiet again.
    pub fn end_signal<T: Send + 'static>(&self) -> (EndSignal<T>, Ending<T>) {
        let (end, ending) = end_signal::channel();
        let failing = end.clone();
        self.panics.set(Some(Box::new(move |text| failing.fail(text))));
        (end, ending)
    }

    /// Waits until everything spawned has ended, so that no sample leaves memory or work behind.
    pub fn wait_until_quiet(&self) -> Result<(), String> {
        self.panics.set(None);
        let started = Instant::now();
        loop {
            let alive = self.runtime.metrics().num_alive_tasks();
            if alive == 0 {
                return Ok(());
            }
            if started.elapsed() > QUIET_LIMIT {
                return Err(format!("{alive} tasks have not ended after the sample"));
            }
            thread::sleep(QUIET_PAUSE);
        }
    }

    /// Ends the runtime with all that a failed sample has left on it.
    pub fn abandon(self) {
        self.panics.set(None);
        self.runtime.shutdown_timeout(ABANDON_LIMIT);
    }
}

fn report_panics() {
    let previous = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        previous(info);
        // A thread that is already ending has no host any more, and no sample waits for it.
        let _ = PANIC_REPORT.try_with(|report| {
            if let Some(report) = &*report.borrow() {
                report.deliver(info.to_string());
            }
        });
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_on_a_worker_reaches_the_waiting_driver() {
        let host = Host::start(1).unwrap();
        let (_end, ending) = host.end_signal::<()>();
        host.handle().spawn(async { panic!("the soloist fainted") });
        let error = ending.wait().unwrap_err();
        assert!(error.contains("the soloist fainted"), "{error}");
        host.abandon();
    }

    #[test]
    fn a_host_is_quiet_once_its_tasks_have_ended() {
        let host = Host::start(2).unwrap();
        let (end, ending) = host.end_signal();
        host.handle().spawn(async move { end.send(7) });
        assert_eq!(ending.wait(), Ok(7));
        host.wait_until_quiet().unwrap();
        assert_eq!(host.runtime.metrics().num_alive_tasks(), 0);
    }
}
