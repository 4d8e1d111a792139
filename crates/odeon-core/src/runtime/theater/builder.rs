//! Configuration of a theater: consuming builder, immutable result.

use std::sync::Arc;
use std::time::Duration;

use crossbeam_utils::CachePadded;

use super::Theater;
use crate::process::config::{Config, Hooks, QueueOrder};
use crate::process::submit::Submit;
use crate::process::theater_shared::TheaterShared;
use crate::runtime::failure_lines::FailureLines;
use crate::scheduler::timers::{Driver, Timers};
use crate::scheduler::worker_task::SpawnWorker;
use crate::telemetry::{Telemetry, TelemetryOptions, Tracer};
use crate::vocabulary::clock::{Clock, SystemClock};
use crate::vocabulary::dead_letter::DeadLetter;
use crate::vocabulary::error::{BuildError, BuildErrorKind};
use crate::vocabulary::foreign_task::ForeignTask;
use crate::vocabulary::observe::Observer;
use crate::vocabulary::random::Random;

/// TUNE: messages per turn: enough to make the cost of a turn vanish, few enough that 1,000 flooded
/// actors are passed in well under a millisecond of small messages.
const DEFAULT_TURN_MESSAGES: u32 = 64;

/// TUNE: time per turn: a hundred times the cost of a turn, a hundredth of what a person notices.
const DEFAULT_TURN_TIME: Duration = Duration::from_micros(100);

/// More workers than this are surely a mistake.
const MAX_WORKERS: usize = 1024;

/// Configures and builds a [`Theater`].
#[must_use = "nothing happens before `build`"]
pub struct TheaterBuilder {
    config: Config,
    clock: Option<Arc<dyn Clock>>,
    seen: TelemetryOptions,
    hooks: Hooks,
    failures_printed: bool,
    worker_tasks: Option<SpawnWorker>,
}

impl Default for TheaterBuilder {
    fn default() -> Self {
        Self {
            config: Config {
                name: "odeon".into(),
                workers: std::thread::available_parallelism().map_or(1, usize::from),
                order: QueueOrder::default(),
                lifo_slot: true,
                turn_messages: DEFAULT_TURN_MESSAGES,
                turn_time: DEFAULT_TURN_TIME,
                pin_workers: false,
                random_seed: Random::fresh_seed(),
                stack_size: None,
            },
            clock: None,
            seen: TelemetryOptions::default(),
            hooks: Hooks::default(),
            failures_printed: true,
            worker_tasks: None,
        }
    }
}

