//! The side that does the work.

use std::sync::Arc;
use std::time::Duration;

use odeon_device::{DeviceError, Worker};
use tokio::sync::watch;
use tokio::time::{sleep, timeout};

use crate::broker::{Broker, NotConnected};
use crate::packet::{self, Reply};
use crate::portable::Portable;
use crate::queue::Queue;

mod cache;
mod desk;
mod fetching;

use cache::Cache;
use desk::{Desk, Receipt};

/// How a worker process [serves](serve()). Plain data, to be changed field by field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Serving {
    /// Requests that wait in this process while others are done, so that the next one is there at
    /// once. 1.
    pub ahead: u16,
    /// Bytes of inputs that are kept, as they are on the wire. 1 GiB. Those that were not used for
    /// longest go first.
    pub cache_bytes: usize,
    /// Bytes that one input may have. 4 GiB.
    pub largest_input: u64,
    /// How long a client may take to send an input. 30 s.
    pub inputs_within: Duration,
    /// How long to look for a broker that is not there, or lets nobody serve the queue, before
    /// giving up. 60 s.
    pub patience: Duration,
}

impl Default for Serving {
    fn default() -> Self {
        Self {
            ahead: 1,
            cache_bytes: 1 << 30,
            largest_input: 4 << 30,
            inputs_within: Duration::from_secs(30),
            patience: Duration::from_secs(60),
        }
    }
}

/// What a worker process has done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Served {
    /// Pieces whose results it has sent.
    pub done: u64,
    /// Pieces whose clients it has told that they cannot be done.
    pub failed: u64,
    /// Pieces that it gave back for another try.
    pub again: u64,
    /// Messages that could not be read.
    pub unreadable: u64,
    /// Inputs that it has asked for.
    pub inputs: u64,
    /// Connections.
    pub connections: u64,
}

/// Has [`serve`] return, from another thread. Its clones are the same one.
#[derive(Debug, Clone)]
pub struct Stop {
    is_asked: Arc<watch::Sender<bool>>,
}

impl Default for Stop {
    fn default() -> Self {
        Self { is_asked: Arc::new(watch::Sender::new(false)) }
    }
}

impl Stop {
    /// Asks for it. What is under way is finished and answered; what waits in the process goes back
    /// to the queue, untried.
    pub fn ask(&self) {
        self.is_asked.send_replace(true);
    }

    fn is_asked(&self) -> bool {
        *self.is_asked.borrow()
    }

    async fn asked(&self) {
        let mut is_asked = self.is_asked.subscribe();
        // The sender is in `self`: there is no error.
        let _ = is_asked.wait_for(|&is_asked| is_asked).await;
    }
}

/// Does the work of a queue until it is stopped: on the calling thread, by `worker`, which may be
/// any: of cores, of a device. As many processes as one likes may serve a queue.
///
/// When the broker is gone it is looked for, for as long as [`Serving::patience`] says. What was
/// not acknowledged by then is done by whoever gets it, and answered to whoever still waits.
///
/// # Errors
/// If there is no broker, or it does not let one in, or the queue or that of its dead letters is
/// there in another way. If the worker has lost its device ([`Lost`](DeviceError::Lost),
/// [`Unavailable`](DeviceError::Unavailable), [`Disconnected`](DeviceError::Disconnected)): its
/// work goes back to the queue, and whoever runs the process may make a new worker and serve again.
/// Any other error of the worker concerns one piece, and is told to its client when its tries are
/// used up.
///
/// # Panics
/// As the worker does: its work is tried by others. Within an asynchronous task of tokio.
pub fn serve<K>(
    queue: &Queue,
    serving: &Serving,
    worker: K,
    stop: &Stop,
) -> Result<Served, DeviceError>
where
    K: Worker,
    K::Work: Portable,
{
    serve_and_tell(queue, serving, worker, stop, || {})
}

/// As [`serve`], and calls `on_serving` whenever it has begun to serve the queue: requests come
/// from then on, until the broker is gone.
///
/// # Errors
/// As [`serve`].
///
/// # Panics
/// As [`serve`].
pub fn serve_and_tell<K>(
    queue: &Queue,
    serving: &Serving,
    worker: K,
    stop: &Stop,
    mut on_serving: impl FnMut(),
) -> Result<Served, DeviceError>
where
    K: Worker,
    K::Work: Portable,
{
    let broker = Broker::new(queue)?;
    let (cache, served) = (Cache::new(serving.cache_bytes), Served::default());
    let mut server = WorkServer { worker, stop, cache, served };
    let mut pause = SHORTEST_PAUSE;
    loop {
        let most = server.most_at_once();
        let Some(desk) = broker.block_on(connect(&broker, most, serving, stop))? else {
            return Ok(server.served);
        };
        server.served.connections += 1;
        on_serving();
        let done = server.served.done;
        match server.serve_by(&broker, desk) {
            Ok(()) => return Ok(server.served),
            Err(Interrupted::Worker(error)) => return Err(error),
            // Connects again, after a moment: what waits in this process is with the broker again.
            Err(Interrupted::Connection) => {}
        }
        if server.served.done > done {
            pause = SHORTEST_PAUSE;
        }
        // WHY: it may be what comes that breaks each connection.
        broker.block_on(async {
            tokio::select! {
                () = sleep(pause) => {}
                () = stop.asked() => {}
            }
        });
        pause = LONGEST_PAUSE.min(pause * 2);
    }
}

