//! Processes that do pieces of k-means, and the broker that leads to them: what a run by middleware
//! starts beside itself.

use super::{ByCuda, ByKernels, OnCores, PointsPiece};
use odeon_broker::OwnBroker;
use odeon_device::{DeviceError, Worker};
use odeon_example_iterative::devices::first_found;
use odeon_example_run::child_process::{self, ChildProcess};
use odeon_example_run::{RunError, runtime, standard_error};
use odeon_rabbitmq::{Asking, Queue, RabbitWorker, Serving, Stop, serve_and_tell};
use serde::{Deserialize, Serialize};
use std::sync::mpsc::channel;
use std::sync::{Mutex, PoisonError};
use std::thread::{JoinHandle, sleep, spawn};
use std::time::{Duration, Instant};

/// The hidden subcommand of processes that do pieces.
const SERVE: &str = "serve";

/// TUNE: s, guessed 2026-11: a process serves the queue some 0.1 s after it has begun, on a loaded
/// machine after some seconds.
const UNTIL_SERVED: Duration = Duration::from_secs(60);

/// TUNE: s, guessed 2026-11: less than a process is waited for until it says something.
const UNTIL_LET_IN: Duration = Duration::from_secs(20);

/// TUNE: s, guessed 2026-11: a piece of the largest set takes some seconds. Who waits for one that
/// has ended waits for so long.
const ANSWER_WITHIN: Duration = Duration::from_secs(20);

/// By what a process does pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ServedBy {
    /// On a core.
    Cores,
    /// Of the GPU, or the first device that there is.
    Kernels {
        /// Whether any other device will not do.
        must_be_gpu: bool,
    },
    /// By CUDA C.
    Cuda,
}

/// All that a process has to know, as it stands on its command line.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Post {
    uri: String,
    queue: String,
    by: ServedBy,
}

/// The broker of this process, and how many of its queues have been given away.
pub struct Broker(Mutex<(u64, Option<OwnBroker>)>);

impl Broker {
    /// Not started yet.
    #[expect(clippy::new_without_default, reason = "it is a static")]
    pub const fn new() -> Self {
        Self(Mutex::new((0, None)))
    }

    /// What is missing, in words.
    pub fn missing() -> Option<String> {
        (!OwnBroker::is_installed())
            .then(|| "no broker here: rabbitmq-server is not installed".to_owned())
    }

    /// A queue that nobody else serves. The broker is started first, if it is not there.
    pub fn queue(&self) -> Result<Queue, RunError> {
        let mut this = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (queues, broker) = &mut *this;
        let broker = match broker {
            Some(broker) => broker,
            none => none.insert(OwnBroker::start().map_err(runtime)?),
        };
        *queues += 1;
        Ok(queue(&broker.uri(), &format!("k-means {queues}")))
    }
}

/// Those that serve a queue, until this is dropped.
pub struct Servers {
    queue: Queue,
    pieces: usize,
    members: Vec<WorkerHost>,
}

enum WorkerHost {
    Process(ChildProcess),
    Thread(Serves),
}

impl Servers {
    /// So many, in processes of their own or on threads of this one; they serve when this returns.
    /// Each client gives them so many pieces at once.
    pub fn start(
        queue: Queue,
        by: ServedBy,
        count: usize,
        in_processes: bool,
        pieces: usize,
    ) -> Result<Self, RunError> {
        let start = |number: usize| {
            let post = Post { uri: queue.uri.clone(), queue: queue.name.clone(), by };
            if !in_processes {
                return Serves::begin(&post, standard_error::say).map(WorkerHost::Thread);
            }
            let name = format!("worker process {number}");
            ChildProcess::start(name, SERVE, &post).map(WorkerHost::Process)
        };
        let members = (1..=count).map(start).collect::<Result<_, _>>()?;
        let mut servers = Self { queue, pieces, members };
        servers.wait()?;
        Ok(servers)
    }