impl TheaterBuilder {
    /// Begins the names of all its threads. Default: `odeon`.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.config.name = name.into();
        self
    }

    /// Worker threads of the pool, 1 to 1024. Default: one per core.
    pub fn workers(mut self, workers: usize) -> Self {
        self.config.workers = workers;
        self
    }

    /// In which order a worker takes woken actors. Default: [`QueueOrder::Fifo`].
    pub fn order(mut self, order: QueueOrder) -> Self {
        self.config.order = order;
        self
    }

    /// Whether the actor woken last by the running one goes next, at most 16 times in a row while
    /// others wait. Keeps a chain of messages in one core's cache. Default: on.
    pub fn lifo_slot(mut self, on: bool) -> Self {
        self.config.lifo_slot = on;
        self
    }

    /// Messages that one turn of a pool actor may handle, at least 1. One that holds back more
    /// senders than that goes on for its [`turn_time`](Self::turn_time), if it handles all of its
    /// messages itself. Default: 64.
    pub fn turn_messages(mut self, messages: u32) -> Self {
        self.config.turn_messages = messages;
        self
    }

    /// Time that one turn of a pool actor may take; looked at between messages, from
    /// the ninth on. Default: 100 microseconds.
    pub fn turn_time(mut self, time: Duration) -> Self {
        self.config.turn_time = time;
        self
    }

    /// Whether worker n is pinned to core n. Default: no.
    pub fn pin_workers(mut self, on: bool) -> Self {
        self.config.pin_workers = on;
        self
    }

    /// Bytes of stack for each thread of the theater: workers, stages, timers. Default: what the
    /// standard library gives a thread, 2 MiB unless `RUST_MIN_STACK` says otherwise. For handlers
    /// that recurse deeply, and for large messages: a message travels by value, and lies on the
    /// stack of the worker that handles it more than once; one of tens of kilobytes is better
    /// boxed.
    ///
    /// ```
    /// # use odeon_core::*;
    /// struct Depth;
    /// struct Descend(u32, Reply<u64>);
    /// impl Message for Descend {}
    ///
    /// fn depth(n: u32) -> u64 {
    ///     let here = std::hint::black_box([1_u64; 1024]);
    ///     if n == 0 { 0 } else { here[n as usize % 1024] + depth(n - 1) }
    /// }
    ///
    /// impl Actor for Depth {
    ///     type Msg = Descend;
    ///     fn handle(&mut self, Descend(n, reply): Descend, _: &mut Context<'_, Self>) {
    ///         reply.send(depth(n));
    ///     }
    /// }
    ///
    /// let theater = Theater::builder().stack_size(64 << 20).build()?;
    /// assert_eq!(theater.spawn(Depth).ask(|reply| Descend(2_000, reply)).wait()?, 2_000);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn stack_size(mut self, bytes: usize) -> Self {
        self.config.stack_size = Some(bytes);
        self
    }

    /// Seeds the workers' random choices (whom to steal from). Default: differs from run to run.
    pub fn random_seed(mut self, seed: u64) -> Self {
        self.config.random_seed = seed;
        self
    }

    /// Called with each message that an actor accepted and did not handle, on the thread that finds
    /// out. During [`Theater::shutdown`] such messages go into its report instead.
    pub fn on_dead_letter(mut self, hook: impl Fn(DeadLetter) + Send + Sync + 'static) -> Self {
        self.hooks.dead_letter = Some(Box::new(hook));
        self
    }

    /// Whether failures of actors are printed on standard error if nobody else is told of them: a
    /// line with the actor's names, its type and what the failure said, at most ten within a
    /// second. Told are an [`observer`](Self::observer), of all failures, and who
    /// [decides](crate::Supervision::decide) about an actor's, of these; that somebody watches the
    /// actor does not count. Default: yes.
    ///
    /// A panic is printed by the panic hook as well, which knows the line where it happened, and
    /// not the actor; an actor that fails with an error, and no panic, is in these lines alone.
    ///
    /// ```
    /// # use odeon_core::*;
    /// // Its actors fail by design.
    /// let theater = Theater::builder().failures_printed(false).build()?;
    /// # Ok::<(), BuildError>(())
    /// ```
    pub fn failures_printed(mut self, on: bool) -> Self {
        self.failures_printed = on;
        self
    }

    /// Told about turns, ends and failures. Default: nobody.
    pub fn observer(mut self, observer: Arc<dyn Observer>) -> Self {
        self.seen.observer = Some(observer);
        self
    }

    /// Whether turns and messages are counted and timed, for [`Theater::stats`]. Default: no; it
    /// costs some 20 ns a turn and some 300 bytes an actor.
    pub fn stats(mut self, on: bool) -> Self {
        self.seen.stats = on;
        self
    }

    /// Whether it is noted which actor waits for whose answer, for [`Theater::waits`] and
    /// [`Observer::asks_in_a_circle`]. Default: no; it costs a lock for each answer that is waited
    /// for.
    pub fn asks_seen(mut self, on: bool) -> Self {
        self.seen.waits = on;
        self
    }

    /// Who ties what handlers do to where their messages come from (S22); see `odeon-sight`.
    /// Default: nobody.
    pub fn tracer(mut self, tracer: Arc<dyn Tracer>) -> Self {
        self.seen.tracer = Some(tracer);
        self
    }

    /// The source of time. Default: the system's monotonic clock.
    ///
    /// The thread of the timers looks at this clock again when the time that it says is left has
    /// passed by the system's clock: one that jumps forward makes timers late. For a clock in the
    /// hand of a test there is the deterministic stage of `odeon-testkit`, which needs no thread.
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = Some(clock);
        self
    }

    /// What surrounds the work of every thread of the theater, workers and stages: `context` is
    /// called on each with its work, and calls that once. For libraries that find their
    /// surroundings by thread, as tokio does (for that there is `odeon-tokio`). Several contexts
    /// are nested, the last outermost. No caller gives turns then
    /// ([`ActorRef::call`](crate::ActorRef::call)).
    ///
    /// A context that panics, or does not call the work, ends the process. A stage that is driven
    /// from outside (tests) has no threads.
    ///
    /// ```
    /// # use odeon_core::*;
    /// thread_local! { static LANGUAGE: std::cell::Cell<&'static str> = const { std::cell::Cell::new("") } }
    ///
    /// struct Greeter;
    /// impl Actor for Greeter {
    ///     type Msg = Box<Reply<String>>;
    ///     fn handle(&mut self, reply: Self::Msg, _: &mut Context<'_, Self>) {
    ///         reply.send(format!("in {}", LANGUAGE.get()));
    ///     }
    /// }
    ///
    /// let theater = Theater::builder()
    ///     .thread_context(|work| { LANGUAGE.set("Latin"); work(); LANGUAGE.set("") })
    ///     .build()?;
    /// assert_eq!(theater.spawn(Greeter).ask(Box::new).wait()?, "in Latin");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn thread_context(
        mut self,
        context: impl Fn(&mut dyn FnMut()) + Send + Sync + 'static,
    ) -> Self {
        self.hooks.is_of_threads = true;
        self.turn_context(context)
    }

    /// As [`thread_context`](Self::thread_context); it also surrounds each turn that a caller
    /// gives.
    pub(crate) fn turn_context(
        mut self,
        context: impl Fn(&mut dyn FnMut()) + Send + Sync + 'static,
    ) -> Self {
        self.hooks.thread_context = Some(match self.hooks.thread_context.take() {
            None => Box::new(context),
            Some(inner) => Box::new(move |work| context(&mut || inner(work))),
        });
        self
    }

    /// How the theater finds out that a thread, which belongs to no theater, is running a task of
    /// an asynchronous runtime: `here` is called on it, and says which one. Default: no thread
    /// does. (Tasks of tokio are known by the crate `odeon-tokio`.)
    ///
    /// On such a thread [`ActorRef::send`](crate::ActorRef::send) to an actor of this theater does
    /// not wait for relief or a place: the message is accepted, and counts (S17, S18). To actors
    /// that handle several messages at once, each numbered task is a sender of its own, whatever
    /// threads it runs on (S25). `here` is called when a thread is about to wait, and for each
    /// message that a thread sends to such an actor. Given several, the theater asks the last one
    /// first.
    ///
    /// ```
    /// # use odeon_core::*;
    /// thread_local! { static TASK: std::cell::Cell<Option<u64>> = const { std::cell::Cell::new(None) } }
    ///
    /// let theater = Theater::builder()
    ///     .foreign_tasks(|| TASK.get().map(ForeignTask::Numbered))
    ///     .build()?;
    /// # Ok::<(), BuildError>(())
    /// ```
    pub fn foreign_tasks(
        mut self,
        here: impl Fn() -> Option<ForeignTask> + Send + Sync + 'static,
    ) -> Self {
        self.hooks.foreign_tasks = Some(match self.hooks.foreign_tasks.take() {
            None => Box::new(here),
            Some(earlier) => Box::new(move || here().or_else(&earlier)),
        });
        self
    }

    /// Builds the theater and starts its workers.
    ///
    /// # Errors
    /// If a setting is out of its range, or a thread cannot be started.
    pub fn build(mut self) -> Result<Theater, BuildError> {
        let worker_tasks = self.worker_tasks.take();
        Theater::start(self.into_shared(Driver::Thread)?, worker_tasks)
    }

    /// The workers of the pool are tasks, which `spawn` has polled.
    pub(crate) fn workers_as_tasks(mut self, spawn: SpawnWorker) -> Self {
        self.worker_tasks = Some(spawn);
        self
    }

    /// Builds a theater whose actors run where `make_stage` has them run, without threads.
    pub(crate) fn build_on(
        self,
        make_stage: impl FnOnce(Arc<TheaterShared>) -> Arc<dyn Submit>,
    ) -> Result<Theater, BuildError> {
        let shared = self.into_shared(Driver::Outside)?;
        let stage = make_stage(shared.clone());
        Ok(Theater::on_stage(shared, stage))
    }

    fn into_shared(self, driver: Driver) -> Result<Arc<TheaterShared>, BuildError> {
        let invalid = |what: String| Err(BuildError(BuildErrorKind::Config(what)));
        let config = self.config;
        if !(1..=MAX_WORKERS).contains(&config.workers) {
            return invalid(format!("workers must be 1 to {MAX_WORKERS}, not {}", config.workers));
        }
        if config.turn_messages == 0 {
            return invalid("turn_messages must be at least 1".into());
        }
        if config.name.contains('\0') {
            return invalid("name must not contain a NUL character".into());
        }
        let clock = self.clock.unwrap_or_else(|| Arc::new(SystemClock::default()));
        let telemetry = Telemetry::new(self.seen, clock.clone());
        let mut hooks = self.hooks;
        if self.failures_printed {
            hooks.failure = Some(FailureLines::default().into_hook());
        }
        let is_driven_from_outside = driver == Driver::Outside;
        let shared = TheaterShared::new(config, clock, is_driven_from_outside, telemetry, hooks);
        shared.attachments.get_or_attach(|| CachePadded::new(Timers::new(driver)));
        Ok(shared)
    }
}

impl std::fmt::Debug for TheaterBuilder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TheaterBuilder").field("config", &self.config).finish_non_exhaustive()
    }
}