/// A connection on which requests come, sooner or later; `None` if it was stopped.
async fn connect(
    broker: &Broker,
    most: usize,
    serving: &Serving,
    stop: &Stop,
) -> Result<Option<Desk>, DeviceError> {
    let mut last = None;
    let connecting = async {
        let mut pause = SHORTEST_PAUSE;
        loop {
            let opening = async {
                let session = broker.connect().await?;
                Desk::open(session, broker, most, serving).await.map_err(NotConnected::from)
            };
            match opening.await {
                Ok(desk) => return Ok(Some(desk)),
                Err(refused) if !refused.may_pass => return Err(refused.error),
                Err(refused) => last = Some(refused.error),
            }
            sleep(pause).await;
            pause = LONGEST_PAUSE.min(pause * 2);
        }
    };
    let connected = async {
        tokio::select! {
            connected = connecting => connected,
            () = stop.asked() => Ok(None),
        }
    };
    match timeout(serving.patience, connected).await {
        Ok(connected) => connected,
        Err(_) => Err(last.unwrap_or_else(|| {
            let within = serving.patience;
            DeviceError::Unavailable(format!("no broker at {} within {within:?}", broker.place()))
        })),
    }
}

/// TUNE: guessed 2026-11: between attempts to connect.
const SHORTEST_PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// Why a connection is served no longer.
enum Interrupted {
    Connection,
    Worker(DeviceError),
}

impl From<DeviceError> for Interrupted {
    /// All errors but those of the worker are the connection's.
    fn from(_: DeviceError) -> Self {
        Self::Connection
    }
}

struct WorkServer<'a, K: Worker<Work: Portable>> {
    worker: K,
    stop: &'a Stop,
    cache: Cache<<K::Work as Portable>::Input>,
    served: Served,
}

impl<K: Worker<Work: Portable>> WorkServer<'_, K> {
    fn most_at_once(&self) -> usize {
        self.worker.most_at_once().max(1)
    }

    fn serve_by(&mut self, broker: &Broker, mut desk: Desk) -> Result<(), Interrupted> {
        let most = self.most_at_once();
        loop {
            let deliveries = broker.block_on(desk.next(most, self.stop))?;
            if deliveries.is_empty() {
                break;
            }
            let (mut receipts, mut works) = (Vec::new(), Vec::new());
            for delivery in deliveries {
                let admitting = desk.admit(delivery, &mut self.cache, &mut self.served);
                if let Some((receipt, work)) = broker.block_on(admitting)? {
                    receipts.push(receipt);
                    works.push(work);
                }
            }
            if let Err(error) = self.work(broker, &mut desk, receipts, works)? {
                // Errors mean that the broker gives them to others by itself.
                let _ = broker.block_on(desk.end());
                return Err(Interrupted::Worker(error));
            }
        }
        broker.block_on(desk.end())?;
        Ok(())
    }

    /// Has pieces done, and answers them. The inner error is that of a worker that is lost.
    fn work(
        &mut self,
        broker: &Broker,
        desk: &mut Desk,
        receipts: Vec<Receipt>,
        mut works: Vec<K::Work>,
    ) -> Result<Result<(), DeviceError>, Interrupted> {
        let mut together = None;
        if works.len() > 1 {
            together = Some(self.worker.work(&mut works));
        }
        let mut lost = Ok(());
        for (receipt, mut work) in receipts.into_iter().zip(works) {
            // WHY: what failed together is done one by one: so only that counts as tried which
            // fails alone.
            let outcome = match (&together, &lost) {
                (Some(Ok(())), _) => Ok(()),
                (_, Err(error)) => Err(DeviceError::clone(error)),
                (Some(Err(error)), _) if is_lost(error) => Err(error.clone()),
                _ => self.worker.work(std::slice::from_mut(&mut work)),
            };
            match outcome {
                Ok(()) => match answer(work, broker.queue().largest_message) {
                    Ok(body) => {
                        self.served.done += 1;
                        broker.block_on(desk.reply(receipt, &body))?;
                    }
                    Err(error) => {
                        self.served.failed += 1;
                        broker.block_on(desk.give_up(receipt, &error, 1))?;
                    }
                },
                Err(error) => {
                    if is_lost(&error) {
                        lost = Err(error.clone());
                    }
                    broker.block_on(desk.again(receipt, &error, &mut self.served))?;
                }
            }
        }
        Ok(lost)
    }
}

fn is_lost(error: &DeviceError) -> bool {
    error.is_transient() || matches!(error, DeviceError::Unavailable(_))
}

/// The result of a piece, as a message: if it can be written, and fits into one.
fn answer<W: Portable>(work: W, largest: usize) -> Result<Vec<u8>, DeviceError> {
    let answer = postcard::to_allocvec(&work.answer())
        .map_err(|error| DeviceError::Invalid(format!("a result cannot be written: {error}")))?;
    let body = packet::write(&Reply::Done(answer))?;
    if body.len() > largest {
        let size = body.len();
        let why = format!("a result has {size} bytes, and a message may have {largest}");
        return Err(DeviceError::Invalid(why));
    }
    Ok(body)
}
