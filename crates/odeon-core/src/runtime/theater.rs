//! A theater: one runtime, its stages and its actors. No globals: any number can run side by side.

pub(crate) mod builder;
mod placing;
pub(crate) mod root;
mod shutdown;

use std::sync::{Arc, OnceLock};
use std::thread::ThreadId;
use std::time::Duration;

use odeon_sync::Mutex;
use odeon_sync::atomic::AtomicBool;
use odeon_sync::thread::JoinHandle;

use crate::lifecycle::actor_builder::ActorBuilder;
use crate::lifecycle::spawn::Location;
use crate::lifecycle::spawnable::Spawnable;
use crate::messaging::actor_ref::ActorRef;
use crate::process::submit::Submit;
use crate::process::theater_shared::TheaterShared;
use crate::scheduler::pinned::{PinnedKind, PinnedShared};
use crate::scheduler::pool::PoolShared;
use crate::scheduler::seen_stage::SeenStage;
use crate::scheduler::worker_task::SpawnWorker;
use crate::telemetry::{StageStats, StageTally};
use crate::vocabulary::dead_letter::DeadLetterCounts;
use crate::vocabulary::error::{BuildError, BuildErrorKind, StageError};
use builder::TheaterBuilder;
use root::Root;

pub use placing::DedicatedBuilder;
pub use root::RootFailure;
pub use shutdown::StopReport;

/// A runtime for actors: a pool of worker threads, further stages on demand, and all actors on
/// them.
///
/// Dropping it stops it without draining: handlers in progress are waited for, a second at most,
/// what waits goes to the dead-letter hook. [`shutdown`](Self::shutdown) drains it first. Dropped
/// on a stage's thread (by an actor, of this theater or another), it stops in the background.
///
/// ```
/// use odeon_core::{Theater, QueueOrder};
///
/// let theater = Theater::builder().name("game").workers(2).order(QueueOrder::Fifo).build()?;
/// let other = Theater::new()?;
/// # Ok::<(), odeon_core::BuildError>(())
/// ```
pub struct Theater {
    parts: Arc<TheaterParts>,
}

/// What a theater consists of; a shutdown in the background holds on to it.
pub(crate) struct TheaterParts {
    shared: Arc<TheaterShared>,
    default_stage: Arc<dyn Submit>,
    pool: Option<Arc<PoolShared>>,
    pinned: Mutex<Vec<Arc<PinnedShared>>>,
    threads: Mutex<Vec<JoinHandle<()>>>,
    /// The thread that ends the theater: only one does.
    ender: OnceLock<ThreadId>,
    ended: AtomicBool,
}

/// A thread that owns its actors; made by [`Theater::pinned`].
///
/// Messages between two actors of one stage use no atomic read-modify-write. Lives as long as its
/// theater.
#[derive(Clone)]
pub struct Stage {
    shared: Arc<PinnedShared>,
}

impl Theater {
    /// A theater with one worker per core and all settings at their defaults.
    ///
    /// # Errors
    /// If a thread cannot be started.
    pub fn new() -> Result<Self, BuildError> {
        Self::builder().build()
    }

    /// A theater to be configured.
    pub fn builder() -> TheaterBuilder {
        TheaterBuilder::default()
    }

    pub(crate) fn start(
        shared: Arc<TheaterShared>,
        worker_tasks: Option<SpawnWorker>,
    ) -> Result<Self, BuildError> {
        let (pool, threads) = PoolShared::start(shared.clone(), worker_tasks)
            .map_err(|error| BuildError(BuildErrorKind::Thread(error)))?;
        let default_stage = SeenStage::before(pool.clone());
        shared.set_pool(&default_stage);
        let parts = TheaterParts {
            shared,
            default_stage,
            pool: Some(pool),
            pinned: Mutex::default(),
            threads: Mutex::new(threads),
            ender: OnceLock::new(),
            ended: AtomicBool::new(false),
        };
        Ok(Self::of(parts))
    }

    /// A theater without threads of its own, whose actors run where `stage` has them run.
    pub(crate) fn on_stage(shared: Arc<TheaterShared>, stage: Arc<dyn Submit>) -> Self {
        let default_stage = SeenStage::before(stage);
        shared.set_pool(&default_stage);
        let parts = TheaterParts {
            shared,
            default_stage,
            pool: None,
            pinned: Mutex::default(),
            threads: Mutex::default(),
            ender: OnceLock::new(),
            ended: AtomicBool::new(false),
        };
        Self::of(parts)
    }

    fn of(parts: TheaterParts) -> Self {
        let parts = Arc::new(parts);
        Root::stops(&parts);
        Self { parts }
    }

    pub(crate) fn shared(&self) -> &TheaterShared {
        &self.parts.shared
    }

    /// The theater's name.
    pub fn name(&self) -> &str {
        &self.parts.shared.config.name
    }

    /// Creates an actor on the pool: an [`Actor`](crate::Actor), or an
    /// [`AsyncActor`](crate::AsyncActor).
    ///
    /// After the theater was shut down the actor is dropped and the reference leads to nobody.
    pub fn spawn<Kind, A: Spawnable<Kind>>(&self, actor: A) -> ActorRef<A::Msg> {
        actor.create(Location::on(&self.parts.default_stage))
    }