    /// Until all of them serve the queue, and nobody else does.
    fn wait(&mut self) -> Result<(), RunError> {
        for member in &mut self.members {
            if let WorkerHost::Process(process) = member {
                process.ready()?;
            }
        }
        let mut client = self.client()?;
        let begun = Instant::now();
        while client.served_by().map_err(runtime)? as usize != self.members.len() {
            self.check()?;
            if begun.elapsed() > UNTIL_SERVED {
                return Err(RunError::Unfinished { limit: UNTIL_SERVED });
            }
            sleep(Duration::from_millis(1));
        }
        Ok(())
    }

    /// A worker whose pieces they do.
    pub fn client(&self) -> Result<RabbitWorker<PointsPiece>, RunError> {
        let at_once = self.pieces;
        let asking = Asking { at_once, answer_within: ANSWER_WITHIN, ..Asking::default() };
        RabbitWorker::connect(&self.queue, asking).map_err(runtime)
    }

    /// An error if one has ended.
    pub fn check(&mut self) -> Result<(), RunError> {
        self.members.iter_mut().try_for_each(|member| match member {
            WorkerHost::Process(process) => process.check(),
            WorkerHost::Thread(serves) => serves.check(),
        })
    }
}

/// A thread that does pieces, until this is dropped.
struct Serves {
    stop: Stop,
    thread: Option<JoinHandle<()>>,
}

impl Serves {
    /// It serves when this returns. `when_lost` is told why it does so no longer: that its device
    /// is lost, or the broker.
    fn begin(post: &Post, when_lost: fn(DeviceError)) -> Result<Self, RunError> {
        match post.by {
            ServedBy::Cores => Self::by(OnCores, post, when_lost),
            ServedBy::Kernels { must_be_gpu } => {
                let which = first_found(must_be_gpu).map_err(runtime)?;
                Self::by(ByKernels::on(which).map_err(runtime)?, post, when_lost)
            }
            ServedBy::Cuda => Self::by(ByCuda::open().map_err(runtime)?, post, when_lost),
        }
    }

    fn by(
        worker: impl Worker<Work = PointsPiece>,
        post: &Post,
        when_lost: fn(DeviceError),
    ) -> Result<Self, RunError> {
        let (queue, stop) = (queue(&post.uri, &post.queue), Stop::default());
        let asked = stop.clone();
        let (tell, told) = channel();
        let thread = spawn(move || {
            let serving = Serving { patience: UNTIL_LET_IN, ..Serving::default() };
            let mut serves = false;
            let served = serve_and_tell(&queue, &serving, worker, &asked, || {
                serves = true;
                // An error means that it is known already.
                let _ = tell.send(Ok(()));
            });
            match served {
                Err(error) if serves => when_lost(error),
                Err(error) => _ = tell.send(Err(error)),
                Ok(_) => {}
            }
        });
        let serves = Self { stop, thread: Some(thread) };
        let ended = || Err(DeviceError::Unavailable("the worker has panicked".to_owned()));
        told.recv().unwrap_or_else(|_| ended()).map_err(runtime)?;
        Ok(serves)
    }

    fn check(&self) -> Result<(), RunError> {
        match self.thread.as_ref().is_some_and(JoinHandle::is_finished) {
            true => Err(RunError::Lost("a worker thread ended".to_owned())),
            false => Ok(()),
        }
    }
}

impl Drop for Serves {
    fn drop(&mut self) {
        self.stop.ask();
        if let Some(thread) = self.thread.take() {
            // An error means that the worker has panicked, which has been said.
            let _ = thread.join();
        }
    }
}

/// What waits there is not to be kept on a disk: it ends with the run.
fn queue(uri: &str, name: &str) -> Queue {
    Queue { durable: false, connect_within: UNTIL_SERVED, ..Queue::new(uri, name) }
}

/// Does pieces in this process until the standard input ends; `post` is the argument of `odeon
/// serve`.
///
/// # Errors
/// If it cannot be read, there is no such device here, or no such broker. The standard output says
/// so too.
pub fn run_server(post: &str) -> Result<(), RunError> {
    child_process::run(SERVE, post, |post: &Post| {
        let serves = Serves::begin(post, |error| {
            standard_error::say(format_args!("error: {error}"));
            std::process::exit(1);
        })?;
        Ok((serves, String::new()))
    })
}
