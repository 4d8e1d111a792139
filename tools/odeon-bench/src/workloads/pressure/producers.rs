//! Who sends: an actor that is held back, a thread that waits in `send`, or a future that waits
//! before it.

use super::{PAYLOAD, PressureItem};
use crate::error::BenchError;
use crate::theater::{Post, runtime};
use odeon::prelude::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

/// The parameter's values.
pub(super) const NAMES: [&str; 3] = ["actor", "thread", "async"];

/// Messages that an actor sends while it handles one.
const AT_ONCE: u64 = 16;

/// Sends until it is stopped.
pub(super) struct ProducerThread {
    running: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl ProducerThread {
    pub(super) fn start(
        name: &str,
        theater: &Theater,
        to: ActorRef<PressureItem>,
    ) -> Result<Self, BenchError> {
        let running = Arc::new(AtomicBool::new(true));
        let floods = Floods { to, running: running.clone(), next: 0 };
        let mut thread = None;
        match name {
            "thread" => {
                let begun = std::thread::Builder::new().name("producer".into());
                thread = Some(begun.spawn(move || floods.send_all()).map_err(runtime)?);
            }
            "async" => theater.spawn::<odeon::spawn::Asynchronous, _>(floods).post(()),
            _ => theater.spawn::<odeon::spawn::Plain, _>(floods).post(()),
        }
        Ok(Self { running, thread })
    }

    pub(super) fn stop(mut self) {
        // ORDERING: Relaxed: a flag that orders nothing.
        self.running.store(false, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.join().expect("the producer does not panic");
        }
    }
}

impl Drop for ProducerThread {
    fn drop(&mut self) {
        // ORDERING: Relaxed: as above.
        self.running.store(false, Ordering::Relaxed);
    }
}

struct Floods {
    to: ActorRef<PressureItem>,
    running: Arc<AtomicBool>,
    next: u64,
}

impl Floods {
    fn is_running(&self) -> bool {
        // ORDERING: Relaxed: as above.
        self.running.load(Ordering::Relaxed)
    }

    fn item(&mut self) -> PressureItem {
        self.next += 1;
        PressureItem::Payload([self.next; PAYLOAD])
    }

    fn send_all(mut self) {
        while self.is_running() {
            let item = self.item();
            self.to.post(item);
        }
    }
}

impl Actor for Floods {
    type Msg = ();

    fn handle(&mut self, (): (), ctx: &mut Context<'_, Self>) {
        for _ in 0..AT_ONCE {
            let item = self.item();
            self.to.post(item);
        }
        if self.is_running() {
            ctx.send_self(());
        }
    }
}

impl AsyncActor for Floods {
    type Msg = ();

    async fn handle(&mut self, (): (), _ctx: &mut AsyncContext<'_, Self>) {
        while self.is_running() {
            let item = self.item();
            if self.to.send_async(item).await.is_err() {
                return;
            }
        }
    }
}
