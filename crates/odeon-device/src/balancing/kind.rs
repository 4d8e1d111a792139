//! A kind of worker that a pool has.

use std::fmt;
use std::sync::Arc;

use crate::error::DeviceError;
use crate::worker::{Place, Worker};

pub(super) type MakeWorker<W> =
    dyn Fn(usize) -> Result<Box<dyn Worker<Work = W>>, DeviceError> + Send + Sync;

/// One way in which a balancing pool does its work, and how many workers do it that way at most.
pub struct Kind<W> {
    pub(super) name: Arc<str>,
    pub(super) place: Place,
    pub(super) most: usize,
    pub(super) make: Arc<MakeWorker<W>>,
    pub(super) has_threads: bool,
}

impl<W: Send + 'static> Kind<W> {
    /// At most `most` workers of a kind called `name`, which `make` makes: given the worker's
    /// number, when the pool starts, and once more when it has failed. It is called, and the worker
    /// used and dropped, on the thread of the worker.
    ///
    /// A pool has 4,096 workers at most, of all kinds together.
    ///
    /// Workers on the [`Cpu`](Place::Cpu) are actors of the theater's pool: a piece keeps one of
    /// its threads busy, so let pieces take milliseconds, not seconds, and do not make more of them
    /// than the pool has threads. Each worker on a [`Device`](Place::Device) has a thread of its
    /// own, in which it may wait.
    pub fn new<K: Worker<Work = W>>(
        name: &str,
        place: Place,
        most: usize,
        make: impl Fn(usize) -> Result<K, DeviceError> + Send + Sync + 'static,
    ) -> Self {
        let make =
            move |number| make(number).map(|worker| Box::new(worker) as Box<dyn Worker<Work = W>>);
        Self {
            name: name.into(),
            place,
            most,
            make: Arc::new(make),
            has_threads: place == Place::Device,
        }
    }

    /// Has the workers be actors of the theater's pool, wherever they work: for such as never wait
    /// for long.
    pub fn on_pool(mut self) -> Self {
        self.has_threads = false;
        self
    }

    /// Gives each worker a thread of its own, wherever it works: for such as wait.
    pub fn on_threads(mut self) -> Self {
        self.has_threads = true;
        self
    }
}

impl<W> fmt::Debug for Kind<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Kind")
            .field("name", &self.name)
            .field("place", &self.place)
            .field("most", &self.most)
            .finish_non_exhaustive()
    }
}