    /// An actor to be created elsewhere than [`spawn`](Self::spawn) does, or supervised, or with a
    /// name.
    pub fn actor(&self) -> ActorBuilder<'_> {
        ActorBuilder {
            theater: &self.parts.shared,
            location: Location::on(&self.parts.default_stage),
        }
    }

    /// A new pinned stage: a thread named `name` that will own the actors spawned on it.
    ///
    /// # Errors
    /// If the thread cannot be started, or a failure has ended the theater.
    pub fn pinned(&self, name: &str) -> Result<Stage, StageError> {
        let shared = self.parts.start_pinned(name, PinnedKind::Pinned { core: None })?;
        Ok(Stage { shared })
    }

    /// As [`pinned`](Self::pinned), its thread pinned to a core: number `core` modulo the number of
    /// cores, where the operating system allows it.
    ///
    /// # Errors
    /// If the thread cannot be started, or a failure has ended the theater.
    pub fn pinned_to_core(&self, name: &str, core: usize) -> Result<Stage, StageError> {
        let shared = self.parts.start_pinned(name, PinnedKind::Pinned { core: Some(core) })?;
        Ok(Stage { shared })
    }

    pub(crate) fn parts(&self) -> &Arc<TheaterParts> {
        &self.parts
    }

    /// How many actors are alive, pending pipes (S19) included.
    pub fn live_actors(&self) -> usize {
        self.parts.shared.registry.len()
    }

    /// How many messages were accepted and will never be handled.
    pub fn dead_letters(&self) -> u64 {
        self.dead_letter_counts().total()
    }

    /// The same, by reason.
    pub fn dead_letter_counts(&self) -> DeadLetterCounts {
        self.parts.shared.dead_letter_counts()
    }

    /// How many timers are pending: armed and neither fired nor cancelled.
    pub fn pending_timers(&self) -> usize {
        self.parts.shared.pending_timers()
    }

    /// Stops the theater: lets messages under way be handled until nothing is left to do or
    /// `deadline` has passed, then stops all actors and ends the threads.
    ///
    /// Asynchronous handlers that wait are work in progress: they, and the messages behind them,
    /// have until the deadline. One that waits still is cancelled then (S13), and the report says
    /// that the theater was not drained. So a handler that waits for ever, such as a loop in
    /// `started`, makes the shutdown last until its deadline, unless its actor is stopped first.
    ///
    /// Pending timers and pipes are not waited for, and dropped when the actors are stopped (S12,
    /// S19). Messages that were not handled come back in the report; a question among them keeps
    /// its asker waiting until the report is dropped. An actor still busy with one message a second
    /// after the deadline is left behind with its thread and counted as stuck.
    ///
    /// An actor of this theater cannot wait for itself: called from one, the theater stops in the
    /// background, and the report says only that nothing was drained; what is not handled goes to
    /// the dead-letter hook.
    pub fn shutdown(self, deadline: Duration) -> StopReport {
        if self.parts.is_own_thread() {
            return StopReport {
                drained: false,
                leftovers: Vec::new(),
                stuck: self.live_actors(),
                dead_letters: self.dead_letter_counts(),
            };
        }
        self.parts.stop(Some(deadline))
    }
}

impl TheaterParts {
    /// Starts the thread of a stage that owns its actors, unless the theater ends.
    fn start_pinned(&self, name: &str, kind: PinnedKind) -> Result<Arc<PinnedShared>, StageError> {
        let mut stages = self.pinned.lock().expect("no panic happens under the list of stages");
        // Under this lock the threads are told to end: one that came later would never be.
        if self.shared.is_stopping() {
            return Err(StageError::theater_ended());
        }
        let (stage, thread) =
            PinnedShared::start(self.shared.clone(), name, kind).map_err(StageError)?;
        stages.retain(|stage| !stage.has_ended());
        stages.push(stage.clone());
        let mut threads = self.threads.lock().expect("no panic happens under the list of threads");
        // The handles of threads that have ended cost little; the shutdown joins them all.
        threads.push(thread);
        Ok(stage)
    }

    pub(crate) fn shared(&self) -> &TheaterShared {
        &self.shared
    }

    /// What is counted of each worker of the pool, and its turns.
    pub(crate) fn pool_tallies(&self) -> impl Iterator<Item = (&StageTally, u64)> {
        self.pool.iter().flat_map(|pool| pool.tallies())
    }

    /// The numbers of pinned and dedicated stages that have not ended.
    pub(crate) fn pinned_stats(&self) -> Vec<StageStats> {
        let stages = self.pinned.lock().expect("no panic happens under the list of stages");
        stages.iter().filter(|stage| !stage.has_ended()).map(|stage| stage.stats()).collect()
    }
}

impl Drop for Theater {
    fn drop(&mut self) {
        TheaterParts::stop_unattended(&self.parts);
    }
}

impl std::fmt::Debug for Theater {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Theater").field("name", &self.name()).finish_non_exhaustive()
    }
}

impl std::fmt::Debug for Stage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Stage").finish_non_exhaustive()
    }
}
